import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { mintKey } from '../../src/accounts/key.ts';
import { until } from '../support/until.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { RunningService, type Json } from './service.ts';

const ADMIN_KEY = mintKey('admin');
const ALL = { type: 'contacts', limit: 100 };

/** Fifty people in a lake of its own. */
async function ingest(service: RunningService): Promise<void> {
  const file = join(service.folder, 'crm.csv');
  const rows = Array.from({ length: 50 }, (_, i) => `c${i},p${i}@x.org,Crm ${i},US`);
  await writeFile(file, ['id,email,full_name,country', ...rows].join('\n'));
  await service.ingest('crm', file);
}

/** A second, and as much again for a call that a busy machine answers late. */
const SECOND_MS = 2_000;

describe('two gateways over one PostgreSQL', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  let one: RunningService;
  let two: RunningService;

  before(async () => {
    server = await PostgresServer.start();
    const serve = () => RunningService.start({ LDS_DATABASE_URL: server.url, LDS_DEMO: '0', LDS_ADMIN_KEY: ADMIN_KEY, LDS_LOG_LEVEL: 'warn' });
    [one, two] = await Promise.all([serve(), serve()]);
    for (const service of [one, two]) await ingest(service);
    for (const service of [one, two]) await until(async () => (await service.find(ALL)).json?.total === 50, 10_000);
  }, { timeout: 300_000 });
  after(async () => {
    await Promise.all([one.stop(), two.stop()]);
    await server.stop();
  });

  const admin = (service: RunningService, method: string, path: string, body?: unknown) => service.call(method, path, { body, key: ADMIN_KEY });

  it('know the same keys, and a key that one of them revokes is dead on the other within a second', async () => {
    const made = await admin(one, 'POST', '/admin/keys', { account: 'jo@example.com', plan: 'unlimited' });
    const { id, key } = made.json as { id: string; key: string };
    assert.equal((await one.find(ALL, { key })).status, 200);
    assert.equal((await two.find(ALL, { key })).status, 200);
    assert.equal((await admin(one, 'DELETE', `/admin/keys/${id}`)).status, 204);
    for (const service of [two, one]) await until(async () => (await service.find(ALL, { key })).status === 401, SECOND_MS);
    for (let calls = 0; calls < 20; calls += 1) assert.equal((await two.find(ALL, { key })).status, 401);
  });

  it('hide what is suppressed through the other within a second, and show it again', async () => {
    assert.equal((await admin(one, 'POST', '/admin/suppressions', { email: ['p7@x.org'] })).status, 200);
    assert.equal((await one.find(ALL)).json.total, 49, 'at once where it was asked for');
    await until(async () => (await two.find(ALL)).json.total === 49, SECOND_MS);
    assert.ok((await two.find(ALL)).json.results.every((row: Json) => row.email !== 'p7@x.org'));
    assert.equal(two.lds('suppress', 'remove', 'p7@x.org').code, 0);
    for (const service of [one, two]) await until(async () => (await service.find(ALL)).json.total === 50, SECOND_MS);
  });

  it('add up what a key used on each', async () => {
    const key = one.lds('keys', 'create', '--account', 'sum@example.com', '--plan', 'standard').out.trim();
    await Promise.all([one, one, two].flatMap((service) => Array.from({ length: 10 }, () => service.find(ALL, { key }))));
    const { json: { accounts } } = await admin(two, 'GET', '/admin/accounts');
    const { id } = accounts.find(({ email }: Json) => email === 'sum@example.com');
    for (const service of [one, two]) {
      await until(async () => {
        const own = (await service.call('GET', '/v1/usage', { key })).json;
        const { json: { usage } } = await admin(service, 'GET', '/admin/usage?by=account');
        const sum = usage.find((row: Json) => row.account_id === id);
        return own.days.at(-1)?.endpoints.find?.requests === 30 && own.days.at(-1).units === 30 && sum?.units === 30;
      }, 5_000);
    }
  });

  it('answer 503 while the database is away and say so, and go on when it is back', async () => {
    const key = await one.createKey('late@example.com', 'unlimited');
    assert.equal((await one.find(ALL, { key })).status, 200);
    await server.crash();
    const refusal = async () => {
      const answer = await one.find(ALL, { key });
      assert.ok(answer.status === 200 || answer.status === 503, String(answer.status));
      return answer.status === 503;
    };
    await until(refusal, 5_000);
    const { status, headers, json } = await one.find(ALL, { key });
    assert.deepEqual([status, json.error, headers.get('retry-after')], [503, 'store_unavailable', '1']);
    await until(async () => (await one.call('GET', '/health', { key: null })).json.components.store.status === 'down', 5_000);
    assert.equal((await one.call('GET', '/health', { key: null })).status, 200);
    assert.equal((await one.find(ALL, { key: ADMIN_KEY })).status, 200, 'the key of the setting needs no store');
    const metrics = (await admin(one, 'GET', '/metrics')).text;
    assert.deepEqual(['store', 'crm', 'workers'].map((component) => new RegExp(`^lds_component_up\\{component="${component}"\\} (.*)$`, 'm').exec(metrics)?.[1]), ['0', '1', '1']);
    assert.equal((await admin(two, 'POST', '/admin/suppressions', { email: ['p8@x.org'] })).status, 503);
    await server.resume();
    for (const service of [one, two]) {
      await until(async () => (await service.find(ALL, { key })).status === 200, 5_000);
      await until(async () => {
        const { components } = (await service.call('GET', '/health', { key: null })).json;
        return components.store.status === 'ok' && components.suppressions.status === 'ok';
      }, 5_000);
    }
    assert.equal((await one.find(ALL)).json.total, 50, 'what was refused was not done');
  });

  it('are served by the commands, and without a database neither start nor tell of its password', async () => {
    const doctor = one.lds('doctor', '--json');
    const { checks } = JSON.parse(doctor.out) as { checks: { name: string; status: string; detail: string }[] };
    const found = checks.find(({ name }) => name === 'database')!;
    assert.deepEqual([found.status, /PostgreSQL \d+.* fsync off/.test(found.detail)], ['warn', true], found.detail);
    assert.match(two.lds('invites', 'create').out, /^ldi_/);
    assert.equal(JSON.parse(one.lds('invites', 'list', '--json').out).length, 1);
    assert.match(two.lds('accounts').out, /sum@example\.com/);
    const nobody = new URL(server.url);
    nobody.port = '1';
    const refused = await RunningService.start({ LDS_DATABASE_URL: nobody.href }).then(() => null, (error: Error) => error.message);
    assert.match(refused!, /the service ended with 1: .*the store on PostgreSQL at 127\.0\.0\.1:1\/postgres cannot be opened: connect ECONNREFUSED/s);
    assert.ok(!refused!.includes('secret'));
  });
});
