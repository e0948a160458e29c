import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { seeded } from '../../bench/support/figures.ts';
import type { StreamOutlet } from '../../src/find/late_outlet.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { AppError } from '../../src/model/errors.ts';
import type { Chunk, RowAt } from '../../src/model/chunk.ts';
import type { Query, RowOrder } from '../../src/model/query.ts';
import { queryOf } from '../support/memory_lanes.ts';
import { pick } from './flaky.ts';
import { assertHonest, assertRows, assertTotal, passedBy, passedNowhere, type Given, type Passed } from './oracle.ts';
import { VirtualTime } from './virtual_time.ts';
import { World } from './world.ts';

/** How late an answer may be where nothing costs time but the sources. */
const LATE_MS = 25;
const FAULTY_CALLS = 12;
const CALLS_MAX = 60;
const WALKS = 10;
/** Of the calls that end a walk when all is well. */
const LAST_LIMIT = 50;
const TIMEOUTS_MS = [20, 60, 300];

type Tally = { calls: number; faulted: number; partial: number; refused: number };

/** One world of a seed: walks over its sources, pages and streams, while they go wrong and after. Throws where an answer is not as it should be. */
function simulate(seed: number, tally: Tally): Promise<void> {
  const chance = seeded(seed);
  return VirtualTime.during(chance, async (time) => {
    const world = await World.open(time, chance);
    for (let walks = 0; walks < WALKS; walks += 1) await walk(world, tally);
    await world.close();
  });
}

async function walk(world: World, tally: Tally): Promise<void> {
  const { held, chance, luck, strokes, foreignNames } = world;
  const dedupe = chance() < 0.5;
  const order: RowOrder = dedupe && held.length > 1 ? 'identity' : 'stored';
  const limit = 1 + Math.floor(chance() * 8);
  const seen = new Set<string>();
  let from: Passed = passedNowhere(held);
  let cursor: string | null = null;
  for (let calls = 0; ; calls += 1) {
    assert.ok(calls < CALLS_MAX, 'the walk does not end');
    await world.time.pause(chance() * 1_500);
    const isFaulty = calls < FAULTY_CALLS;
    luck.faultShare = isFaulty ? pick([0.1, 0.3, 0.6], chance) : 0;
    strokes.gone.clear();
    if (isFaulty) for (const name of foreignNames) if (chance() < 0.15) strokes.gone.add(name);
    strokes.struck.clear();
    strokes.gave.clear();
    const query: Query = queryOf({
      dedupe, cursor, limit: isFaulty ? limit : LAST_LIMIT, timeoutMs: pick(TIMEOUTS_MS, chance),
      count: pick(['exact', 'none'], chance), delivery: chance() < 0.7 ? 'page' : 'stream',
    });
    const down = world.down();
    const given = query.delivery === 'page' ? await askPage(world, query) : await askStream(world, query);
    tally.calls += 1;
    if (strokes.struck.size > 0 || down.size > 0) tally.faulted += 1;
    if (given === null) {
      assert.ok(held.every(({ name }) => strokes.struck.has(name) || down.has(name)), 'a call is refused without cause');
      tally.refused += 1;
      continue;
    }
    if (given.report.partial) tally.partial += 1;
    try {
      const to = passedBy(held, query, given.nextCursor);
      assertHonest(given, query, { struck: strokes.struck, gave: strokes.gave, down, fromStart: cursor === null });
      assertRows(held, order, given, from, to, query);
      if (query.count === 'exact') assertTotal(held, order, given.report);
      for (const id of given.ids) assert.ok(!seen.has(id), `${id} was given before`);
      from = to;
    } catch (error) {
      const held = world.held.map((one) => ({ name: one.name, rows: one[order].map(({ id, keyClass, key }) => `${id} ${keyClass} ${key}`) }));
      throw new Error(inspect({
        query, ids: given.ids,
        outcomes: given.report.outcomes.map(({ source, status, reason, returned, matched }) => [source, status, reason, returned, matched].join()),
        total: [given.report.total, given.report.relation],
        to: given.nextCursor === null ? null : [...passedBy(world.held, query, given.nextCursor)],
        order, from, struck: strokes.struck, gave: strokes.gave, down, held,
      }, { depth: 5, breakLength: 160, maxArrayLength: null }), { cause: error });
    }
    for (const id of given.ids) seen.add(id);
    cursor = given.nextCursor;
    if (cursor === null) return;
  }
}

