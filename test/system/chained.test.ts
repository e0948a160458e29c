import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checksum } from '../../src/accounts/key.ts';
import { ingest } from '../support/ingested.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { RunningService, type Json } from './service.ts';

const ALL = { type: 'contacts', limit: 1_000 };
const outcomes = ({ json }: { json: Json }): [string, string, string | null][] => json.sources.map((one: Json) => [one.source, one.status, one.reason]);

/** A gateway over a lake of people `from` to `to - 1`, and whatever else is asked for. */
async function gateway(name: string, from: number, to: number, sources: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'lds-chained-'));
  await writeFile(join(folder, 'config.yaml'), ['sources:', `  - { name: ${name}, dataset: contacts, kind: lake }`, ...sources].join('\n'));
  await writeFile(join(folder, 'people.csv'), ['id,email,full_name,phone,country,city',
    ...Array.from({ length: to - from }, (_, at) => at + from).map((i) => `k${i},${i % 7 === 0 ? '' : `p${i}@x.org`},${name} ${i},${name === 'near' ? '' : '+4930123456'},${i % 2 === 0 ? 'US' : 'DE'},Berlin`)].join('\n'));
  const service = await RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn', ...env }, folder);
  await ingest(join(folder, 'data'), name, join(folder, 'people.csv'));
  await until(async () => (await service.find({ type: 'contacts', sources: { only: [name] } })).json.total === to - from);
  return service;
}

const partner = (url: string): string => `  - { name: partner, dataset: contacts, kind: http, url: "${url}/v1/find", headers: { authorization: "Bearer \${PARTNER_KEY}" }, timeout_ms: 5000 }`;

describe('a gateway whose source is another gateway', () => {
  let far: RunningService;
  let near: RunningService;
  before(async () => {
    far = await gateway('far', 200, 500);
    near = await gateway('near', 0, 300, [partner(far.url)], { PARTNER_KEY: far.key });
    await until(async () => (await near.find(ALL)).json.partial === false);
  }, { timeout: 300_000 });
  after(async () => {
    await near.stop();
    await far.stop();
  });

  it('merges the rows of both: one row per identity, the first source standing, the other lending its fields', async () => {
    const { json } = await near.find(ALL);
    // Those whose number seven divides have no address, and are their own.
    const shared = Array.from({ length: 100 }, (_, i) => i + 200).filter((i) => i % 7 !== 0).length;
    assert.deepEqual([json.returned, json.total, json.total_relation, json.partial, json.warnings], [600 - shared, 600 - shared, 'eq', false, []]);
    const both = json.results.find(({ email }: Json) => email === 'p250@x.org');
    assert.deepEqual([both.id, both.full_name, both.phone, both.sources], ['near:k250', 'near 250', '+4930123456', ['near', 'partner']]);
    assert.equal(json.results.find(({ email }: Json) => email === 'p450@x.org').id, 'partner:far:k450');
    const counted = (await near.find({ type: 'contacts', filters: { country: ['US'], has_email: true }, sources: { only: ['partner'] }, limit: 5, facets: ['city', 'country'] })).json;
    assert.deepEqual([counted.total, counted.total_relation, counted.facets.city[0]], [129, 'eq', { value: 'Berlin', count: 129 }]);
    assert.deepEqual(counted.sources[0].filters, { pushed: ['country'], residual: ['has_email'], unsupported: [] });
  });

  it('keeps one order over pages of every size and through streams: a cursor never skips or repeats a row', async () => {
    for (const search of [{ dedupe: true }, { dedupe: false }, { sources: { only: ['partner'] } }]) {
      const whole = (await near.find({ ...ALL, ...search })).json.results.map(({ id }: Json) => id) as string[];
      for (const limit of [7, 64, 250]) {
        const walked: string[] = [];
        for (let cursor: string | null = null; ;) {
          const { json } = await near.find({ type: 'contacts', limit, ...search, ...(cursor === null ? {} : { cursor }) });
          assert.equal(json.partial, false);
          walked.push(...json.results.map(({ id }: Json) => id as string));
          cursor = json.next_cursor;
          if (cursor === null) break;
        }
        assert.deepEqual(walked, whole, JSON.stringify({ limit, ...search }));
      }
      const begun = await near.lines({ type: 'contacts', limit: 150, ...search });
      const rest = await near.lines({ type: 'contacts', cursor: begun.at(-1)['@end'].next_cursor, ...search });
      const ids = [...begun, ...rest].map((line) => line.id as string | undefined).filter((id) => id !== undefined);
      assert.deepEqual(ids.toSorted(), whole.toSorted(), JSON.stringify(search));
    }
  });

  it('pays over there for about the rows that a stream is asked for, and for no more of them', async () => {
    const paid = async (): Promise<number> => (await far.call('GET', '/v1/usage')).json.caps.daily.used;
    for (const search of [{ sources: { only: ['partner'] } }, { dedupe: true }]) {
      const before = await paid();
      const lines = await near.lines({ type: 'contacts', limit: 10, count: 'none', ...search });
      assert.equal(lines.at(-1)['@end'].returned, 10);
      assert.equal(await paid() - before, 1, JSON.stringify(search));
    }
  });

  it('tells of the other gateway as a source, and finds a row of it by its id', async () => {
    const { sources } = (await near.call('GET', '/v1/sources')).json;
    const told = sources.find(({ name }: Json) => name === 'partner');
    assert.deepEqual(
      [told.rows, told.status, told.countries, told.filters.city, told.filters.has_email, told.filters.industry],
      [300, 'ok', { US: 150, DE: 150 }, 'pushed', 'residual', 'unsupported'],
    );
    const found = (await near.find({ type: 'contacts', filters: { id: ['partner:far:k450', 'near:k1', 'far:k451'] } })).json;
    assert.deepEqual(found.results.map(({ id }: Json) => id), ['near:k1', 'partner:far:k450']);
  });

  it('answers with its own rows while the other is gone, says whose are missing and nothing of where they were, and heals', async () => {
    far.child.kill('SIGSTOP');
    try {
      const late = await near.find({ ...ALL, timeout_ms: 2_000 });
      assert.deepEqual([late.status, late.json.returned, late.json.partial, late.json.total_relation, late.json.errors], [200, 300, true, 'gte', ['partner: timed out']]);
      assert.ok(!late.text.includes(String(far.port)) && !late.text.includes(far.key));
    } finally {
      far.child.kill('SIGCONT');
    }
    await until(async () => (await near.find(ALL)).json.partial === false);
  });
});

