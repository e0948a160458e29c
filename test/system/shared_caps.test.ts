import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { dayOf } from '../../src/lib/day.ts';
import { UsageCounter } from '../../src/accounts/usage.ts';
import type { PlanName } from '../../src/model/account.ts';
import { openStore } from '../../src/store/open.ts';
import { pause } from '../support/runners.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { NO_REDIS, RedisServer } from '../support/servers/redis.ts';
import { type Answer, RunningService } from './service.ts';

const CALLERS = 64;
const TRIES = 5;

/** As if the account had used so much earlier in the day. */
async function spend(databaseUrl: string, email: string, units: number): Promise<void> {
  const store = await openStore({ dataDir: '', databaseUrl });
  const usage = new UsageCounter(store);
  const { id: accountId } = (await store.accountByEmail(email))!;
  usage.count({ accountId, keyId: 'earlier' }, 'validate', dayOf(Date.now()), 1, units);
  await usage.flush();
  await store.close();
}

describe('two gateways that share PostgreSQL and Redis', { skip: NO_REDIS || NO_POSTGRES }, () => {
  let redis: RedisServer;
  let postgres: PostgresServer;
  let gateways: readonly RunningService[];
  let adminKey: string;
  let networks = 0;

  before(async () => {
    [redis, postgres] = await Promise.all([RedisServer.start(), PostgresServer.start()]);
    const env = { LDS_REDIS_URL: redis.url, LDS_DATABASE_URL: postgres.url, LDS_TRUSTED_PROXIES: '127.0.0.1' };
    const first = await RunningService.overDemo(env);
    // One demonstration lake does for all.
    gateways = [first, await RunningService.start(env, first.folder)];
    adminKey = await gateways[0]!.createKey('operator@localhost', 'unlimited', 'admin');
  });
  after(async () => {
    for (const gateway of gateways.toReversed()) await gateway.stop(gateway !== gateways[0]);
    await Promise.all([redis.stop(), postgres.stop()]);
  });

  const metric = async (gateway: RunningService, name: string): Promise<number> => {
    const { text } = await gateway.call('GET', '/metrics', { key: adminKey });
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)![1]);
  };
  const missed = async (): Promise<number> => (await Promise.all(gateways.map((gateway) => metric(gateway, 'lds_shared_caps_missed_total')))).reduce((sum, one) => sum + one, 0);
  const fresh = (plan: PlanName): Promise<string> => gateways[0]!.createKey(`${plan}${(networks += 1)}@localhost`, plan);
  const health = async (gateway: RunningService) => (await gateway.call('GET', '/health', { key: null })).json;
  const sharing = async (): Promise<void> => { for (const gateway of gateways) while ((await health(gateway)).components.redis.status !== 'ok') await pause(20); };

  /** A machine may hold a gateway up for longer than it waits for Redis; it says so, and then the promise is not that of shared caps. */
  const shared = async (act: () => Promise<void>): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      await sharing();
      const sofar = await missed();
      try {
        return await act();
      } catch (error) {
        if (tries === TRIES || await missed() === sofar) throw error;
      }
    }
  };
  /** All callers at once, each by turns at both gateways, until `act` has had enough. */
  const storm = (act: (gateway: RunningService) => Promise<boolean>): Promise<unknown> => Promise.all(Array.from({ length: CALLERS }, async (_, caller) => {
    for (let turn = caller; await act(gateways[turn % gateways.length]!); turn += 1);
  }));
  const capOf = ({ json }: Answer): string => /^The (daily|minute|umbrella)/.exec((json as { detail: string }).detail)![1]!;

  test('let 600 calls of 64 parallel callers through in a minute, and no more', () => shared(async () => {
    const key = await fresh('standard');
    let granted = 0;
    await storm(async (gateway) => {
      const answer = await gateway.call('GET', '/v1/sources', { key });
      if (answer.status === 200) granted += 1;
      else assert.equal(answer.status, 429);
      return answer.status === 200 || capOf(answer) === 'umbrella';
    });
    assert.equal(granted, 600);
  }));

  test('charge an account its day’s budget and not a unit more', () => shared(async () => {
    const email = `spender${(networks += 1)}@localhost`;
    const key = await gateways[0]!.createKey(email, 'standard');
    await spend(postgres.url, email, 990_000);
    const body = { emails: Array.from({ length: 1_000 }, (_, at) => `jo${at}@example.com`), stages: ['syntax'] };
    let charged = 0;
    await storm(async (gateway) => {
      const answer = await gateway.call('POST', '/v1/email/validate', { key, body });
      if (answer.status === 200) charged += Number(answer.headers.get('x-units-charged'));
      else assert.equal(answer.status, 429);
      const over = answer.status === 429 && capOf(answer) === 'daily' && answer.json.retry_after > 1;
      if (answer.status === 429 && !over) await pause(answer.json.retry_after * 1_000);
      return !over;
    });
    assert.equal(charged, 10_000);
    for (const gateway of gateways) assert.equal((await gateway.call('GET', '/v1/usage', { key })).json.caps.daily.used, 1_000_000);
  }));

  test('let a visitor of the playground in twenty times of 64 at once', () => shared(async () => {
    const headers = { 'x-forwarded-for': `192.0.2.${(networks += 1)}` };
    const answers = await Promise.all(Array.from({ length: CALLERS }, (_, call) => gateways[call % 2]!.call('GET', '/playground/sources', { key: null, headers })));
    assert.deepEqual([200, 429].map((status) => answers.filter((answer) => answer.status === status).length), [20, CALLERS - 20]);
  }));

  for (const [loss, lose, restore] of [
    ['hangs', () => redis.signal('SIGSTOP'), () => redis.signal('SIGCONT')],
    ['is killed', () => redis.crash(), () => redis.resume()],
  ] as const) {
    test(`go on under caps of their own while Redis ${loss}, tell it in /health, and share again when it is back`, async () => {
      const key = await fresh('preview');
      await sharing();
      await lose();
      const headers = { 'x-forwarded-for': `192.0.2.${(networks += 1)}` };
      for (const gateway of gateways) {
        for (let call = 0; call < 30; call += 1) assert.equal((await gateway.call('GET', '/v1/sources', { key })).status, 200);
        assert.equal(capOf(await gateway.call('GET', '/v1/sources', { key })), 'minute');
        assert.equal((await gateway.call('GET', '/playground/sources', { key: null, headers })).status, 503);
        const { status, components } = await health(gateway);
        assert.deepEqual([status, components.redis.status], ['degraded', 'degraded']);
        assert.match(components.redis.detail, /unreachable/);
        assert.equal(await metric(gateway, 'lds_shared_caps_reachable'), 0);
      }
      await restore();
      await sharing();
      for (const gateway of gateways) assert.equal((await gateway.call('GET', '/playground/sources', { key: null, headers })).status, 200);
    });
  }

  test('give the places of a gateway that is killed back after its lease', () => shared(async () => {
    const doomed = await RunningService.start({ LDS_REDIS_URL: redis.url, LDS_DATABASE_URL: postgres.url }, gateways[0]!.folder);
    try {
      const key = await fresh('preview');
      // Nobody reads them: they stand still, in flight.
      const streams = await Promise.all(Array.from({ length: 8 }, () => fetch(`${doomed.url}/v1/find`, {
        method: 'POST', headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' }, body: '{"type":"contacts"}',
      })));
      assert.deepEqual(streams.map(({ status }) => status), Array.from({ length: 8 }, () => 200));
      assert.equal(capOf(await gateways[0]!.call('GET', '/v1/sources', { key })), 'umbrella');
      doomed.child.kill('SIGKILL');
      const killedMs = performance.now();
      for (;;) {
        const answer = await gateways[0]!.call('GET', '/v1/sources', { key });
        if (answer.status === 200) break;
        assert.equal(capOf(answer), 'umbrella');
        assert.ok(performance.now() - killedMs < 20_000, 'the places came back');
        await pause(200);
      }
      for (const { body } of streams) await body!.cancel().catch(() => {});
    } finally {
      await doomed.stop(true);
    }
  }));
});
