import { open, type FileHandle } from 'node:fs/promises';
import type { Field } from '../../model/field.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { CompactRows } from '../../segment/compact_rows.ts';
import type { RowForm } from '../../segment/row_form.ts';
import type { Phrase } from '../../segment/row_writer.ts';
import type { ScannedRow } from '../../segment/scanned_row.ts';
import type { StoredBlock } from '../../segment/segment.ts';
import { ColumnPages } from './column_pages.ts';
import { readAt, readFooter, type Footer, type RowGroup } from './footer.ts';
import { ConstantMember, type Desk, IntegerMember, Integers, ListMember, TextMember, type Member } from './members.ts';
import { RowBuffer } from './row_buffer.ts';
import { TextRows } from './text_rows.ts';

/** A block of rows ends with the row that fills it. */
const BLOCK_BYTES = 1 << 20;
const SLACK_BYTES = 1 << 16;
/** Rows begin behind what is kept. */
const BEGIN = RowBuffer.KEPT_BYTES;

/** The column of the ranks. No field has a name with a blank. */
export const RANK = 'row rank';

/** `words`: of the dataset, with the extra columns of the source. */
export type TruthOrder = { readonly words: Vocabulary; readonly source: string; readonly form: RowForm };

/**
 * The rows of a Parquet truth in their stored form, written to `path` and given block by block. Each is put together from the columns as its turn comes,
 * and where its values stand is known from that, so nothing looks for them; a value that is in a dictionary comes with its number there.
 */
export async function* truthRows(truth: string, path: string, { words, source, form }: TruthOrder): AsyncGenerator<StoredBlock> {
  const from = await open(truth);
  try {
    const to = await open(path, 'wx');
    try {
      const footer = await readFooter(from);
      const rows = new TruthRows(footer, { words, source, form });
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
  readonly #desk: Desk;
  readonly #rowEnds: Phrase;
  #filled = BEGIN;
  #groups = 0;

  constructor(footer: Footer, { words: { fields }, source, form }: TruthOrder) {
    this.#desk = { out: new RowBuffer(BEGIN + BLOCK_BYTES + SLACK_BYTES), writer: form === 'compact' ? new CompactRows() : new TextRows() };
    this.#rowEnds = this.#desk.writer.phrase('}\n');
    this.#footer = footer;
    this.#pages = footer.columns.map(({ kind }) => new ColumnPages(kind));
    this.#chunks = footer.columns.map(() => Buffer.alloc(0));
    this.#members = fields.map((field, place) => this.#memberOf(field, place, source));
    this.#ranks = new Integers(this.#pagesOf(RANK));
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
    if (this.left === 0 || this.#filled >= BEGIN + BLOCK_BYTES) return false;
    const { out, writer } = this.#desk;
    row.numbers.fill(-1);
    row.part = this.#groups;
    row.start = this.#filled;
    let at = writer.begin(out, this.#filled);
    for (const member of this.#members) at = member.put(row, at);
    row.end = writer.end(out, writer.fixed(this.#rowEnds, out, at));
    row.textBytes = writer.textBytes;
    row.bytes = out.bytes;
    row.rank = this.#ranks.next() ?? -1;
    this.#filled = row.end;
    this.left--;
    return true;
  }

  /** The bytes of the rows that were given since the last block; the next begins. */
  endBlock(): Uint8Array {
    const bytes = this.#desk.out.bytes.subarray(BEGIN, this.#filled);
    this.#filled = BEGIN;
    return bytes;
  }

  stencils(): Uint8Array | null {
    return this.#desk.writer.stencils();
  }

  /** Throws where the group has more rows than it said: they would be lost. */
  endGroup(): void {
    if (!this.#pages.every((pages) => pages.isSpent())) throw new Error('a column goes on where its rows end');
  }

  #memberOf({ name, type }: Field, place: number, source: string): Member {
    const lead = `${place === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    if (name === 'source') return new ConstantMember(this.#desk, lead, place, source);
    if (name === 'sources') return new ConstantMember(this.#desk, lead, place, [source]);
    const pages = this.#pagesOf(name);
    switch (type) {
      case 'string': case 'timestamp': return new TextMember(this.#desk, lead, place, pages);
      case 'strings': return new ListMember(this.#desk, lead, place, pages);
      case 'integer': return new IntegerMember(this.#desk, lead, place, pages);
      default: return type satisfies never;
    }
  }

  #pagesOf(name: string): ColumnPages {
    const at = this.#footer.columns.findIndex((column) => column.name === name);
    if (at === -1) throw new Error(`the truth has no column ${name}`);
    return this.#pages[at]!;
  }
}
