import { ByteSink } from '../../src/encode/byte_sink.ts';
import { RowShape, rowLayout } from '../../src/encode/rows.ts';
import type { PickedRow } from '../../src/federation/picked.ts';
import { federateStream, type RowOutlet } from '../../src/federation/stream.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Chunk } from '../../src/model/chunk.ts';
import type { Position } from '../../src/plan/plan.ts';
import { MEMORY_VOCABULARY, callOver, memoryPool, planOver, queryOf, type MemoryLane } from './memory_lanes.ts';

export type ShownRow = { readonly id: string; readonly sources: readonly string[]; readonly phone: string | null };

const SHOWN = new RowShape(rowLayout(MEMORY_VOCABULARY), ['id', 'sources', 'phone']);

export function shown(picked: PickedRow): ShownRow {
  const sink = new ByteSink();
  SHOWN.append(sink, picked);
  return JSON.parse(Buffer.from(sink.view()).toString()) as ShownRow;
}

export function idsOf({ rows }: Page): string[] {
  return rows.map((row) => shown(row).id);
}

/** Keeps what it is given. */
export class Collecting implements RowOutlet {
  readonly rowsSeen: ShownRow[] = [];
  readonly ended: string[] = [];
  readonly checkpoints: { readonly position: Position; readonly before: number }[] = [];
  readonly #budget: number;
  /** After so many rows no more may go out. */
  readonly #haltAt: number;

  constructor(budget = Infinity, haltAt = Infinity) {
    this.#budget = budget;
    this.#haltAt = haltAt;
  }
  get gone(): boolean { return this.rowsSeen.length >= this.#haltAt; }
  async chunk(chunk: Chunk, count: number, mayGo: () => boolean): Promise<number> {
    for (let row = 0; row < count; row += 1) {
      if (!mayGo()) return row;
      this.rowsSeen.push(shown({ chunk, row, lane: 0, fill: null, sources: null, passes: null }));
    }
    return count;
  }
  async rows(rows: readonly PickedRow[]): Promise<void> { this.rowsSeen.push(...rows.map(shown)); }
  async sourceEnded({ source }: { source: string }): Promise<void> { this.ended.push(source); }
  async checkpoint(position: Position): Promise<void> { this.checkpoints.push({ position, before: this.rowsSeen.length }); }
  afford(rows: number): number { return Math.min(rows, this.#budget - this.rowsSeen.length); }
}

/** All of a stream over lanes in memory. */
export async function streamOf(
  lanes: readonly MemoryLane[], dedupe: boolean, sliceRows: number,
  limit = Number.MAX_SAFE_INTEGER, budget = Infinity, from: Position | null = null, pool = memoryPool(lanes, sliceRows), haltAt = Infinity,
) {
  const outlet = new Collecting(budget, haltAt);
  const plan = planOver(lanes, dedupe, from);
  const end = await federateStream(plan, queryOf({ dedupe, limit, delivery: 'stream' }), callOver(pool, pool.lease()!, monotonicMs() + 60_000), outlet);
  await pool.close();
  return { outlet, end };
}
