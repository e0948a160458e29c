import type { Fill } from '../encode/fill.ts';
import type { Chunk, RowAt } from '../model/chunk.ts';
import type { Row } from '../model/field.ts';
import type { ScanPool } from '../pool/scan_pool.ts';
import type { PickedRow } from './picked.ts';

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

  /** Whether nothing can have been suppressed since. */
  get none(): boolean { return this.#pool.epoch === this.#begunUnder; }

  /** Whether rows of a chunk can have been suppressed since it was found. */
  concerns(chunk: Chunk): boolean {
    return !this.none && this.#isStale(chunk);
  }

  /** Less those that are suppressed now. */
  livingOf(rows: readonly PickedRow[]): PickedRow[] {
    return rows.filter((at) => !this.#isSuppressed(at));
  }

  /** A row whose own source may give it no more is given by the next that has it; nobody suppressed lends a field. */
  living(rows: readonly PickedRow[]): readonly PickedRow[] {
    if (this.none) return rows;
    const fills = new Map<Fill, RowAt[]>();
    return rows.flatMap((row) => {
      const stale = row.fill !== null || this.#isStale(row.chunk);
      return stale ? this.#living(row, fills) : [row];
    });
  }

  /** `fills`: of each group the donors that are living, looked at once. */
  #living(picked: PickedRow, fills: Map<Fill, RowAt[]>): PickedRow[] {
    const { fill } = picked;
    const donors = fill === null ? [] : fills.get(fill) ?? fill.donors().filter((at) => !this.#isSuppressed(at));
    if (fill !== null) fills.set(fill, donors);
    const [first, ...rest] = this.#isSuppressed(picked) ? donors : [picked, ...donors];
    return first === undefined ? [] : [{ ...picked, chunk: first.chunk, row: first.row, fill: fill?.of(rest) ?? null, pickedAs: picked }];
  }

  #isStale(chunk: Chunk): boolean {
    return epochs.get(chunk) !== this.#pool.epoch;
  }

  #isSuppressed({ chunk: { bytes, start, end }, row }: RowAt): boolean {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start[row]!, end[row]! - start[row]!).toString();
    return this.#pool.isSuppressed(JSON.parse(text) as Row);
  }
}
