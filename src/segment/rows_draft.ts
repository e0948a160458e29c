import { crc32 } from 'node:zlib';
import type { FileHandle } from 'node:fs/promises';
import { NumberList } from '../lib/number_list.ts';
import { identityOf, IDENTITY_FIELDS } from '../model/identity.ts';
import { OWN_IDENTITY } from '../model/chunk.ts';
import type { Row } from '../model/field.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import { packKey, ROW_BLOCK } from './layout.ts';
import type { SectionDrafts } from './sections.ts';
import type { RankedRow } from './segment.ts';

/** From this many bytes on the rows that wait want to be written. */
const FLUSH_BYTES = 1 << 20;

/** Writes the rows as NDJSON and keeps what finds them again: 8 bytes a row. */
export class RowsDraft {
  readonly #file: FileHandle;
  readonly #vocabulary: Vocabulary;
  readonly #source: string;
  readonly #starts = new NumberList();
  readonly #keys = new NumberList();
  readonly #bases: number[] = [];
  readonly #crcs: number[] = [];
  #buffer = Buffer.allocUnsafeSlow(FLUSH_BYTES * 2);
  #filled = 0;
  /** Bytes of the buffer that the current block's checksum covers already. */
  #summed = 0;
  #written = 0;
  #crc = 0;

  constructor(file: FileHandle, vocabulary: Vocabulary, source: string) {
    this.#file = file;
    this.#vocabulary = vocabulary;
    this.#source = source;
  }

  get bytes(): number {
    return this.#written + this.#filled;
  }

  get wantsFlush(): boolean {
    return this.#filled >= FLUSH_BYTES;
  }

  add({ row, text = JSON.stringify(this.#canonical(row)) }: RankedRow): void {
    if (this.#starts.length % ROW_BLOCK === 0) this.#beginBlock();
    this.#reserve(text.length * 3 + 1);
    const start = this.#filled;
    this.#filled += this.#buffer.write(text, start);
    this.#buffer[this.#filled++] = 0x0a;
    this.#starts.push(this.#written + start - this.#bases.at(-1)!);
    this.#keys.push(this.#keyOf(row, start));
  }

  /** Drafts offsets, checksums and key references once the last row is in the file. */
  async draft(drafts: SectionDrafts): Promise<void> {
    await this.flush();
    if (this.#starts.length > 0) this.#crcs.push(this.#crc);
    drafts.add('rows.base', Float64Array.from([...this.#bases, this.#written]));
    drafts.add('rows.start', this.#starts.view());
    drafts.add('rows.crc', Uint32Array.from(this.#crcs));
    drafts.add('keys', this.#keys.view());
  }

  #canonical(row: Row): Row {
    const out: Row = {};
    for (const { name } of this.#vocabulary.fields) out[name] = row[name] ?? null;
    out.source = this.#source;
    out.sources = [this.#source];
    return out;
  }

  #beginBlock(): void {
    this.#sum();
    if (this.#starts.length > 0) this.#crcs.push(this.#crc);
    this.#crc = 0;
    this.#bases.push(this.bytes);
  }

  #sum(): void {
    this.#crc = crc32(this.#buffer.subarray(this.#summed, this.#filled), this.#crc);
    this.#summed = this.#filled;
  }

  async flush(): Promise<void> {
    this.#sum();
    for (let at = 0; at < this.#filled;) at += (await this.#file.write(this.#buffer, at, this.#filled - at)).bytesWritten;
    this.#written += this.#filled;
    this.#filled = 0;
    this.#summed = 0;
  }

  #reserve(bytes: number): void {
    if (this.#filled + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#filled + bytes, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#filled);
    this.#buffer = larger;
  }

  /** Where the identity key stands in the row, if it stands there in so many bytes. */
  #keyOf(row: Row, start: number): number {
    const { dataset } = this.#vocabulary;
    const identity = identityOf(dataset, row);
    const field = identity.class === OWN_IDENTITY ? 'id' : IDENTITY_FIELDS[dataset][identity.class]!;
    const quoted = JSON.stringify(identity.key);
    if (row[field] !== identity.key || quoted.length !== identity.key.length + 2) return packKey(identity.class, -1, 0);
    // A quote inside a value is escaped, so that this text can be nothing but the member itself.
    const member = field === 'id' ? '{"id":"' : `,"${field}":"`;
    const at = this.#buffer.indexOf(member, start) + member.length;
    return packKey(identity.class, at - start, Buffer.byteLength(identity.key));
  }
}
