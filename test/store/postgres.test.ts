import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import pg from 'pg';
import { checkDatabase } from '../../src/cli/doctor/database.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { nextTurn } from '../../src/lib/turns.ts';
import { openStore } from '../../src/store/open.ts';
import { migrate, MIGRATIONS } from '../../src/store/postgres/migrations.ts';
import type { Store } from '../../src/store/store.ts';
import { account, batch, key } from '../contract/store/store_suite.ts';
import { FaultProxy, NO_FAULT } from '../support/fault_proxy.ts';
import { rest } from '../support/odd_worker.ts';
import { Relay } from '../support/relay.ts';
import { pause } from '../support/runners.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { inTime } from '../support/until.ts';

const ALL = { afterId: null, rowsMax: 1_000 };

async function eventually<T>(ask: () => Promise<T>, enough: (answer: T) => boolean): Promise<T> {
  for (const endMs = performance.now() + 60_000; ; await pause(20)) {
    const answer = await ask();
    if (enough(answer)) return answer;
    assert.ok(performance.now() < endMs, 'not within a minute');
  }
}

const succeeds = (act: () => Promise<unknown>): Promise<boolean> => act().then(() => true, (error: { code?: string }) => {
  assert.equal(error.code, 'store_unavailable', String(error));
  return false;
});

