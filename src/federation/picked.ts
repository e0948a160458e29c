import type { RowOut } from '../encode/rows.ts';
import type { Chunk, Mark, RowAt } from '../model/chunk.ts';

/** A row chosen for the answer, and how the walk stands once it has been handed over. */
export type PickedRow = RowOut & {
  /** Index of the lane it came from. */
  readonly lane: number;
  /** The last rows of other lanes that are passed with this row. */
  readonly passes: readonly (readonly [lane: number, last: RowAt])[] | null;
  /** As the merge picked it, where it was looked at once more. */
  readonly pickedAs?: PickedRow;
};

/** Rows of a chunk, as they stand. */
export function pickedRows(chunk: Chunk, { from, end }: { readonly from: number; readonly end: number }, lane: number): PickedRow[] {
  return Array.from({ length: end - from }, (_, at): PickedRow => ({ chunk, row: from + at, lane, fill: null, sources: null, passes: null }));
}

/** How far each lane has been delivered: what a cursor is cut from. */
export class Progress {
  readonly returned: number[];
  /** Whether rows that were to be given were suppressed meanwhile: a count may hold them. */
  leftOut = false;
  readonly #begun: readonly Mark[];
  /** The last row delivered of each lane: its mark is read only when a cursor is cut. */
  readonly #last: (RowAt | null)[];

  constructor(begun: readonly Mark[]) {
    this.#begun = begun;
    this.#last = begun.map(() => null);
    this.returned = begun.map(() => 0);
  }

  after(lane: number): Mark {
    const last = this.#last[lane]!;
    return last === null ? this.#begun[lane]! : last.chunk.markAt(last.row);
  }

  deliver(picked: PickedRow): void {
    this.#last[picked.lane] = picked;
    this.returned[picked.lane]! += 1;
    if (picked.passes === null) return;
    for (const pass of picked.passes) this.#last[pass[0]] = pass[1];
  }

  /** Rows `0 .. count - 1` of a chunk at once. */
  deliverChunk(lane: number, chunk: Chunk, count: number): void {
    if (count === 0) return;
    this.#last[lane] = { chunk, row: count - 1 };
    this.returned[lane]! += count;
  }

  /** Of the rows of a lane that were handed over so many did not go out. */
  leaveOut(lane: number, rows: number): void {
    this.returned[lane]! -= rows;
    if (rows > 0) this.leftOut = true;
  }

  /** Of the rows that were handed over those went out that are living. */
  leaveOutBut(rows: readonly PickedRow[], living: readonly PickedRow[]): void {
    if (living.length === rows.length) return;
    for (const { lane } of living) this.returned[lane]! += 1;
    for (const { lane } of rows) this.leaveOut(lane, 1);
  }
}
