import { LIMITS } from '../config/limits.ts';
import { keep } from '../lib/keep.ts';
import type { Chunk, RowAt } from '../model/chunk.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import type { ByteSink } from './byte_sink.ts';
import type { Fill } from './fill.ts';
import { RowLayout } from './row_layout.ts';

/** A row to write: `fill` lends what it lacks; `sources` names all who had it. Null where the row stands as it is. */
export type RowOut = RowAt & { readonly fill: Fill | null; readonly sources: readonly string[] | null };

/** Rows as they leave, at [start, end) of memory that may be written before and behind them; in JSON with a comma between any two. */
export type RowsText = { readonly bytes: Buffer; readonly start: number; readonly end: number };

type Spliced = Pick<RowOut, 'fill' | 'sources'> & { readonly bytes: Uint8Array; readonly start: number; readonly end: number };

const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LETTER_N = 0x6e;
const NULL = new TextEncoder().encode('null');

/** Writes the rows of one dataset: as they are, cut down to some fields, or filled from others. One may serve many calls, one at a time. */
export class RowShape {
  readonly layout: RowLayout;
  /** Places of the fields to write, in row order; null for the whole row. */
  readonly wanted: readonly number[] | null;
  /** Places of the fields that are written, in row order. */
  readonly places: readonly number[];
  readonly #sourcesPlace: number;

  constructor(layout: RowLayout, fields: readonly string[] | null) {
    this.layout = layout;
    this.wanted = fields === null ? null : fields.map((name) => layout.place(name));
    this.places = this.wanted ?? layout.places;
    this.#sourcesPlace = layout.place('sources');
  }

  /** Whether the row is written byte for byte as it is stored. */
  copies(row: RowOut): boolean {
    return this.wanted === null && row.fill === null && row.sources === null;
  }

  /** Appends the row as JSON, without a line end. */
  append(sink: ByteSink, out: RowOut): void {
    const { chunk: { bytes, start, end }, row } = out;
    if (this.copies(out)) sink.bytes(bytes, start[row], end[row]);
    else this.#splice(sink, { bytes, start: start[row]!, end: end[row]!, fill: out.fill, sources: out.sources });
  }

  /** Appends the fields that are wanted of the row at [start, end), which nobody fills. */
  cut(sink: ByteSink, bytes: Uint8Array, start: number, end: number): void {
    this.#splice(sink, { bytes, start, end, fill: null, sources: null });
  }

  /**
   * Goes through the fields and copies the longest runs of the row's own bytes:
   *
   *   {"id":"a:1","source":"a","sources":["a"],"full_name":"X","email":null,"phone":...}
   *   ╰─────────── run ─────────────────╯ new ╰──────── run ─────────╯ lent ╰── run ...
   */
  #splice(sink: ByteSink, { bytes, start, end, fill, sources }: Spliced): void {
    const { labels } = this.layout;
    const own = this.layout.scratch;
    this.layout.locate(bytes, start, end, own);
    let runStart = -1;
    let runEnd = -1;
    let separator = OPEN;
    for (const place of this.places) {
      const from = own[2 * place]!;
      const to = own[2 * place + 1]!;
      const replaced = place === this.#sourcesPlace && sources !== null;
      const lent = fill !== null && (from === -1 || bytes[from] === LETTER_N) && fill.lends(place);
      const stays = from !== -1 && !lent && !replaced;
      if (stays && from - labels[place]!.length - 1 === runEnd) {
        runEnd = to;
        continue;
      }
      if (runStart !== -1) sink.bytes(bytes, runStart, runEnd);
      sink.byte(separator);
      separator = COMMA;
      sink.bytes(labels[place]!);
      [runStart, runEnd] = stays ? [from, to] : [-1, -1];
      if (replaced) sink.text(JSON.stringify(sources));
      else if (lent) fill.append(sink, place);
      else if (!stays) sink.bytes(NULL);
    }
    if (runStart !== -1) sink.bytes(bytes, runStart, runEnd);
    sink.byte(CLOSE);
  }
}

const LAYOUTS = new WeakMap<Vocabulary, RowLayout>();
const BY_NAMES = new Map<string, RowLayout>();

/** One for all who speak of the same rows: of parts of lakes each has a vocabulary of its own. */
export function rowLayout(vocabulary: Vocabulary): RowLayout {
  const known = LAYOUTS.get(vocabulary);
  if (known !== undefined) return known;
  const names = vocabulary.fields.map(({ name }) => name);
  const layout = BY_NAMES.get(names.join()) ?? keep(BY_NAMES, names.join(), new RowLayout(names), LIMITS.rowLayoutsKept);
  LAYOUTS.set(vocabulary, layout);
  return layout;
}

/** Rows `from .. runEnd - 1` of a chunk lie one after the other, a line end between each: one copy will do. At most `end`; the last may go beyond `bytesMax`. */
export function runEnd({ start, end: ends }: Pick<Chunk, 'start' | 'end'>, from: number, { end, bytesMax = Infinity }: { readonly end: number; readonly bytesMax?: number }): number {
  const full = start[from]! + bytesMax;
  let row = from + 1;
  while (row < end && start[row] === ends[row - 1]! + 1 && ends[row - 1]! < full) row++;
  return row;
}

/** The first rows of a chunk with the line end behind each, where they lie one after the other; else null. */
export function runOf(chunk: Chunk, count: number): Uint8Array | null {
  const { bytes, rows, run } = chunk;
  if (run !== undefined && count === rows) return bytes.subarray(run.start, run.end + 1);
  return runEnd(chunk, 0, { end: count }) === count ? bytes.subarray(chunk.start[0]!, chunk.end[count - 1]! + 1) : null;
}

/** How many rows from `at` on are copied as they are and lie together; at least 1. */
export function runLength(rows: readonly RowOut[], at: number, shape: RowShape): number {
  const { chunk, row } = rows[at]!;
  let count = 1;
  if (!shape.copies(rows[at]!)) return count;
  for (let next = rows[at + 1]; next !== undefined; next = rows[at + count]) {
    const follows = next.chunk === chunk && next.row === row + count && chunk.start[next.row] === chunk.end[next.row - 1]! + 1;
    if (!follows || !shape.copies(next)) break;
    count++;
  }
  return count;
}
