import { hasBit } from '../../lib/bits.ts';
import { lowerBound } from '../../lib/search.ts';
import type { CountedCells, CountedPresence } from '../../segment/country_counts.ts';
import type { Segment } from '../../segment/reader.ts';
import type { Steps } from './steps.ts';

export type CountedSegment = Pick<Segment, 'rows' | 'counts' | 'presence'>;

/** Rows that are counted between two looks at the clock. */
const ROWS_OF_STEP = 16_384;

/**
 * The dead rows of a segment, counted as all of its rows were when it was made: by country and the values of two columns. A table is made when it is first
 * asked for, in about the time of counting the dead rows of its country twice; all of them take, of each mount in each thread, no more memory than those of
 * the segment: of each two columns half a byte for each of its rows at most.
 */
export class DeadCounts {
  readonly #rows: Uint32Array;
  readonly #tables = new Map<number, Uint32Array>();

  /** `rows`: those that are dead, ascending. */
  constructor(rows: Uint32Array) {
    this.#rows = rows;
  }

  /** How many of them a search has in a country; null where its table was not made yet. */
  known({ counts }: CountedSegment, cells: CountedCells, presence: CountedPresence | null): number | null {
    const table = this.#tables.get(cells.table);
    if (table === undefined) return null;
    return table.length === 0 ? 0 : counts.of({ ...cells, base: 0 }, presence, table);
  }

  *of(segment: CountedSegment, cells: CountedCells, presence: CountedPresence | null): Steps<number> {
    if (!this.#tables.has(cells.table)) this.#tables.set(cells.table, yield* this.#made(segment, cells.table));
    return this.known(segment, cells, presence)!;
  }

  /** Empty where none of the country is dead. */
  *#made({ counts, presence }: CountedSegment, number: number): Steps<Uint32Array> {
    const { country: { start, end }, first, second, rowCells, words } = counts.tableOf(number);
    const from = lowerBound(this.#rows, start);
    const to = lowerBound(this.#rows, end, from);
    const table = new Uint32Array(from === to ? 0 : words);
    const present = [...presence.values()].map(({ bits }) => bits);
    for (let at = from; at < to;) {
      const stop = Math.min(to, at + ROWS_OF_STEP);
      for (; at < stop; at++) {
        const row = this.#rows[at]!;
        const cell = (first[row]! * rowCells + second[row]!) * (1 + present.length);
        table[cell]! += 1;
        for (let which = 0; which < present.length; which++) if (hasBit(present[which]!, row)) table[cell + 1 + which]! += 1;
      }
      if (at < to) yield;
    }
    return table;
  }
}
