import type { Chunk } from '../model/chunk.ts';

/** A row of a chunk, by place. */
export type RowAt = { readonly chunk: Chunk; readonly row: number };

/** A row chosen for the answer, and how the walk stands once it has been handed over. */
export type PickedRow = RowAt & {
  /** Index of the lane it came from. */
  readonly lane: number;
  /** Rows of the same identity in other sources, the first to fill from first; null for most rows. */
  readonly donors: readonly RowAt[] | null;
  /** All sources that had this identity, in their order; null where it is the row's own source alone. */
  readonly sources: readonly string[] | null;
  /** Marks of other lanes that are passed with this row: `[lane, mark]`. */
  readonly passes: readonly (readonly [lane: number, mark: number])[] | null;
};

/** How far each lane has been delivered: what a cursor is cut from. */
export class Progress {
  readonly after: number[];
  readonly returned: number[];

  constructor(after: readonly number[]) {
    this.after = [...after];
    this.returned = after.map(() => 0);
  }

  deliver(picked: PickedRow): void {
    this.after[picked.lane] = picked.chunk.mark[picked.row]!;
    this.returned[picked.lane]! += 1;
    if (picked.passes !== null) for (const [lane, mark] of picked.passes) this.after[lane] = mark;
  }

  /** Rows `0 .. count - 1` of a chunk at once. */
  deliverRun(lane: number, chunk: Chunk, count: number): void {
    if (count === 0) return;
    this.after[lane] = chunk.mark[count - 1]!;
    this.returned[lane]! += count;
  }
}