/** Null where the call is refused because nobody could be reached. */
async function askPage(world: World, query: Query): Promise<Given | null> {
  const begunMs = monotonicMs();
  try {
    const { page, nextCursor } = await world.find.page(query, begunMs, { onGone: () => {} });
    return { ids: page.rows.map(idOf), report: page, nextCursor };
  } catch (error) {
    return refusal(error);
  } finally {
    assert.ok(monotonicMs() - begunMs <= query.timeoutMs + LATE_MS, `${monotonicMs() - begunMs} ms of ${query.timeoutMs}`);
  }
}

async function askStream(world: World, query: Query): Promise<Given | null> {
  const begunMs = monotonicMs();
  const ids: string[] = [];
  const told: string[] = [];
  let over = false;
  const take = async (rows: readonly RowAt[]): Promise<void> => {
    assert.ok(!over, 'rows come after the end');
    ids.push(...rows.map(idOf));
    if (world.chance() < 0.3) await world.time.pause(1 + world.chance() * 4);
  };
  const outlet: StreamOutlet = {
    gone: false,
    chunk: async (chunk, count, mayGo) => {
      const rows = Array.from({ length: count }, (_, row) => ({ chunk, row }));
      const half = Math.ceil(count / 2);
      await take(rows.slice(0, half));
      if (!mayGo()) return half;
      await take(rows.slice(half));
      return count;
    },
    rows: take,
    sourceEnded: async ({ source }) => {
      assert.ok(!over, 'a source ends after the end');
      told.push(source);
    },
    cursor: () => Promise.resolve(),
    afford: (rows) => rows,
  };
  try {
    const { end, nextCursor } = await world.find.stream(query, begunMs, { onGone: () => {} }, () => outlet);
    over = true;
    assert.deepEqual(told.toSorted(), end.outcomes.map(({ source }) => source).toSorted());
    assert.equal(end.returned, ids.length);
    return { ids, report: end, nextCursor };
  } catch (error) {
    assert.deepEqual(ids, [], 'a stream that has begun is not refused');
    return refusal(error);
  }
}

function refusal(error: unknown): null {
  if (error instanceof AppError && (error.code === 'sources_unreachable' || error.code === 'overloaded')) return null;
  throw error;
}

function idOf({ chunk, row }: { readonly chunk: Chunk; readonly row: number }): string {
  return (JSON.parse(Buffer.from(chunk.bytes.subarray(chunk.start[row]!, chunk.end[row]!)).toString()) as { id: string }).id;
}

type Simulated = Tally & { readonly firstSeed: number; readonly worlds: number };

/** Worlds of one seed after another, until so many of their calls met a fault, or a source that was left out for one. `ended` is told of each. */
export async function simulateCalls(firstSeed: number, faultedCalls: number, ended: (sofar: Simulated) => void = () => {}): Promise<Simulated> {
  const tally: Tally = { calls: 0, faulted: 0, partial: 0, refused: 0 };
  let seed = firstSeed;
  for (; tally.faulted < faultedCalls; seed += 1) {
    try {
      await simulate(seed, tally);
    } catch (error) {
      throw new Error(`the world of seed ${seed} went wrong: npm run bench -- simulation --seed ${seed} --searches 1 replays it alone`, { cause: error });
    }
    ended({ ...tally, firstSeed, worlds: seed + 1 - firstSeed });
  }
  return { ...tally, firstSeed, worlds: seed - firstSeed };
}