describe('a store on PostgreSQL', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  before(async () => { server = await PostgresServer.start(); });
  after(() => server.stop());

  async function opened(t: TestContext, databaseUrl: string): Promise<Store> {
    const store = await openStore({ dataDir: '/nowhere', databaseUrl });
    t.after(() => store.close());
    return store;
  }

  const told = (databaseUrl: string, text: string) => server.query(text, [], databaseUrl);

  test('is made once, however many gateways start at the same time', async (t) => {
    const url = await server.database();
    const stores = await Promise.all(Array.from({ length: 6 }, () => opened(t, url)));
    await stores[0]!.addAccount(account('a'));
    for (const store of stores) assert.equal((await store.accounts(ALL)).length, 1);
    assert.deepEqual(await told(url, 'SELECT version FROM lead_data_service.schema_version'), [{ version: String(MIGRATIONS.length) }]);
  });

  test('of a newer version is refused and left as it is, and a migration that fails leaves nothing', async (t) => {
    const url = await server.database();
    await migrate(url, ['CREATE TABLE one (n int)']);
    await assert.rejects(migrate(url, ['', 'CREATE TABLE two (n int); CREATE TABLE two (n int)']), /already exists/);
    const tables = `SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'lead_data_service' AND relkind = 'r' ORDER BY 1`;
    assert.deepEqual(await told(url, tables), [{ relname: 'one' }, { relname: 'schema_version' }]);
    await migrate(url, ['', 'CREATE TABLE two (n int)']);
    assert.deepEqual((await told(url, tables)).length, 3);
    const newer = await server.database();
    await (await opened(t, newer)).close();
    await told(newer, `UPDATE lead_data_service.schema_version SET version = ${MIGRATIONS.length + 1}`);
    await assert.rejects(openStore({ dataDir: '/nowhere', databaseUrl: newer }), /written by a newer version of this service/);
  });

  test('that cannot be reached at the start is told by its place and reason, without name and password', async () => {
    const nobody = `postgres://tester:secret@127.0.0.1:1/accounts`;
    await assert.rejects(openStore({ dataDir: '/nowhere', databaseUrl: nobody }), (error) =>
      error instanceof Error && /^the store on PostgreSQL at 127\.0\.0\.1:1\/accounts cannot be opened: .*ECONNREFUSED/.test(error.message) && !error.message.includes('secret'));
    await assert.rejects(openStore({ dataDir: '/nowhere', databaseUrl: `${server.url}_missing` }), /database "postgres_missing" does not exist/);
  });

  test('that is slow to take the first connection is waited for at the start, and by the doctor', async (t) => {
    const proxy = await FaultProxy.start(server.port);
    t.after(() => proxy.close());
    await proxy.set({ kind: 'blackhole' });
    const url = new URL(await server.database());
    url.port = String(proxy.port);
    const opening = opened(t, url.href);
    const checking = checkDatabase({ databaseUrl: url.href });
    await pause(LIMITS.databaseConnectMs + 500);
    await proxy.set(NO_FAULT);
    assert.equal((await (await opening).accounts(ALL)).length, 0);
    assert.notEqual((await checking)[0]!.status, 'fail');
  });

  test('whose tables somebody holds is waited for, which is told, and given up with what to do about it', async (t) => {
    const url = await server.database();
    await (await opened(t, url)).close();
    const holder = new pg.Client(url);
    await holder.connect();
    t.after(() => holder.end());
    let waits = 0;
    const start = (migrations: readonly string[]) => migrate(url, migrations, { onWait: () => { waits += 1; }, lockMs: 300 });
    for (const [hold, migrations] of [['LOCK TABLE lead_data_service.schema_version', MIGRATIONS], ['SELECT pg_advisory_xact_lock(x\'6c6561645f64\'::bigint)', [...MIGRATIONS, '']]] as const) {
      waits = 0;
      await holder.query(`BEGIN; ${hold}`);
      await assert.rejects(start(migrations), /^Error: another session has held a lock on its tables for 0\.3 s: pg_locks and pg_stat_activity tell which; end it, or wait for it, and start again$/);
      assert.equal(waits, 1, hold);
      await holder.query('ROLLBACK');
    }
    await start(MIGRATIONS);
    assert.equal(waits, 1, 'and nobody is waited for any more');
  });

  test('is not taken for silent where this process was held up while the answer came', async (t) => {
    const store = await opened(t, await server.database());
    // From here on there is a connection.
    await store.accounts(ALL);
    const asked = store.keyByDigest(Buffer.alloc(32));
    await nextTurn();
    rest(LIMITS.databaseHotMs + 1_000);
    assert.equal(await asked, null);
  });

  test('waits for the disk also where the database was told not to', async (t) => {
    const url = await server.database();
    await told(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    const store = await opened(t, url);
    await store.addAccount(account('a'));
    await told(url, `CREATE TABLE seen (value text); CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
      CREATE TRIGGER note AFTER INSERT ON lead_data_service.keys FOR EACH STATEMENT EXECUTE FUNCTION note();
      CREATE TRIGGER note AFTER INSERT ON lead_data_service.usage FOR EACH STATEMENT EXECUTE FUNCTION note()`);
    await store.addKey(key('k', 'a'));
    await store.addUsage(batch([{ day: 1, accountId: 'a', keyId: 'k', endpoint: 'find', requests: 1, units: 1 }]));
    assert.deepEqual(await told(url, 'SELECT value FROM seen'), [{ value: 'on' }, { value: 'off' }]);
  });

  test('tells of an account that is deleted while somebody who would have made it looks at it', async (t) => {
    const url = await server.database();
    const store = await opened(t, url);
    await store.addAccount(account('a'));
    await told(url, `CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN DELETE FROM lead_data_service.accounts; RETURN NULL; END $$;
      CREATE TRIGGER leave AFTER INSERT ON lead_data_service.accounts FOR EACH STATEMENT EXECUTE FUNCTION leave()`);
    await assert.rejects(store.addAccount(account('a')), { code: 'conflict' });
  });

  test('refuses a text with a NUL, which PostgreSQL cannot keep, by its name, and goes on', async (t) => {
    const store = await opened(t, await server.database());
    await assert.rejects(store.keys('a\0', ALL), { code: 'invalid_field' });
    await assert.rejects(store.addAccount(account('a\0')), { code: 'invalid_field' });
    assert.deepEqual(await store.accounts(ALL), []);
  });

  test('goes on at once when the server ended its idle connections', async (t) => {
    const url = await server.database();
    const store = await opened(t, url);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => store.accounts(ALL)));
      await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, [new URL(url).pathname.slice(1)]);
      if (round % 2 === 0) await store.addAccount(account(`a${round}`));
      else await store.accounts(ALL);
    }
    assert.equal((await store.accounts(ALL)).length, 3);
  });

  test('tells of a write whose acknowledgement was cut off as a failure, and adds a batch of usage that was given again once', async (t) => {
    const url = await server.database();
    const relay = await Relay.to(server.port);
    t.after(() => relay.close());
    const store = await opened(t, url.replace(`:${server.port}/`, `:${relay.port}/`));
    await store.addAccount(account('a'));
    relay.cutAfter = (sent) => sent.includes('COMMIT');
    await assert.rejects(store.addKey(key('k', 'a')), { code: 'store_unavailable', retryAfter: 1 });
    const given = batch([{ day: 1, accountId: 'a', keyId: 'k', endpoint: 'find', requests: 1, units: 7 }]);
    await assert.rejects(store.addUsage(given), { code: 'store_unavailable' });
    const direct = await opened(t, url);
    await eventually(() => direct.unitsOn(1), (units) => units.get('a') === 7);
    assert.equal((await direct.keys(null, ALL)).length, 1, 'all of it was done');
    relay.cutAfter = () => false;
    await store.addUsage(given);
    assert.deepEqual(await store.unitsOn(1), new Map([['a', 7]]));
  });

  test('takes back all of a write that was cut off before its end', async (t) => {
    const url = await server.database();
    const relay = await Relay.to(server.port);
    t.after(() => relay.close());
    const store = await opened(t, url.replace(`:${server.port}/`, `:${relay.port}/`));
    await store.addAccount(account('a'));
    await store.addKey(key('k', 'a'));
    relay.cutAfter = (sent) => sent.includes('next');
    await assert.rejects(store.replaceKey('k', { nowMs: 1, endsMs: 2, next: key('next', 'a'), livingMax: 20 }), { code: 'store_unavailable' });
    relay.cutAfter = () => false;
    assert.deepEqual((await store.keys(null, ALL)).map(({ id, endsMs }) => [id, endsMs]), [['k', null]]);
    assert.equal(await store.replaceKey('k', { nowMs: 1, endsMs: 2, next: key('next', 'a'), livingMax: 20 }), 'replaced', 'and holds nothing back');
  });

  test('waits for a table that somebody holds no longer than for any answer', async (t) => {
    const url = await server.database();
    const store = await opened(t, url);
    const holder = new pg.Client(url);
    await holder.connect();
    t.after(() => holder.end());
    await holder.query('BEGIN; LOCK TABLE lead_data_service.usage, lead_data_service.suppressions');
    const asked = [store.usage('a', 1, 2), store.unitsOn(1), store.suppressionCounts()].map((one) => succeeds(() => one));
    assert.deepEqual(await inTime(Promise.all(asked), LIMITS.databaseLongMs / 2), [false, false, false]);
    await holder.query('ROLLBACK');
    assert.deepEqual(await store.usage('a', 1, 2), []);
  });

  test('tells what another process changed within moments, also after its connections were lost', async (t) => {
    const url = await server.database();
    const [store, other] = [await opened(t, url), await opened(t, url)];
    const heard = { keys: 0, suppressions: 0 };
    store.onChange('keys', () => { heard.keys += 1; });
    store.onChange('suppressions', () => { heard.suppressions += 1; });
    await eventually(async () => ({ ...heard }), ({ keys, suppressions }) => keys > 0 && suppressions > 0);
    await other.addAccount(account('a'));
    await other.addKey(key('k', 'a'));
    for (let round = 0; round < 2; round += 1) {
      const before = { ...heard };
      await other.endKey('k', 900 - round);
      await eventually(async () => heard.keys, (times) => times > before.keys);
      await other.addSuppressions([{ kind: 'domain', digest: Buffer.alloc(32, round), value: `${round}.org` }], 1);
      await eventually(async () => heard.suppressions, (times) => times > before.suppressions);
      await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, [new URL(url).pathname.slice(1)]);
      const lost = { ...heard };
      await eventually(async () => heard.keys, (times) => times > lost.keys);
    }
  });
});

