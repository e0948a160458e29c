import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import { checkDatabase } from '../../src/cli/doctor/database.ts';
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

test('of a database with few free connections that is told to a role that sees nothing of the sessions of others, too', { skip: NO_POSTGRES }, async (t) => {
  const server = await PostgresServer.start(['fsync=on']);
  t.after(() => server.stop());
  await server.query('CREATE ROLE jo LOGIN; GRANT CREATE ON DATABASE postgres TO jo');
  const others = Array.from({ length: 32 }, () => new pg.Client({ connectionString: server.url }).on('error', () => {}));
  t.after(() => Promise.all(others.map((client) => client.end())));
  for (const client of others) await client.connect();
  const [check] = await checkDatabase({ databaseUrl: server.url.replace('tester:', 'jo:') });
  assert.match(check!.detail, /, with 7 free connections; a gateway takes up to 12$/);
});
