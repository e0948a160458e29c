import { open, type FileHandle } from 'node:fs/promises';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { Unpacker } from '../../lib/unpacker.ts';
import { writeAll } from '../../lib/write_all.ts';
import { MEMORY } from '../../segment/row_memory.ts';
import type { Phrase } from '../../segment/row_calls.ts';
import { RowWriter } from '../../segment/row_writer.ts';
import type { RowForm } from '../../segment/row_form.ts';
import type { ScannedRow } from '../../segment/scanned_row.ts';
import type { StoredBlock } from '../../segment/segment.ts';
import { aligned, ColumnPages } from './column_pages.ts';
import { readAt, readFooter, type Footer, type RowGroup } from './footer.ts';
import { FewTexts, tellColumn, tellConstant, tellRank } from './members.ts';

/** A block of rows ends with the row that fills it. */
const BLOCK_BYTES = 1 << 20;
const SLACK_BYTES = 1 << 16;

/** The column of the ranks. No field has a name with a blank. */
export const RANK = 'row rank';

/** A column of the truth, at that place in its file. `few`: of texts. */
type Column = { readonly at: number; readonly pages: ColumnPages; readonly few: FewTexts | null };

/** `words`: of the dataset, with the extra columns of the source. */
type TruthOrder = { readonly words: Vocabulary; readonly source: string; readonly form: RowForm; readonly rankGaps: Uint32Array | null };

/**
 * The rows of a Parquet truth in their stored form, written to `path` and given block by block. Each is put together from the columns as its turn comes,
 * and where its values stand is known from that, so nothing looks for them; a value that is in a dictionary comes with its number there.
 */