describe('a store on a PostgreSQL that takes few connections', { skip: NO_POSTGRES }, () => {
  test('waits for one that it has itself, and refuses where others keep them all', async (t) => {
    const server = await PostgresServer.start(['max_connections=5', 'superuser_reserved_connections=0']);
    t.after(() => server.stop());
    const store = await openStore({ dataDir: '/nowhere', databaseUrl: server.url });
    t.after(() => store.close());
    const names = Array.from({ length: 20 }, (_, at) => `a${at}`);
    await Promise.all(names.map((name) => store.addAccount(account(name))));
    assert.equal((await store.accounts(ALL)).length, names.length);
    await store.close();
    // A server lets a connection go some time after it was closed.
    await eventually(() => checkDatabase({ databaseUrl: server.url }), ([check]) => check!.status === 'warn' && check!.advice === 'turn fsync on');
    for (let held = 0; held < 5; held += 1) {
      await eventually(() => {
        const other = new pg.Client(server.url);
        other.on('error', () => {});
        return other.connect().then(() => true, () => false);
      }, (connected) => connected);
    }
    await assert.rejects(openStore({ dataDir: '/nowhere', databaseUrl: server.url }), /too many clients already/);
    const [crowded] = await checkDatabase({ databaseUrl: server.url });
    assert.deepEqual([crowded!.status, /too many clients/.test(crowded!.detail), crowded!.advice], ['fail', true, 'raise max_connections, or the CONNECTION LIMIT of the database or the role, or end what else is connected']);
  });

  test('and no changes is told by the doctor', async (t) => {
    const server = await PostgresServer.start(['default_transaction_read_only=on']);
    t.after(() => server.stop());
    const [check] = await checkDatabase({ databaseUrl: server.url });
    assert.deepEqual([check!.status, check!.detail.endsWith('and takes no changes'), /default_transaction_read_only/.test(check!.advice!)], ['fail', true, true]);
  });
});

