import type { Chunk } from '../model/chunk.ts';
import type { Row } from '../model/field.ts';
import type { ScanPool } from '../pool/scan_pool.ts';
import type { PickedRow, RowAt } from './picked.ts';

/** Under which mount the search for a chunk's rows was begun, or later: what was suppressed under it is not among them. */
const epochs = new WeakMap<Chunk, number>();

export function foundUnder(epoch: number, chunk: Chunk): Chunk {
  epochs.set(chunk, epoch);
  return chunk;
}

/**
 * Scans and sources leave suppressed rows out. What remains is a call that was under way when something was suppressed: rows of it
 * that were found before, and wait for a slower source or reader, are looked at once more when they leave. Nothing else pays for it.
 */
export class LateSuppression {
  readonly #pool: ScanPool;
  readonly #begunUnder: number;

  constructor(pool: ScanPool) {
    this.#pool = pool;
    this.#begunUnder = pool.epoch;
  }

  /** The first rows of a chunk less those that were suppressed since it was found; null where none can have been. */
  livingOf(chunk: Chunk, count: number, lane: number): PickedRow[] | null {
    if (this.#pool.epoch === this.#begunUnder || !this.#isStale(chunk)) return null;
    return Array.from({ length: count }, (_, row): PickedRow => ({ chunk, row, lane, donors: null, sources: null, passes: null }))
      .filter((at) => !this.#isSuppressed(at));
  }

  /** A row whose own source may give it no more is given by the next that has it; nobody suppressed lends a field. */
  living(rows: readonly PickedRow[]): readonly PickedRow[] {
    if (this.#pool.epoch === this.#begunUnder) return rows;
    return rows.flatMap((row) => {
      const stale = row.donors !== null || this.#isStale(row.chunk);
      return stale ? this.#living(row) : [row];
    });
  }

  #living(picked: PickedRow): PickedRow[] {
    const [first, ...rest] = [picked, ...(picked.donors ?? [])].filter((at) => !this.#isSuppressed(at));
    if (first === undefined) return [];
    return [{ ...picked, chunk: first.chunk, row: first.row, donors: picked.donors === null ? null : rest }];
  }

  #isStale(chunk: Chunk): boolean {
    return epochs.get(chunk) !== this.#pool.epoch;
  }

  #isSuppressed({ chunk: { bytes, start, end }, row }: RowAt): boolean {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start[row]!, end[row]! - start[row]!).toString();
    return this.#pool.isSuppressed(JSON.parse(text) as Row);
  }
}
