import { LIMITS } from '../config/limits.ts';
import type { Chunk, RowAt } from '../model/chunk.ts';
import { mayStay } from './lake_reader.ts';
import type { LaneReader } from './lane_reader.ts';

/** How many rows a lane is asked for at first, and the bytes of a slice whose rows are copied. */
type SliceSize = { readonly rows: number; readonly bytes: number };

/** The place in a lane's present chunk. */
export class Head {
  readonly lane: number;
  readonly reader: LaneReader;
  /** Its place among heads in the order of their sources. */
  rank = 0;
  chunk: Chunk | null = null;
  row = 0;
  #sliceRows: number;
  /** Of rows that are copied. */
  readonly #sliceBytes: number;
  /** Of the last slice amid a group. */
  #groupRows = 0;
  #gave = false;

  constructor(reader: LaneReader, lane: number, { rows, bytes }: SliceSize) {
    this.reader = reader;
    this.lane = lane;
    this.#sliceRows = rows;
    this.#sliceBytes = bytes;
  }

  get priority(): number { return this.reader.lane.priority; }
  /** No row is at hand, and the lane may have more. */
  get empty(): boolean { return this.chunk === null && this.reader.ended === null; }
  get over(): boolean { return this.chunk === null && this.reader.ended !== null; }
  /** The deadline struck amid its rows, or the call was stopped. */
  get cutShort(): boolean { return this.#gave && this.chunk === null && (this.reader.ended === 'deadline' || this.reader.ended === 'cancelled'); }

  at(): RowAt { return { chunk: this.chunk!, row: this.row }; }

  /** The first rows soon; whoever comes again wants many, and each slice has its price. */
  async refill(): Promise<void> {
    await this.#read(this.#sliceRows);
    this.#sliceRows = Math.max(this.#sliceRows, Math.min(2 * this.#sliceRows, LIMITS.mergeSliceRowsMax), LIMITS.mergeRows);
    this.#groupRows = 0;
  }

  /** A slice that ends amid a group is followed by a longer one. */
  refillInGroup(): Promise<void> {
    this.#groupRows = Math.max(this.#sliceRows, LIMITS.mergeRows, Math.min(2 * this.#groupRows, LIMITS.groupRowsMax));
    return this.#read(this.#groupRows);
  }

  async #read(rowsMax: number): Promise<void> {
    const { lane } = this.reader;
    const stays = lane.kind === 'lake' && mayStay(lane.segment, 'identity');
    this.chunk = await this.reader.next(rowsMax, stays ? LIMITS.groupBytesMax : this.#sliceBytes);
    this.row = 0;
    if (this.chunk !== null) this.#gave = true;
  }

  step(): void {
    this.row += 1;
    if (this.row === this.chunk!.rows) this.chunk = null;
  }

  /** Whether the row behind this one is at hand and has another identity than that row of a chunk. */
  isLastOf(chunk: Chunk, row: number): boolean {
    const next = this.row + 1;
    return next < this.chunk!.rows && compareIdentities(this.chunk!, next, chunk, row) !== 0;
  }

  holds(key: RowAt): boolean {
    return this.chunk !== null && compareIdentities(this.chunk, this.row, key.chunk, key.row) === 0;
  }
}

/** The order of the merge: class, then key bytes. */
export function compareIdentities(a: Chunk, i: number, b: Chunk, j: number): number {
  const left = a.identity!;
  const right = b.identity!;
  if (left.class[i]! !== right.class[j]!) return left.class[i]! - right.class[j]!;
  const leftLength = left.end[i]! - left.start[i]!;
  const rightLength = right.end[j]! - right.start[j]!;
  const shared = Math.min(leftLength, rightLength);
  for (let k = 0, p = left.start[i]!, q = right.start[j]!; k < shared; k += 1, p += 1, q += 1) {
    const difference = a.bytes[p]! - b.bytes[q]!;
    if (difference !== 0) return difference;
  }
  return leftLength - rightLength;
}
