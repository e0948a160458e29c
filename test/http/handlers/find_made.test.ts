import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpack } from 'msgpackr';
import type { Accounts } from '../../../src/accounts/open.ts';
import { LIMITS } from '../../../src/config/limits.ts';
import { RowShape } from '../../../src/encode/rows.ts';
import { SinkPool } from '../../../src/encode/sink_pool.ts';
import { Find, type FoundPage } from '../../../src/find/find.ts';
import { flatHeaders } from '../../../src/http/answer_lines.ts';
import { Call } from '../../../src/http/call.ts';
import { makeCors } from '../../../src/http/cors.ts';
import { answerRows, type Answering } from '../../../src/http/handlers/find_rows.ts';
import { problemAnswer } from '../../../src/http/problem.ts';
import { federatePage } from '../../../src/federation/page.ts';
import { monotonicMs } from '../../../src/lib/clock.ts';
import type { Catalog } from '../../../src/plan/catalog.ts';
import { rowLayout } from '../../../src/encode/rows.ts';
import { KeptExchange } from '../../support/exchanges.ts';
import { callOver, MEMORY_VOCABULARY, memoryPool, planOver, queryOf, type MemoryLane } from '../../support/memory_lanes.ts';

const ROWS = 5 * LIMITS.csvRowsUntimed;
const LANE: MemoryLane = {
  source: 'crm', segment: 'crm.0', priority: 0,
  rows: Array.from({ length: ROWS }, (_, i) => ({ id: `crm:${i}`, keyClass: 2, key: String(i).padStart(9, '0'), phone: null })),
};

/** Of a page that came whole, asked for so long ago. */
async function answered(agoMs: number, media: Answering['media'] = 'csv', fields: readonly string[] | null = null): Promise<{ exchange: KeptExchange; call: Call }> {
  const query = queryOf({ limit: ROWS, delivery: 'page' });
  const pool = memoryPool([LANE], Infinity);
  const page = await federatePage(planOver([LANE], false), query, callOver(pool, pool.lease()!, monotonicMs() + 10_000));
  await pool.close();
  assert.equal(page.returned, ROWS);
  const find = new Find(pool, { gateway: 'test', scan: () => { throw new Error('no such source'); } }, () => ({}) as Catalog, Buffer.alloc(32));
  const found: FoundPage = { page, nextCursor: null, planMs: 0, scanMs: 0, mergeMs: 0 };
  const exchange = new KeptExchange();
  const call = new Call(exchange, 'id-1', new Map(), problemAnswer, {} as Accounts, makeCors([]));
  call.receivedMs = monotonicMs() - agoMs;
  await answerRows(call, query, found, { media, find, shape: new RowShape(rowLayout(MEMORY_VOCABULARY), fields), sinks: new SinkPool() });
  return { exchange, call };
}

function csvOf({ headers, text }: KeptExchange): { lines: number; headers: ReadonlyMap<string, string> } {
  const flat = flatHeaders(headers);
  return { lines: text.split('\r\n').length - 2, headers: new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), flat[at + 1]!] as const] : []))) };
}

test('a page that is made into CSV before its deadline is whole', async () => {
  const { exchange, call } = await answered(0);
  const { lines, headers } = csvOf(exchange);
  assert.deepEqual([lines, headers.get('x-partial'), headers.has('x-next-cursor'), call.rows], [ROWS, 'false', false, ROWS]);
});

test('one whose deadline strikes meanwhile ends there, says so, and can be gone on from', async () => {
  const { exchange, call } = await answered(60_000);
  const { lines, headers } = csvOf(exchange);
  assert.deepEqual([lines, headers.get('x-partial'), call.rows], [LIMITS.csvRowsUntimed, 'true', LIMITS.csvRowsUntimed]);
  assert.ok(headers.get('x-next-cursor')!.length > 0);
  assert.equal(headers.get('x-total'), String(ROWS));
  assert.deepEqual(call.sources.map(({ status, reason, returned }) => [status, reason, returned]), [['partial', 'timed out', LIMITS.csvRowsUntimed]]);
});

type Answered = { results: unknown[]; returned: number; partial: boolean; next_cursor: string | null; total: number };

/** Of JSON some fields alone: rows that lie together are copied at once, as many as they are. */
const OTHERS = [
  { media: 'msgpack' as const, fields: null, blockRows: LIMITS.rowsPackedUntimed, read: ({ bytes }: KeptExchange) => unpack(bytes) as Answered },
  { media: 'json' as const, fields: ['id'], blockRows: LIMITS.rowsWrittenUntimed, read: ({ text }: KeptExchange) => JSON.parse(text) as Answered },
];

for (const { media, fields, blockRows, read } of OTHERS) {
  test(`so do one that is made into ${media} before its deadline, and one whose deadline strikes meanwhile`, async () => {
    const whole = read((await answered(0, media, fields)).exchange);
    assert.deepEqual([whole.results.length, whole.returned, whole.partial, whole.next_cursor], [ROWS, ROWS, false, null]);
    const late = await answered(60_000, media, fields);
    const cut = read(late.exchange);
    assert.deepEqual([cut.results.length, cut.returned, cut.partial, cut.total, late.call.rows], [blockRows, blockRows, true, ROWS, blockRows]);
    assert.ok(cut.next_cursor!.length > 0);
  });
}