export async function* truthRows(truth: string, path: string, order: TruthOrder): AsyncGenerator<StoredBlock> {
  const from = await open(truth);
  try {
    const to = await open(path, 'wx');
    const behind = new WriteBehind(to);
    try {
      const footer = await readFooter(from);
      const rows = new TruthRows(footer, order);
      for (const group of footer.groups) {
        await rows.begin(from, group);
        while (rows.left > 0) {
          yield rows;
          await behind.write(rows.endBlock());
        }
        rows.endGroup();
      }
      await behind.finish();
      await to.sync();
    } catch (error) {
      throw damaged(error);
    } finally {
      await behind.settled().catch(() => {});
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/**
 * What is written so, each piece at a multiple of its size, the system keeps in its cache as one page of 2 MB: a search that reads rows here and there then finds
 * its way to them with one entry for 2 MB instead of one for 4 KB. A little more of its time goes into each piece, as it must make room for it.
 */
const PIECE_BYTES = 1 << 21;

/** Writes one piece while the next is made: where the system must find room in its cache first, that takes a third of the time. */
class WriteBehind {
  readonly #file: FileHandle;
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #other = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #filled = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Takes a copy, as rows stand in memory that may move. Throws what a piece before met. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const taken = bytes.subarray(at, at + PIECE_BYTES - this.#filled);
      this.#piece.set(taken, this.#filled);
      this.#filled += taken.length;
      at += taken.length;
      if (this.#filled === PIECE_BYTES) await this.#turn();
    }
  }

  async finish(): Promise<void> {
    await this.#turn();
    await this.#writing;
  }

  /** Settles when nothing is being written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  async #turn(): Promise<void> {
    await this.#writing;
    this.#writing = writeAll(this.#file, this.#piece.subarray(0, this.#filled), null);
    this.#writing.catch(() => {});
    [this.#piece, this.#other] = [this.#other, this.#piece];
    this.#filled = 0;
  }
}

/** A block again and again, into one memory: what a group takes stands before the room for its rows. */
class TruthRows implements StoredBlock {
  /** Rows of the group that have not been given. */
  left = 0;
  readonly #columns: readonly Column[];
  readonly #lists: readonly number[];
  readonly #writer: RowWriter;
  readonly #rowEnds: Phrase;
  readonly #rankGaps: Uint32Array | null;
  /** Where the rows of a block begin, and where the next stands. */
  #begin = 0;
  #filled = 0;
  #groups = 0;

  constructor(footer: Footer, { words: { fields }, source, form, rankGaps }: TruthOrder) {
    const byPlace = new Map<number, ColumnPages>();
    const writer = new RowWriter(form, fields.length, (place) => (byPlace.get(place)!.turn() ? 1 : 0));
    const desk = { writer, unpacker: new Unpacker(writer.memory.memory) };
    this.#writer = writer;
    this.#rankGaps = rankGaps;
    this.#rowEnds = writer.phrase('}\n');
    this.#columns = [...fields.map(({ name }) => name), RANK].flatMap((name, place): Column[] => {
      const lead = `${place === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      if (name === 'source' || name === 'sources') {
        tellConstant(writer, place, lead, name === 'source' ? source : [source]);
        return [];
      }
      const at = footer.columns.findIndex((column) => column.name === name);
      if (at === -1) throw new Error(`the truth has no column ${name}`);
      const { kind } = footer.columns[at]!;
      const pages = new ColumnPages(kind, place, desk);
      byPlace.set(place, pages);
      if (place === fields.length) tellRank(writer, place);
      else tellColumn(writer, place, lead, kind);
      return [{ at, pages, few: kind === 'text' ? new FewTexts(writer, place, lead) : null }];
    });
    this.#lists = fields.flatMap(({ type }, place) => (type === 'strings' ? [place] : []));
  }

  async begin(file: FileHandle, { rows, chunks }: RowGroup): Promise<void> {
    const { memory } = this.#writer;
    let end: number = MEMORY.ground;
    const places = this.#columns.map(({ at }) => {
      const from = end;
      end = aligned(from + chunks[at]!.bytes);
      return { from, ...chunks[at]! };
    });
    memory.claim(end);
    for (const [at, { from, offset, bytes }] of places.entries()) {
      await readAt(file, offset, bytes, memory.bytes.subarray(from, from + bytes));
      this.#columns[at]!.pages.begin(from, from + bytes);
    }
    const numbersAt = end;
    end = aligned(end + Math.max(...this.#columns.map(({ pages }) => pages.entriesMax)) * 4);
    for (const { pages } of this.#columns) end = pages.lay(end, numbersAt);
    memory.claim(end);
    for (const { pages, few } of this.#columns) {
      const { dictionary, free } = pages.readDictionary(end);
      few?.read(dictionary);
      end = free;
    }
    this.#begin = this.#filled = aligned(end);
    this.#writer.spread(this.#begin, BLOCK_BYTES + SLACK_BYTES);
    this.left = rows;
    this.#groups++;
  }

  next(row: ScannedRow): boolean {
    if (this.left === 0 || this.#filled >= this.#begin + BLOCK_BYTES) return false;
    const { memory, calls } = this.#writer;
    row.start = this.#filled;
    try {
      row.end = this.#filled = calls.row(this.#rowEnds, row.start);
    } catch (error) {
      throw damaged(error);
    }
    const { words, notes } = memory;
    row.bytes = memory.bytes;
    row.from = notes.from;
    row.to = notes.to;
    row.textAt = notes.textAt;
    row.numbers = notes.numbers;
    row.forms = notes.forms;
    row.part = this.#groups;
    row.textBytes = words[MEMORY.textBytes / 4]!;
    const rank = memory.reals[MEMORY.rank / 8]!;
    row.rank = this.#rankGaps === null ? rank : rank - countBelow(this.#rankGaps, rank);
    for (const place of this.#lists) takeItems(row.items[place]!, words, notes.itemsFrom[place]!, notes.itemsTo[place]!);
    this.left--;
    return true;
  }

  /** The bytes of the rows that were given since the last block; the next begins. */
  endBlock(): Uint8Array {
    const bytes = this.#writer.memory.bytes.subarray(this.#begin, this.#filled);
    this.#filled = this.#begin;
    return bytes;
  }

  stencils(): Uint8Array | null {
    return this.#writer.stencils();
  }

  /** Throws where the group has more rows than it said: they would be lost. */
  endGroup(): void {
    if (!this.#columns.every(({ pages }) => pages.isSpent())) throw new Error('a column goes on where its rows end');
  }
}

/** Of ascending numbers. */
function countBelow(numbers: Uint32Array, limit: number): number {
  let from = 0;
  let to = numbers.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

function takeItems(items: number[], words: Int32Array, from: number, to: number): void {
  if (items.length !== to - from) items.length = to - from;
  for (let at = from; at < to; at++) items[at - from] = words[at]!;
}

/** What is told of a trap: the memory of a damaged truth ends where it should not. */
function damaged(error: unknown): unknown {
  return error instanceof WebAssembly.RuntimeError ? new Error('a column ends before its rows do, or within a value', { cause: error }) : error;
}