describe('a store on a PostgreSQL that fails', { skip: NO_POSTGRES }, () => {
  test('answers store_unavailable while the server is away, and heals when it is back', async (t) => {
    const server = await PostgresServer.start();
    t.after(() => server.stop());
    const store = await openStore({ dataDir: '/nowhere', databaseUrl: server.url });
    t.after(() => store.close());
    await store.addAccount(account('a'));
    await server.crash();
    assert.equal(await succeeds(() => store.accountById('a')), false);
    assert.equal(await succeeds(() => store.addAccount(account('b'))), false);
    await server.resume();
    await eventually(() => succeeds(() => store.addAccount(account('b'))), Boolean);
    assert.deepEqual((await store.accounts(ALL)).map(({ id }) => id), ['a', 'b']);
  });

  test('gives up on a server that hangs, and heals when it goes on', async (t) => {
    const server = await PostgresServer.start();
    t.after(() => server.stop());
    const store = await openStore({ dataDir: '/nowhere', databaseUrl: server.url });
    t.after(() => store.close());
    await store.addAccount(account('a'));
    // Connections that are made meanwhile are given up on at once: these are there.
    await Promise.all(Array.from({ length: LIMITS.databaseConnectionsMax }, () => store.accounts(ALL)));
    server.signal('SIGSTOP');
    const asked = [
      store.revision(), store.keyByDigest(Buffer.alloc(32)), store.addAccount(account('b')),
      // Long lists are waited for, but not from a server that says nothing at all.
      store.usage('a', 1, 2), store.addSuppressions([{ kind: 'domain', digest: Buffer.alloc(32), value: 'x.org' }], 1),
    ];
    const given = await inTime(Promise.all(asked.map((one) => succeeds(() => one))), LIMITS.databaseLongMs / 2);
    assert.deepEqual(given, [false, false, false, false, false]);
    server.signal('SIGCONT');
    await eventually(() => succeeds(() => store.addAccount(account('c'))), Boolean);
    assert.ok((await store.accounts(ALL)).some(({ id }) => id === 'c'));
  });
});
