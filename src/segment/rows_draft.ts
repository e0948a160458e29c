import { crc32 } from 'node:zlib';
import { NumberList } from '../lib/number_list.ts';
import { packKey, ROW_BLOCK } from './layout.ts';
import type { ScannedIdentity } from './scanned_identity.ts';
import type { ScannedRow } from './scanned_row.ts';
import type { SectionDrafts } from './sections.ts';

/** What finds the stored rows again: 8 bytes a row. */
export class RowsDraft {
  readonly #starts = new NumberList();
  readonly #keys = new NumberList();
  readonly #bases: number[] = [];
  readonly #crcs: number[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  /** Where the row that came last ends in them. */
  #filled = 0;
  /** Bytes of `#bytes` that the current checksum covers already. */
  #summed = 0;
  /** Stored bytes before `#bytes`. */
  #before = 0;
  /** Where in `#bytes` the first row of the block stands; -1 before it came. */
  #origin = -1;
  #crc = 0;
  /** Of all rows. */
  textBytes = 0;

  /** Of the rows that were told so far, once their bytes have ended. */
  get bytes(): number {
    return this.#before;
  }

  /** The rows that are added from now on stand in the next bytes of the rows file, from the first of them on. */
  begin(): void {
    this.#origin = -1;
  }

  add(row: ScannedRow, identity: ScannedIdentity): void {
    if (this.#origin === -1) this.#origin = this.#summed = row.start;
    this.#bytes = row.bytes;
    if (this.#starts.length % ROW_BLOCK === 0) this.#beginBlock(row.start);
    this.#starts.push(this.#before + row.start - this.#origin - this.#bases.at(-1)!);
    this.#filled = row.end;
    this.textBytes += row.textBytes;
    this.#keys.push(packKey(identity.class, identity.offset, identity.to - identity.from));
  }

  end(): void {
    if (this.#origin === -1) return;
    this.#sum(this.#filled);
    this.#before += this.#filled - this.#origin;
  }

  /** Drafts offsets, checksums and key references. */
  draft(drafts: SectionDrafts): void {
    if (this.#starts.length > 0) this.#crcs.push(this.#crc);
    drafts.add('rows.base', Float64Array.from([...this.#bases, this.#before]));
    drafts.add('rows.start', this.#starts.view());
    drafts.add('rows.crc', Uint32Array.from(this.#crcs));
    drafts.add('keys', this.#keys.view());
  }

  #beginBlock(start: number): void {
    this.#sum(start);
    if (this.#starts.length > 0) this.#crcs.push(this.#crc);
    this.#crc = 0;
    this.#bases.push(this.#before + start - this.#origin);
  }

  #sum(end: number): void {
    this.#crc = crc32(this.#bytes.subarray(this.#summed, end), this.#crc);
    this.#summed = end;
  }
}
