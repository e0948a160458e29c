import { open, type FileHandle } from 'node:fs/promises';
import type { Field } from '../../model/field.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import type { ScannedRow } from '../../segment/scanned_row.ts';
import type { StoredBlock } from '../../segment/segment.ts';
import { ColumnPages } from './column_pages.ts';
import { readAt, readFooter, type Footer, type RowGroup } from './footer.ts';
import { ConstantMember, IntegerMember, Integers, ListMember, TextMember, type Member } from './members.ts';
import { RowBuffer } from './row_buffer.ts';

/** A block of rows ends with the row that fills it. */
const BLOCK_BYTES = 1 << 20;
const SLACK_BYTES = 1 << 16;
const NEWLINE = 0x0a;
const ROW_ENDS = 0x7d;

/**
 * The rows of a Parquet truth as they are stored, written to `path` and given block by block. Each is put together from the columns as its turn comes,
 * and where its values stand is known from that, so nothing looks for them; a value that is in a dictionary comes with its number there.
 */
export async function* truthRows(truth: string, path: string, words: Vocabulary, source: string): AsyncGenerator<StoredBlock> {
  const from = await open(truth);
  try {
    const to = await open(path, 'wx');
    try {
      const footer = await readFooter(from);
      const rows = new TruthRows(footer, words, source);
      for (const group of footer.groups) {
        await rows.begin(from, group);
        while (rows.left > 0) {
          yield rows;
          await write(to, rows.endBlock());
        }
        rows.endGroup();
      }
      await to.sync();
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function write(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}

/** A block again and again, into one buffer. */
class TruthRows implements StoredBlock {
  /** Rows of the group that have not been given. */
  left = 0;
  readonly #footer: Footer;
  readonly #pages: readonly ColumnPages[];
  readonly #chunks: Buffer[];
  readonly #members: readonly Member[];
  readonly #ranks: Integers;
  readonly #out = new RowBuffer(BLOCK_BYTES + SLACK_BYTES);
  #filled = 0;
  #groups = 0;

  constructor(footer: Footer, { fields }: Vocabulary, source: string) {
    this.#footer = footer;
    this.#pages = footer.columns.map(({ kind }) => new ColumnPages(kind));
    this.#chunks = footer.columns.map(() => Buffer.alloc(0));
    this.#members = fields.map((field, place) => this.#memberOf(field, place, source));
    this.#ranks = new Integers(this.#pagesOf('rank'));
  }

  async begin(file: FileHandle, { rows, chunks }: RowGroup): Promise<void> {
    for (const [at, { offset, bytes }] of chunks.entries()) {
      if (this.#chunks[at]!.length < bytes) this.#chunks[at] = Buffer.allocUnsafeSlow(bytes);
      this.#pages[at]!.begin(await readAt(file, offset, bytes, this.#chunks[at]));
    }
    this.left = rows;
    this.#groups++;
  }

  next(row: ScannedRow): boolean {
    if (this.left === 0 || this.#filled >= BLOCK_BYTES) return false;
    const out = this.#out;
    row.numbers.fill(-1);
    row.part = this.#groups;
    row.start = this.#filled;
    let at = this.#filled;
    for (const member of this.#members) at = member.put(row, out, at);
    out.reserve(at, 2);
    out.bytes[at] = ROW_ENDS;
    out.bytes[at + 1] = NEWLINE;
    row.bytes = out.bytes;
    row.end = at + 1;
    row.rank = this.#ranks.next() ?? -1;
    this.#filled = at + 2;
    this.left--;
    return true;
  }

  /** The bytes of the rows that were given since the last block; the next begins. */
  endBlock(): Uint8Array {
    const bytes = this.#out.bytes.subarray(0, this.#filled);
    this.#filled = 0;
    return bytes;
  }

  /** Throws where the group has more rows than it said: they would be lost. */
  endGroup(): void {
    if (!this.#pages.every((pages) => pages.isSpent())) throw new Error('a column goes on where its rows end');
  }

  #memberOf({ name, type }: Field, place: number, source: string): Member {
    const lead = `${place === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    if (name === 'source') return new ConstantMember(lead, place, source);
    if (name === 'sources') return new ConstantMember(lead, place, [source]);
    const pages = this.#pagesOf(name);
    switch (type) {
      case 'string': case 'timestamp': return new TextMember(lead, place, pages);
      case 'strings': return new ListMember(lead, place, pages);
      case 'integer': return new IntegerMember(lead, place, pages);
      default: return type satisfies never;
    }
  }

  #pagesOf(name: string): ColumnPages {
    const at = this.#footer.columns.findIndex((column) => column.name === name);
    if (at === -1) throw new Error(`the truth has no column ${name}`);
    return this.#pages[at]!;
  }
}
