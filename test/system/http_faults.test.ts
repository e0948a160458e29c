import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { FaultProxy, NO_FAULT } from '../support/fault_proxy.ts';
import { ingest } from '../support/ingested.ts';
import { pause } from '../support/runners.ts';
import { assertTold, ON_THE_LINE } from './faulty_sources.ts';
import { until } from '../support/until.ts';
import { RunningService, type Answer, type Json } from './service.ts';

/** 300 people here, 300 over there; a hundred are in both. */
const EACH = 300;
const BOTH = 500;
const ALL = { type: 'contacts', limit: 1_000 };
const TIMEOUT_MS = 700;
/** So long that a refusal is heard on a busy machine as well. */
const REFUSED_TIMEOUT_MS = 10_000;
/** Room for a machine that stands still now and then. */
const LATE_MS = 10_000;

async function gateway(name: string, from: number, entry: string, env: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'lds-http-faults-'));
  await writeFile(join(folder, 'config.yaml'), `sources:\n  - { name: ${name}, dataset: contacts, kind: lake }\n${entry}`);
  await writeFile(join(folder, 'people.csv'), ['id,email,full_name,country', ...Array.from({ length: EACH }, (_, i) => `${from + i},p${from + i}@x.org,${name} ${from + i},US`)].join('\n'));
  const service = await RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0', LDS_LOG_LEVEL: 'error', ...env }, folder);
  await ingest(join(folder, 'data'), name, join(folder, 'people.csv'));
  await until(async () => (await service.find({ type: 'contacts', sources: { only: [name] } })).json.total === EACH);
  return service;
}

describe('a search over another gateway behind faults', () => {
  let far: RunningService;
  let near: RunningService;
  let proxy: FaultProxy;
  const healed = async (): Promise<void> => {
    await proxy.set(NO_FAULT);
    await until(async () => { const { json } = await near.find(ALL); return json.partial === false && json.total === BOTH && json.total_relation === 'eq'; });
  };
  before(async () => {
    far = await gateway('far', 200, '');
    proxy = await FaultProxy.start(far.port);
    near = await gateway('near', 0, `  - { name: partner, dataset: contacts, kind: http, url: "http://127.0.0.1:${proxy.port}/v1/find", headers: { authorization: "Bearer \${PARTNER_KEY}" }, connect_timeout_ms: 150 }\n`, { PARTNER_KEY: far.key });
    await healed();
  }, { timeout: 300_000 });
  after(async () => {
    await near.stop();
    await proxy.close();
    await far.stop();
  });
  afterEach(healed, { timeout: 180_000 });

  /** The one that is missing, told in each place; nothing of where it is, and none of our own rows lost. */
  function assertPartner(answer: Answer, reason: RegExp): void {
    const lost = assertTold(answer);
    assert.deepEqual(lost.map(({ source }) => source), ['partner'], answer.text.slice(-1_500));
    assert.match(lost[0].reason, lost[0].status === 'skipped' ? /^unreachable$/ : reason);
    assert.equal(answer.json.results.filter(({ id }: Json) => id.startsWith('near:')).length, EACH);
    for (const secret of [far.key, String(proxy.port), String(far.port), '127.0.0.1', 'ECONN', 'undici']) assert.ok(!answer.text.includes(secret), secret);
  }

  for (const [title, fault, reason] of ON_THE_LINE) {
    it(`one that ${title} is told, our own rows are whole, and it is back when the fault is over`, async () => {
      if (fault.kind === 'unaccepted' || fault.kind === 'refused') proxy.drop();
      await proxy.set(fault);
      const timeoutMs = fault.kind === 'refused' ? REFUSED_TIMEOUT_MS : TIMEOUT_MS;
      const begunMs = performance.now();
      const answer = await near.find({ ...ALL, timeout_ms: timeoutMs });
      assert.ok(performance.now() - begunMs < timeoutMs + LATE_MS);
      assertPartner(answer, reason);
    });
  }

  it('a stream that is cut over there says so, and its cursor goes on where it stood: no person is lost, no row comes twice', async () => {
    for (const dedupe of [true, false]) {
      const body = { type: 'contacts', dedupe, timeout_ms: 5_000 };
      await proxy.set({ kind: 'reset', afterBytes: 40_000 });
      const first = await near.lines(body);
      const { partial, next_cursor: cursor } = first.at(-1)['@end'];
      assert.deepEqual([partial, typeof cursor], [true, 'string']);
      await healed();
      const rest = await near.lines({ ...body, cursor });
      const rows = [...first, ...rest].filter(({ id }) => id !== undefined);
      assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length, 'a row came twice');
      assert.equal(new Set(rows.map(({ email }) => email)).size, BOTH);
    }
  });

  it('its breaker opens while it is gone, and a walk over that time loses nobody', async () => {
    const walked: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const { json } = await near.find({ type: 'contacts', limit: 60, timeout_ms: 5_000, ...(cursor === null ? {} : { cursor }) });
      walked.push(...json.results.map(({ email }: Json) => email));
      cursor = json.next_cursor;
      pages += 1;
      if (pages === 2) {
        await proxy.set({ kind: 'refused' });
        proxy.drop();
        await until(async () => (await near.find({ ...ALL, limit: 1 })).json.sources[1].status === 'skipped');
        assert.equal((await near.find({ ...ALL, sources: { only: ['partner'] } })).status, 502);
      }
      if (pages === 4) await healed();
    } while (cursor !== null);
    assert.equal(new Set(walked).size, BOTH);
  });

  it('while it is gone a walk comes to no last page: what has no row is partial, and goes on where the one before did', async () => {
    const page = async (cursor?: string): Promise<Json> => (await near.find({ ...ALL, timeout_ms: REFUSED_TIMEOUT_MS, ...(cursor !== undefined && { cursor }) })).json;
    await proxy.set({ kind: 'refused' });
    proxy.drop();
    const first = await page();
    assert.equal(first.returned, EACH);
    let cursor = first.next_cursor;
    for (let again = 0; again < 2; again += 1) {
      const empty = await page(cursor);
      assert.deepEqual([empty.returned, empty.partial, typeof empty.next_cursor], [0, true, 'string']);
      cursor = empty.next_cursor;
    }
    await healed();
    const last = await page(cursor);
    assert.deepEqual([last.returned, last.partial, last.next_cursor], [EACH, false, null]);
  });

  it('a caller who leaves closes what hangs over there', async () => {
    proxy.drop();
    await proxy.set({ kind: 'hang', afterBytes: 0 });
    const controller = new AbortController();
    const call = fetch(`${near.url}/v1/find`, { method: 'POST', headers: { authorization: `Bearer ${near.key}` }, body: JSON.stringify({ ...ALL, timeout_ms: 20_000 }), signal: controller.signal });
    await until(() => proxy.connections > 0);
    await pause(20);
    controller.abort();
    await assert.rejects(call);
    await until(() => proxy.connections === 0);
  });
});
