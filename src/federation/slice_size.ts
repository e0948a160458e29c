import { LIMITS } from '../config/limits.ts';

/** How rows are read: left where they are, in the order of identity for a stream that is merged, or as they lie for one that is not. */
type Way = { readonly inPlace: boolean; readonly merged: boolean; readonly streams: boolean };

/**
 * How much the next slice of a lane may bring, by what the slices before it took: what is dear to find, to bring from a disk, or to put in order comes in small ones, so that
 * a scan thread is not held. Rows that lie one behind the other cost hardly anything, and each slice of them does: a reader who takes them as they come gets long ones.
 */
export class SliceSize {
  readonly #way: Way;
  #inPlaceBytes: number = LIMITS.chunkInPlaceBytes;
  #mergedRows: number = LIMITS.mergeRows;
  #runsOn = false;
  /** When the latest slice came. */
  #cameMs = -Infinity;

  constructor(way: Way) {
    this.#way = way;
  }

  get bytes(): number {
    return this.#way.inPlace ? this.#inPlaceBytes : LIMITS.chunkBytes;
  }

  /**
   * More than are wanted where the next ones probably lie behind the last, and they begin where a cursor stands: the next cursors are then due where the rows may be parted.
   * `rowsLeft`: of all that are asked for.
   */
  rows(rowsWanted: number, rowsLeft: number): number {
    if (this.#way.merged) return Math.min(rowsWanted, this.#mergedRows);
    return this.#runsOn && rowsWanted === LIMITS.cursorRowsEvery ? Math.max(rowsWanted, Math.min(LIMITS.runRowsMax, rowsLeft)) : rowsWanted;
  }

  /** A slice has come. */
  came(tookMs: number, isRun: boolean, nowMs: number): void {
    const isCheap = tookMs < LIMITS.sliceMs / 2;
    const isSoonTaken = nowMs - this.#cameMs < LIMITS.runTakenMsMax;
    this.#cameMs = nowMs;
    this.#runsOn = isRun && isCheap && isSoonTaken && this.#way.streams && this.#way.inPlace;
    const bytesMax = this.#runsOn ? LIMITS.runBytesMax : LIMITS.chunkInPlaceBytesMax;
    this.#inPlaceBytes = isCheap ? Math.min(2 * this.#inPlaceBytes, bytesMax) : LIMITS.chunkInPlaceBytes;
    this.#mergedRows = isCheap ? Math.min(2 * this.#mergedRows, LIMITS.groupRowsMax) : Math.max(this.#mergedRows / 2, LIMITS.mergeRows);
  }
}
