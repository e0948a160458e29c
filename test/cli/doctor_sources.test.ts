import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import type { Check } from '../../src/cli/doctor/check.ts';
import { checkSources } from '../../src/cli/doctor/sources.ts';
import { loadConfig } from '../../src/config/load.ts';
import { roomFor } from '../../src/sources/postgres/room.ts';
import { pause } from '../support/runners.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { NO_PGBOUNCER, PgBouncer } from '../support/servers/pgbouncer.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';

const BASE = { name: 'registry', dataset: 'contacts', table: 'people', columns: {}, compared: {} } as const;

async function checked(kind: 'postgres' | 'clickhouse', url: string, concurrency?: number): Promise<Check> {
  const [check] = await checkSources({ ...loadConfig({}, () => ''), sources: [{ ...BASE, kind, url, concurrency }] }, true);
  assert.equal(check!.status, 'fail');
  return check!;
}

/** In the words of the protocol: you are let in, and: go on. */
const LET_IN = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

test('of a pooler that lets everybody in and has no session to spare, the doctor tells how many there are to be', async (t) => {
  const pooler = createServer((socket) => {
    socket.once('data', () => socket.write(LET_IN));
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  t.after(() => { pooler.close(); });
  const { detail, advice } = await checked('postgres', `postgres://jo@127.0.0.1:${(pooler.address() as AddressInfo).port}/leads`, 16);
  assert.match(detail, /Query read timeout/);
  assert.match(advice!, /a pooler is to have sessions to spare, up to 32 for each gateway/);
});

test('of what PgBouncer says by its one code the doctor tells what is to be done about that', async (t) => {
  for (const [said, code, remedy] of [
    ['password authentication failed', 'unreachable', /^its url is to name a role/],
    ['no such database: leads', 'unreachable', /^its url is to name a database that is there/],
    ['database "leads" does not exist', 'unreachable', /^its url is to name a database that is there/],
    ['no such user', 'unreachable', /^its url is to name a role/],
    ['server login has been failing, cached error: password authentication failed for user "pool" (server_login_retry)', 'unreachable', /^the pooler is there, and is not let in by the server behind it/],
    ['server login failed: FATAL database "leads" does not exist', 'unreachable', /^the pooler is there, and is not let in by the server behind it/],
    ['SSL required', 'unreachable', /add sslmode=verify-full to the url/],
    ['no more connections allowed (max_client_conn)', 'overloaded', /^it is there, and has no room for now/],
    ['client connections exceeded (max_user_client_connections)', 'overloaded', /^it is there, and has no room for now/],
    ['query_wait_timeout', 'overloaded', /^it is there, and has no room for now/],
  ] as const) {
    const fields = Buffer.from(`SFATAL\0C08P01\0M${said}\0\0`);
    const head = Buffer.from([0x45, 0, 0, 0, 4 + fields.length]);
    const pooler = createServer((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([head, fields])));
      socket.on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(pooler, 'listening');
    t.after(() => { pooler.close(); });
    const { detail, advice } = await checked('postgres', `postgres://jo@127.0.0.1:${(pooler.address() as AddressInfo).port}/leads`);
    assert.ok(detail.includes(`(${code}: 08P01 ${said})`), detail);
    assert.match(advice!, remedy);
  }
});

test('of a role that PostgreSQL does not let in, of a database or a table that it does not have, and where it has no connection left, the doctor tells what is to be done about that', { skip: NO_POSTGRES }, async (t) => {
  const server = await PostgresServer.start();
  t.after(() => server.stop());
  const { detail, advice } = await checked('postgres', server.url.replace('tester:', 'nobody:'));
  assert.match(detail, /unreachable: 28000 role "nobody" does not exist/);
  assert.match(advice!, /^its url is to name a role that may log in from here, with the right password/);
  await server.query('CREATE ROLE jo LOGIN CONNECTION LIMIT 0');
  const elsewhere = await checked('postgres', server.url.replace(/postgres$/, 'nowhere'));
  assert.match(elsewhere.detail, /unreachable: 3D000 database "nowhere" does not exist/);
  assert.match(elsewhere.advice!, /^its url is to name a database that is there/);
  const { advice: tableless } = await checked('postgres', server.url);
  assert.match(tableless!, /^its table is to be one of that database, after its schema/);
  const crowded = await checked('postgres', server.url.replace('tester:', 'jo:'));
  assert.match(crowded.detail, /overloaded: 53300/);
  assert.match(crowded.advice!, /^it is there, and has no room for now/);
});

test('of what a role of PostgreSQL lacks to read a table the doctor tells what is to be granted', { skip: NO_POSTGRES }, async (t) => {
  const server = await PostgresServer.start();
  t.after(() => server.stop());
  await server.query(`CREATE ROLE jo LOGIN; CREATE SCHEMA leads; CREATE TABLE leads.people (id text PRIMARY KEY, email text);
    CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '${server.port}', dbname 'postgres');
    CREATE FOREIGN TABLE public.people (id text, email text) SERVER far OPTIONS (schema_name 'leads'); GRANT SELECT ON public.people TO jo`);
  await server.query('CREATE DATABASE closed');
  await server.query('REVOKE CONNECT ON DATABASE closed FROM PUBLIC');
  const told = async (table: string, database = 'postgres', columns: Record<string, string> = {}): Promise<string> => {
    const url = server.url.replace('tester:', 'jo:').replace(/postgres$/, database);
    const [check] = await checkSources({ ...loadConfig({}, () => ''), sources: [{ ...BASE, kind: 'postgres', url, table, columns }] }, true);
    return check!.status === 'ok' ? 'ok' : `${check!.detail} \u2192 ${check!.advice}`;
  };
  const granted = / \u2192 GRANT its role USAGE on the schema and SELECT on the table; /;
  assert.match(await told('leads.people'), /42501 permission denied for schema leads/);
  assert.match(await told('leads.people'), granted);
  await server.query('GRANT USAGE ON SCHEMA leads TO jo');
  assert.match(await told('leads.people'), granted);
  await server.query('GRANT SELECT (id) ON leads.people TO jo');
  assert.match(await told('leads.people', 'postgres', { email: 'email' }), /missing: those of email \u2192 .*; a column counts as missing while its role may not read it \(GRANT SELECT\)$/);
  await server.query('ALTER TABLE leads.people ENABLE ROW LEVEL SECURITY; ALTER ROLE jo SET row_security = off');
  assert.match(await told('leads.people'), / \u2192 set row_security to on for its role/);
  assert.match(await told('people', 'closed'), /unreachable: 42501 permission denied for database .* \u2192 GRANT CONNECT ON DATABASE to its role/);
  assert.match(await told('elsewhere.leads.people'), /0A000 .* \u2192 its table is to be one of that database/);

  assert.match(await told('people'), / \u2192 CREATE USER MAPPING for its role/);
  await server.query("CREATE USER MAPPING FOR jo SERVER far OPTIONS (user 'nobody', password 'x')");
  assert.match(await told('people'), /08001 could not connect to server "far": .*role "nobody" does not exist.* \u2192 the server that its table lies on is not reached from there/);
});

test('of what a user of ClickHouse lacks to read a table the doctor tells what is to be granted', async (t) => {
  for (const [said, remedy] of [
    ['Code: 497. DB::Exception: jo: Not enough privileges. To execute this query, it\'s necessary to have the grant SHOW COLUMNS ON leads.people. (ACCESS_DENIED)', /^GRANT its user SELECT on the table/],
    ['Code: 291, e.displayText() = DB::Exception: Access denied to database leads for user jo, e.what() = DB::Exception', /^let its user read the database of its table/],
  ] as const) {
    const server = createHttpServer((_, response) => { response.writeHead(500).end(said); }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => { server.close(); });
    assert.match((await checked('clickhouse', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)).advice!, remedy);
  }
});

test('of a PostgreSQL that has fewer connections for a source than that takes when it is busy, the doctor tells what grants so few, and what is to be done', { skip: NO_POSTGRES }, async (t) => {
  const server = await PostgresServer.start();
  t.after(() => server.stop());
  await server.query('CREATE TABLE people (id text PRIMARY KEY, email text); CREATE ROLE jo LOGIN CONNECTION LIMIT 11; CREATE ROLE al LOGIN; GRANT SELECT ON people TO jo, al');
  const others: pg.Client[] = [];
  const take = async (role: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server.url.replace('tester:', `${role}:`) });
    others.push(client.on('error', () => {}));
    await client.connect();
  };
  t.after(() => Promise.all(others.map((client) => client.end())));
  await take('tester');
  const taken = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'";
  /** A session that was closed just now has its place for a moment yet, and would be counted. */
  const settled = (): Promise<void> => until(async () => (await others[0]!.query<{ count: number }>(taken)).rows[0]!.count === others.length);
  const room = async (role: string, concurrency?: number): Promise<string> => {
    await settled();
    const url = server.url.replace('tester:', `${role}:`);
    const [check] = await checkSources({ ...loadConfig({}, () => ''), sources: [{ ...BASE, kind: 'postgres', url, concurrency }] }, true);
    return check!.status === 'ok' ? 'ok' : `${check!.detail} (${check!.advice})`;
  };
  assert.match(await room('jo'), /; its role has 11 connections for it, and a gateway takes up to 16 \(raise CONNECTION LIMIT of the role .*, or set concurrency of the source to 5\)$/);
  assert.deepEqual([await room('jo', 5), await room('al')], ['ok', 'ok']);
  // Of 40, three are for others, and one is taken.
  assert.match(await room('al', 19), /; its server has 36 connections for it, and a gateway takes up to 38 \(raise max_connections/);
  assert.equal(await room('tester', 19), 'ok');

  for (const role of ['al', 'al', 'tester']) await take(role);
  assert.match(await room('al', 18), /its server has 33 connections for it, and a gateway takes up to 36/);
  assert.equal(await room('jo', 5), 'ok');
  for (const _ of Array(10)) await take('jo');
  assert.match(await room('jo', 1), /its role has 1 connection for it, and a gateway takes up to 2 \(raise CONNECTION LIMIT of the role \(ALTER ROLE\)\)$/);
  await take('jo');
  const url = server.url.replace('tester:', 'jo:');
  const found = roomFor({ ...BASE, kind: 'postgres', url }, AbortSignal.timeout(60_000));
  found.catch(() => {});
  await pause(200);
  await others.pop()!.end();
  assert.deepEqual(await found, { granter: 'role', left: 1 }, 'once what was closed just now has given its connection back');
  await server.query('ALTER DATABASE postgres CONNECTION LIMIT 20');
  assert.match(await room('al'), /its database has 6 connections for it, and a gateway takes up to 16 \(raise CONNECTION LIMIT of the database .*, or set concurrency of the source to 3\)$/);
});

test('of a pooler that lends its sessions in turn the doctor tells that a source has wrong times there, and of one that does not, nothing', { skip: NO_POSTGRES || NO_PGBOUNCER }, async (t) => {
  const server = await PostgresServer.start();
  t.after(() => server.stop());
  await server.query('CREATE TABLE people (id text PRIMARY KEY, email text)');
  for (const [mode, status] of [['transaction', 'warn'], ['statement', 'warn'], ['session', 'ok']] as const) {
    const pooler = await PgBouncer.start(server, [`pool_mode = ${mode}`]);
    t.after(() => pooler.stop());
    const [check] = await checkSources({ ...loadConfig({}, () => ''), sources: [{ ...BASE, kind: 'postgres', url: pooler.url }] }, true);
    assert.equal(check!.status, status, check!.detail);
    if (status === 'ok') continue;
    assert.match(check!.detail, /^postgres answers, .*; a pooler lends its sessions in turn: times without a zone may be shown wrong/);
    assert.match(check!.advice!, /pool_mode = session in PgBouncer/);
  }
});

/** Of an API that answers everything alike. */
async function checkedApi(t: TestContext, status: number, said: string): Promise<Check> {
  const server = createHttpServer((_, response) => { response.writeHead(status).end(said); }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.close(); });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/find`;
  const [check] = await checkSources({ ...loadConfig({}, () => ''), sources: [{ name: 'partner', dataset: 'contacts', kind: 'http', url, columns: {}, headers: {} }] }, true);
  assert.equal(check!.status, 'fail');
  return check!;
}

test('of an API that does not know its key the doctor tells that the headers are to carry one', async (t) => {
  for (const status of [401, 403]) {
    const { detail, advice } = await checkedApi(t, status, '{"error":"who are you"}');
    assert.match(detail, new RegExp(`HTTP ${status}: .*who are you`));
    assert.match(advice!, /^its headers are to carry a key that is valid there/);
  }
});

test('of an address that leads elsewhere, and of one of a proxy, the doctor tells which it is to be', async (t) => {
  for (const status of [301, 302, 308]) assert.match((await checkedApi(t, status, '')).advice!, /^its url is to be the address that this one leads to/);
  assert.match((await checkedApi(t, 407, '')).advice!, /^a proxy stands there, .*name the server itself/);
});

test('of an API that answers in another form the doctor tells in which it is to', async (t) => {
  const row = { id: '1', email: 'ann@x.org' };
  for (const said of [{ results: [row], total: 1 }, [row], row]) {
    const { advice } = await checkedApi(t, 200, JSON.stringify(said));
    assert.match(advice!, /NDJSON, uncompressed, with @end as the last line/);
  }
});

test('of a password that ClickHouse does not know the doctor tells that the url is to name the right one', { skip: NO_CLICKHOUSE }, async (t) => {
  const server = await ClickhouseServer.start();
  t.after(() => server.stop());
  for (const user of ['default:wrong', 'nobody:secret']) {
    const { detail, advice } = await checked('clickhouse', server.url.replace('default:secret', user));
    assert.match(detail, /unreachable: Code: 19[23]/);
    assert.match(advice!, /^its url is to name a user who may come from here, with the right password/);
  }
});

test('of a table and a database that ClickHouse does not have, also where the url names one in its path, the doctor tells that both belong to the table', { skip: NO_CLICKHOUSE }, async (t) => {
  const server = await ClickhouseServer.start();
  t.after(() => server.stop());
  for (const url of [server.url, `${server.url}/leads`, `${server.url}/?database=leads`]) {
    const { detail, advice } = await checked('clickhouse', url);
    assert.match(detail, /Code: (?:60|81)\b/);
    assert.match(advice!, /^its table is to be one that is there, after its database, such as leads\.contacts/);
  }
});

test('of a user of ClickHouse who may change no setting the doctor tells what he is to be', { skip: NO_CLICKHOUSE }, async (t) => {
  const server = await ClickhouseServer.start({ profile: '<readonly>1</readonly>' });
  t.after(() => server.stop());
  const { detail, advice } = await checked('clickhouse', server.url);
  assert.match(detail, /Code: 164.*readonly mode/);
  assert.match(advice!, /readonly 0 or 2/);
});
