import { LIMITS } from '../config/limits.ts';
import type { Fill } from '../encode/fill.ts';
import { isOfBrokenRow } from '../encode/row_layout.ts';
import { monotonicMs } from '../lib/clock.ts';
import { nextTurn, turnIsOver } from '../lib/turns.ts';
import type { Chunk, RowAt } from '../model/chunk.ts';
import type { Row } from '../model/field.ts';
import type { ScanPool } from '../pool/scan_pool.ts';
import type { LaneReader } from './lane_reader.ts';
import type { PickedRow } from './picked.ts';

/** Under which mount the search for a chunk's rows was begun, or later: what was suppressed under it is not among them. */
const epochs = new WeakMap<Chunk, number>();

export function foundUnder(epoch: number, chunk: Chunk): Chunk {
  epochs.set(chunk, epoch);
  return chunk;
}

/**
 * Scans and sources leave suppressed rows out. What remains is a call that was under way when something was suppressed: rows of it
 * that were found before, and wait for a slower source or reader, are looked at once more when they leave. So are those among which one has rotted
 * where it is stored, once it is met. Nothing else pays for it.
 */
export class LateSuppression {
  readonly #pool: ScanPool;
  readonly #readers: readonly LaneReader[];
  readonly #begunUnder: number;

  /** `readers`: by lane. */
  constructor(pool: ScanPool, readers: readonly LaneReader[]) {
    this.#pool = pool;
    this.#readers = readers;
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
    return rows.filter((row) => this.#mayGo(row, this.#readers[row.lane]!));
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

  /** The living of them that have not rotted where they are stored. Each is parsed: others run meanwhile, and the first few that are looked at after `untilMs` are the last. Gives before which row it ended. */
  async whole(rows: readonly PickedRow[], untilMs = Infinity): Promise<{ readonly end: number; readonly living: readonly PickedRow[] }> {
    const fills = new Map<Fill, RowAt[]>();
    const living: PickedRow[] = [];
    let end = 0;
    while (end < rows.length) {
      living.push(...this.#living(rows[end]!, fills));
      end += 1;
      if (end % LIMITS.rowsPackedUntimed !== 0) continue;
      if (monotonicMs() >= untilMs) break;
      if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
    }
    return { end, living };
  }

  /** Has `give` hand over the living of them, all or none; where one is broken, those that are whole. Says which. */
  async given(rows: readonly PickedRow[], give: (living: readonly PickedRow[]) => Promise<void>): Promise<readonly PickedRow[]> {
    let living = this.living(rows);
    try {
      if (living.length > 0) await give(living);
    } catch (error) {
      if (!isOfBrokenRow(error)) throw error;
      ({ living } = await this.whole(rows));
      if (living.length > 0) await give(living);
    }
    return living;
  }

  /** `fills`: of each group the donors that are living, looked at once. */
  #living(picked: PickedRow, fills: Map<Fill, RowAt[]>): PickedRow[] {
    const { fill } = picked;
    const donors = fill === null ? [] : fills.get(fill) ?? fill.donors().filter((at) => this.#mayGo(at, null));
    if (fill !== null) fills.set(fill, donors);
    const [first, ...rest] = this.#mayGo(picked, this.#readers[picked.lane]!) ? [picked, ...donors] : donors;
    return first === undefined ? [] : [{ ...picked, chunk: first.chunk, row: first.row, fill: fill?.of(rest) ?? null, pickedAs: picked }];
  }

  #isStale(chunk: Chunk): boolean {
    return epochs.get(chunk) !== this.#pool.epoch;
  }

  /** What has rotted may be anybody's: it goes to nobody, and `reader` is told. */
  #mayGo({ chunk: { bytes, start, end }, row }: RowAt, reader: LaneReader | null): boolean {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start[row]!, end[row]! - start[row]!).toString();
    const read = parsed(text);
    if (read === null) reader?.drop();
    return read !== null && !this.#pool.isSuppressed(read);
  }
}

function parsed(text: string): Row | null {
  try {
    return JSON.parse(text) as Row;
  } catch {
    return null;
  }
}