describe('two gateways that ask each other', () => {
  it('end, each with the rows of both lakes that it can vouch for and the word that something is missing', async () => {
    const [portA, portB] = [await freePort(), await freePort()];
    const key = `lda_${'0'.repeat(32)}`;
    const admin = `${key}${checksum(key)}`;
    const env = { LDS_ADMIN_KEY: admin, PARTNER_KEY: admin };
    const a = await gateway('left', 0, 20, [partner(`http://127.0.0.1:${portB}`)], { ...env, LDS_PORT: String(portA) });
    const b = await gateway('right', 100, 120, [partner(`http://127.0.0.1:${portA}`)], { ...env, LDS_PORT: String(portB) });
    try {
      const hasAsked = async (gateway: typeof a): Promise<boolean> =>
        (await gateway.find(ALL)).json.sources.every(({ status }: Json) => status !== 'skipped');
      await until(async () => (await hasAsked(a)) && (await hasAsked(b)));
      const answer = await a.find(ALL);
      assert.deepEqual([answer.status, answer.json.partial, answer.json.returned], [200, true, 40]);
      assert.deepEqual(outcomes(answer), [['left', 'complete', null], ['partner', 'partial', 'the source itself answered in part']]);
      // A page that is full does not come to where the other side says it.
      const full = await a.find({ type: 'contacts', limit: 5, count: 'none', sources: { only: ['partner'] } });
      assert.deepEqual([full.json.returned, full.json.partial, full.json.warnings.length, full.json.errors.length], [5, true, 1, 1]);
      const direct = await a.call('POST', '/v1/find', { body: ALL, headers: { 'x-lds-hops': Array.from({ length: 20 }, (_, i) => `g${i}`).join(',') } });
      assert.deepEqual([direct.status, direct.json.error], [508, 'loop_detected']);
    } finally {
      await a.stop();
      await b.stop();
    }
  });
});
