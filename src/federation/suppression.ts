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

/** A group as it is looked at: the donors that are living, and whether a row of it has gone. */
type Looked = { readonly donors: readonly RowAt[]; gone: boolean };

/**
 * Scans and sources leave suppressed rows out. What remains is a call that was under way when something was suppressed: rows of it
 * that were found before, and wait for a slower source or reader, are looked at once more when they leave. So are those among which one has rotted
 * where it is stored, once it is met. Nothing else pays for it.
 */
export class LateSuppression {
  readonly #pool: ScanPool;
  readonly #readers: readonly LaneReader[];
  readonly #begunUnder: number;
  /** The group amid which what was given last ended, where some of it was. */
  #begunGroup: Fill | null = null;

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

  /** An identity of which its own source may give no row any more is given by the next that has it; nobody suppressed lends a field. */
  living(rows: readonly PickedRow[]): readonly PickedRow[] {
    if (this.none) return rows;
    const groups = new Map<Fill, Looked>();
    return rows.flatMap((row) => {
      const stale = row.fill !== null || this.#isStale(row.chunk);
      return stale ? this.#living(row, groups) : [row];
    });
  }

  /** The living of them that have not rotted where they are stored. Each is parsed: others run meanwhile, and the first few that are looked at after `untilMs` are the last. Gives before which row it ended. */
  async whole(rows: readonly PickedRow[], untilMs = Infinity): Promise<{ readonly end: number; readonly living: readonly PickedRow[] }> {
    const groups = new Map<Fill, Looked>();
    const living: PickedRow[] = [];
    let end = 0;
    while (end < rows.length) {
      living.push(...this.#living(rows[end]!, groups));
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
    this.#begunGroup = this.#groupAmid(rows, living);
    return living;
  }

  /** Another source gives an identity with the last of its rows here, and where none of these has gone: else it would have it beside them, or more than once. */
  #living(picked: PickedRow, groups: Map<Fill, Looked>): PickedRow[] {
    const { fill, passes } = picked;
    const group = fill === null ? null : this.#looked(fill, groups);
    const donors = group?.donors ?? NONE;
    const standIns = group?.gone === true || passes === null ? NONE : donors;
    const [first, ...rest] = this.#mayGo(picked, this.#readers[picked.lane]!) ? [picked, ...donors] : standIns;
    if (first === undefined) return [];
    if (group !== null) group.gone = true;
    return [{ ...picked, chunk: first.chunk, row: first.row, fill: fill?.of(rest) ?? null, pickedAs: picked }];
  }

  #looked(fill: Fill, groups: Map<Fill, Looked>): Looked {
    const known = groups.get(fill);
    if (known !== undefined) return known;
    const looked = { donors: fill.donors().filter((at) => this.#mayGo(at, null)), gone: fill === this.#begunGroup };
    groups.set(fill, looked);
    return looked;
  }

  /** The last rows of a group have more of it behind them. */
  #groupAmid(rows: readonly PickedRow[], living: readonly PickedRow[]): Fill | null {
    const last = rows.at(-1);
    if (last === undefined || last.fill === null || last.passes !== null) return null;
    const { fill } = last;
    return fill === this.#begunGroup || living.some((row) => (row.pickedAs ?? row).fill === fill) ? fill : null;
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

const NONE: readonly RowAt[] = [];

function parsed(text: string): Row | null {
  try {
    return JSON.parse(text) as Row;
  } catch {
    return null;
  }
}
