import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import type { Check } from '../../src/cli/doctor/check.ts';
import { checkDatabase } from '../../src/cli/doctor/database.ts';
import { openStore } from '../../src/store/open.ts';
import { NO_PGBOUNCER, PgBouncer } from '../support/servers/pgbouncer.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';

test('a database that cannot be used is told by its place and reason, without name and password; without the setting there is nothing to tell', async () => {
  assert.deepEqual(await checkDatabase({ databaseUrl: null }), []);
  const [check, ...others] = await checkDatabase({ databaseUrl: 'postgres://jo:canary@127.0.0.1:1/accounts' });
  assert.deepEqual([check!.status, check!.name, others], ['fail', 'database', []]);
  assert.match(check!.detail, /^127\.0\.0\.1:1\/accounts cannot be used: connect ECONNREFUSED/);
  assert.ok(!JSON.stringify(check).includes('canary') && !JSON.stringify(check).includes('jo'));
});

test('of a database that takes whoever comes and says nothing, as a pooler without a session to spare, that is told', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => { silent.close(); });
  const [check] = await checkDatabase({ databaseUrl: `postgres://jo@127.0.0.1:${(silent.address() as AddressInfo).port}/accounts` });
  assert.deepEqual([check!.status, check!.detail.endsWith('timeout expired'), check!.advice!.includes('a pooler is to have sessions to spare, up to 12')], ['fail', true, true], check!.detail);
});

test('of a database that the server does not have it is told that it is to be made, or another named', { skip: NO_POSTGRES }, async (t) => {
  const server = await PostgresServer.start();
  t.after(() => server.stop());
  const [check] = await checkDatabase({ databaseUrl: server.url.replace(/postgres$/, 'nowhere') });
  assert.deepEqual([check!.status, check!.advice], ['fail', 'CREATE DATABASE there, or name another in LDS_DATABASE_URL']);
});

test('of a database whose tables a newer version made that is told, for no gateway of this one starts there', { skip: NO_POSTGRES }, async (t) => {
  const server = await PostgresServer.start(['fsync=on']);
  t.after(() => server.stop());
  await (await openStore({ dataDir: '', databaseUrl: server.url })).close();
  assert.equal((await checkDatabase({ databaseUrl: server.url }))[0]!.status, 'ok');
  await server.query('UPDATE lead_data_service.schema_version SET version = 99');
  await assert.rejects(openStore({ dataDir: '', databaseUrl: server.url }), /newer version/);
  const [check] = await checkDatabase({ databaseUrl: server.url });
  assert.deepEqual([check!.status, check!.advice], ['fail', 'use that version, or the backup of before'], check!.detail);
  assert.match(check!.detail, /\/postgres cannot be used: it was written by a newer version of this service \(schema 99; this one knows \d+\)$/);
});

test('of a database whose tables are those of another role it is told who should have them', { skip: NO_POSTGRES }, async (t) => {
  const server = await PostgresServer.start(['fsync=on']);
  t.after(() => server.stop());
  await (await openStore({ dataDir: '', databaseUrl: server.url })).close();
  await server.query('CREATE ROLE jo LOGIN; GRANT CREATE ON DATABASE postgres TO jo');
  for (const grant of ['SELECT', 'GRANT USAGE ON SCHEMA lead_data_service TO jo']) {
    await server.query(grant);
    const [check] = await checkDatabase({ databaseUrl: server.url.replace('tester:', 'jo:') });
    assert.deepEqual([check!.status, check!.advice!.includes('own the schema lead_data_service')], ['fail', true], check!.detail);
  }
});

test('of a database with few free connections that is told to a role that sees nothing of the sessions of others, too', { skip: NO_POSTGRES }, async (t) => {
  const server = await PostgresServer.start(['fsync=on']);
  t.after(() => server.stop());
  await server.query('CREATE ROLE jo LOGIN; GRANT CREATE ON DATABASE postgres TO jo');
  const others = Array.from({ length: 32 }, () => new pg.Client({ connectionString: server.url }).on('error', () => {}));
  t.after(() => Promise.all(others.map((client) => client.end())));
  for (const client of others) await client.connect();
  const [check] = await checkDatabase({ databaseUrl: server.url.replace('tester:', 'jo:') });
  // Of 40, three are for others.
  assert.match(check!.detail, /; its server has 5 connections free, and a gateway takes up to 12$/);
});

test('of a database whose role or database has too few connections that is told, and which of them grants so few', { skip: NO_POSTGRES }, async (t) => {
  const server = await PostgresServer.start(['fsync=on']);
  t.after(() => server.stop());
  await server.query('CREATE ROLE jo LOGIN CONNECTION LIMIT 11; GRANT CREATE ON DATABASE postgres TO jo');
  const told = async (): Promise<string> => {
    const [{ status, detail, advice }] = await checkDatabase({ databaseUrl: server.url.replace('tester:', 'jo:') }) as [Check];
    return `${status}: ${detail} (${advice})`;
  };
  assert.match(await told(), /^warn: .*; its role has 11 connections free, and a gateway takes up to 12 \(raise CONNECTION LIMIT of the role \(ALTER ROLE\)\)$/);
  await server.query('ALTER DATABASE postgres CONNECTION LIMIT 5');
  assert.match(await told(), /^warn: .*; its database has 5 connections free, .* \(raise CONNECTION LIMIT of the database \(ALTER DATABASE\)\)$/);
  await server.query('ALTER DATABASE postgres CONNECTION LIMIT 0');
  assert.match(await told(), /^fail: .*too many connections for database "postgres" \(raise max_connections, or the CONNECTION LIMIT of the database or the role/);
  await server.query('ALTER DATABASE postgres CONNECTION LIMIT -1; ALTER ROLE jo CONNECTION LIMIT 12');
  assert.match(await told(), /^ok: /);
});

test('of a pooler that lends its sessions in turn it is told that nothing would be kept, whatever else they are set to', { skip: NO_POSTGRES || NO_PGBOUNCER }, async (t) => {
  const server = await PostgresServer.start(['fsync=on']);
  t.after(() => server.stop());
  for (const [mode, status] of [['transaction', 'fail'], ['session', 'ok']] as const) {
    for (const inTurn of [0, 1]) {
      const pooler = await PgBouncer.start(server, [`pool_mode = ${mode}`, `server_round_robin = ${inTurn}`]);
      t.after(() => pooler.stop());
      const [check] = await checkDatabase({ databaseUrl: pooler.url });
      assert.equal(check!.status, status, check!.detail);
      if (status === 'ok') continue;
      assert.match(check!.detail, /through a pooler that lends one session to several/);
      assert.match(check!.advice!, /pool_mode = session in PgBouncer/);
    }
  }
});
