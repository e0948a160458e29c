import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { compactCommand } from '../../src/cli/compact.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import type { Check } from '../../src/cli/doctor/check.ts';
import { checkLakes } from '../../src/cli/doctor/lakes.ts';
import { checkMailboxStage, checkPorts, checkResolvers } from '../../src/cli/doctor/network.ts';
import { checkRedis } from '../../src/cli/doctor/redis.ts';
import { checkSources } from '../../src/cli/doctor/sources.ts';
import { checkStore } from '../../src/cli/doctor/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import { folderOf } from '../support/folder.ts';
import { a, mx, scriptDns } from '../validate/support/dns_script.ts';
import { openStore } from '../../src/store/open.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { lakeDir, segmentFiles, snapshotPath, type SegmentFiles } from '../../src/sources/lake/paths.ts';
import { testLake } from '../ingest/lake.ts';
import { layeredLake } from '../ingest/layered.ts';
import { NO_REDIS, RedisServer } from '../support/servers/redis.ts';
import { briefly, config } from './doctor_support.ts';
import { runCommand } from './run_command.ts';
import { sqliteAt } from '../support/sqlite_at.ts';
import { OWN_KIND } from '../support/http_kinds.ts';

test('every server of a source that is no lake is asked by itself, and one that does not answer is named', async (t) => {
  const described = JSON.stringify({ sources: [{ name: 'crm', type: 'contacts', rows: 5, updated_at: null, status: 'ok', filters: { country: 'pushed' }, fill: {}, countries: {} }] });
  const gateway = createServer((_, response) => { response.setHeader('content-type', 'application/json').end(described); }).listen(0, '127.0.0.1');
  t.after(() => { gateway.closeAllConnections(); gateway.close(); });
  await once(gateway, 'listening');
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1/find`;
  const base = { dataset: 'contacts', columns: {} } as const;
  const checks = await checkSources(config({ sources: [
    { name: 'crm', dataset: 'contacts', kind: 'lake' },
    { ...base, name: 'partner', kind: 'http', url, headers: {}, replicas: ['http://127.0.0.1:1/v1/find'] },
    { ...base, name: 'files', kind: 'parquet', path: join(folderOf(t), '*.parquet'), compared: {} },
  ] }), true);
  assert.deepEqual(briefly(checks), ['ok source partner', 'fail source partner, replica 1', 'fail source files']);
  assert.match(checks[1]!.detail, /^http cannot be searched \(unreachable: /);
  assert.match(checks[1]!.advice!, /start its server/);
  assert.match(checks[2]!.advice!, /^correct its path under sources, or see that files are there/);
});

test('a gateway that is named by another address than that of find is told so, on one line', async (t) => {
  const gateway = createServer((request, response) => {
    response.statusCode = request.url === '/' ? 405 : 404;
    response.end('not this path.\nNor this one.\n');
  }).listen(0, '127.0.0.1');
  t.after(() => { gateway.closeAllConnections(); gateway.close(); });
  await once(gateway, 'listening');
  const { port } = gateway.address() as AddressInfo;
  const named = (path: string) => ({ name: 'partner', dataset: 'contacts', columns: {}, kind: 'http', url: `http://127.0.0.1:${port}${path}`, headers: {} } as const);
  for (const path of ['/', '/v1/find/']) {
    const [check] = await checkSources(config({ sources: [named(path)] }), true);
    assert.match(check!.detail, /not this path\. Nor this one\.\)$/, path);
    assert.match(check!.advice!, /^its url is to be that of find, with its path, such as /, path);
  }
});

test('lakes are told by their rows, and by what is wrong with their files, down to the last bit', async (t) => {
  const lake = await testLake();
  const { dataDir } = lake;
  const file = await lake.file('a.csv', 'id,name\n1,Ann\n2,Bob\n');
  const flip = (path: string): void => {
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('Bob') + 1]! ^= 1;
    writeFileSync(path, bytes);
  };
  const damages: Record<string, (home: string, files: SegmentFiles) => void> = {
    cut: (_, { rows }) => truncateSync(rows, 1),
    flipped: (_, { rows }) => flip(rows),
    gone: (_, { index }) => rmSync(index),
    good: () => {},
    lost: (home) => rmSync(join(home, 'CURRENT')),
    odd: (home) => writeFileSync(join(home, 'CURRENT'), '../../etc'),
    torn: (home) => writeFileSync(snapshotPath(home, 1), '{"format":1'),
    turned: (_, { truth }) => flip(truth),
    unborn: (home) => { rmSync(home, { recursive: true }); mkdirSync(home); },
    untrue: (_, { truth }) => rmSync(truth),
  };
  for (const [source, damage] of Object.entries(damages)) {
    await lake.ingest([file], { source });
    const home = lakeDir(dataDir, 'contacts', source);
    damage(home, segmentFiles(home, (await readCurrent(home))!.segments[0]!.id));
  }
  writeFileSync(join(dataDir, 'lake', 'contacts', 'stray'), '');
  const checks = await checkLakes(config({ dataDir, sources: [{ name: 'good', dataset: 'contacts', kind: 'lake' }, { name: 'later', dataset: 'companies', kind: 'lake' }] }));
  assert.deepEqual(briefly(checks), [
    'fail source cut', 'fail source flipped', 'fail source gone', 'ok source good', 'fail source lost', 'fail source odd', 'fail source torn', 'fail source turned', 'warn source unborn',
    'fail source untrue', 'warn source later',
  ]);
  const advice = (source: string): string => checks.find(({ name }) => name === `source ${source}`)!.advice!;
  for (const source of ['cut', 'flipped', 'gone']) assert.match(advice(source), /^lds compact /);
  for (const source of ['lost', 'odd']) assert.match(advice(source), /^write the number of its last snapshot, 1, into /);
  for (const source of ['torn', 'turned', 'untrue']) assert.match(advice(source), /^ingest all its rows anew: /);
  assert.deepEqual([checks[3]!.detail, advice('later')], ['2 contacts', 'lds ingest FILE --dataset companies --source later']);

  await lake.ingest([await lake.file('b.csv', 'id,name,score\n1,Ann,7\n')], { source: 'good', extras: [{ name: 'score', type: 'integer', description: 'score' }] });
  const score = { name: 'score', type: 'string', description: 'score' } as const;
  const changed = (await checkLakes(config({ dataDir, extras: { contacts: [score], companies: [] } }))).find(({ name }) => name === 'source good')!;
  assert.deepEqual([changed.status, changed.detail], ['warn', 'its score is of the type integer, and is declared as string: no filter finds it']);
  assert.match(changed.advice!, /^declare it as integer, or ingest all rows anew: /);

  const moved = { name: 'good', dataset: 'contacts', kind: 'parquet', path: './*.parquet', columns: {}, compared: {} } as const;
  const misdeclared = (await checkLakes(config({ dataDir, sources: [{ name: 'good', dataset: 'companies', kind: 'lake' }] }))).findLast(({ name }) => name === 'source good')!;
  assert.deepEqual([misdeclared.status, misdeclared.detail], ['fail', 'is declared as a lake of companies, and the lake of this name holds contacts']);
  assert.match((await checkLakes(config({ dataDir, sources: [moved] }))).find(({ name }) => name === 'source good')!.detail, /^its lake is not served: /);

  const barred = join(folderOf(t), 'data');
  mkdirSync(join(barred, 'lake'), { recursive: true });
  writeFileSync(join(barred, 'lake', 'contacts'), '');
  const [lakes] = await checkLakes(config({ dataDir: barred }));
  assert.deepEqual([lakes!.status, lakes!.name, lakes!.advice!.startsWith('move the file away')], ['fail', 'lakes', true]);
});

test('a list of replaced rows that is lost is told with the compaction that makes it again, as long as the Parquet files are well', async () => {
  const { lake, dir, segments: [first, , third] } = await layeredLake();
  const checked = async (): Promise<string> => {
    const [{ status, detail, advice }] = await checkLakes(config({ dataDir: lake.dataDir })) as [Check];
    return [status, detail, advice].join(' | ').replaceAll(`${dir}/segments/`, '');
  };
  const anew = 'ingest all its rows anew: lds ingest FILE --dataset contacts --source crm --mode replace';
  const list = `${first!.gone!.id}.gone`;
  assert.equal(await checked(), 'ok | 63 contacts | ');
  truncateSync(join(dir, 'segments', list), 8);
  assert.equal(await checked(), `fail | the source crm is damaged: ${list} is not what was published | lds compact --source crm makes it again from the Parquet files, or ${anew}`);
  rmSync(join(dir, 'segments', list));
  const { truth } = segmentFiles(dir, third!.id);
  renameSync(truth, `${truth}.away`);
  assert.equal(await checked(), `fail | the source crm is damaged: ${third!.id}.parquet is missing | ${anew}`);
  renameSync(`${truth}.away`, truth);
  const { code, notes } = await runCommand('compact', compactCommand, ['--source', 'crm'], async () => config({ dataDir: lake.dataDir }));
  assert.deepEqual([code, await checked()], [0, 'ok | 63 contacts | '], notes);
});

test('a port is free, or served by a gateway, or taken', async (t) => {
  const serve = async (body: string): Promise<number> => {
    const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => { server.closeAllConnections(); server.close(); });
    return (server.address() as AddressInfo).port;
  };
  const ours = await serve('{"status":"ok","version":"0.1.0","components":{}}');
  const theirs = await serve('hello');
  const checks = (await Promise.all([0, ours, theirs].map((port) => checkPorts(config({ port }))))).flat();
  assert.deepEqual(checks.map(({ name, status }) => [name, status]), [['port', 'ok'], ['port', 'ok'], ['port', 'fail']]);
  assert.match(checks[1]!.detail, /version 0\.1\.0/);
  assert.equal((await checkPorts(config({ host: '192.0.2.1' })))[0]!.status, 'fail');
  const metrics = await serve('# TYPE lds_requests_total counter\n');
  const ofMetrics = await Promise.all([0, metrics, theirs, ours].map((metricsPort) => checkPorts(config({ port: ours, metricsPort }))));
  assert.deepEqual(ofMetrics.map(([, { name, status } = {} as never]) => [name, status]), [['metrics port', 'ok'], ['metrics port', 'ok'], ['metrics port', 'fail'], ['metrics port', 'fail']]);
  assert.match(ofMetrics[2]![1]!.advice!, /LDS_METRICS_PORT/);
});

test('whoever has the port is asked one thing', async (t) => {
  const asked: string[] = [];
  const server = createServer(({ method, url }, response) => { asked.push(`${method} ${url}`); response.end('hello'); }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  await checkPorts(config({ port: (server.address() as AddressInfo).port }));
  assert.deepEqual(asked, ['GET /health']);
});

test('a port that no browser calls is told, be it free or served', async (t) => {
  const blocked = 10_080;
  const look = async (): Promise<Check[]> => checkPorts(config({ port: blocked }));
  const [free] = await look();
  assert.match(`${free!.status} ${free!.detail}`, /^warn 127\.0\.0\.1 port 10080 is one that browsers/);
  const server = createServer((_request, response) => response.end('{"status":"ok","version":"0.1.0","components":{}}')).listen(blocked, '127.0.0.1');
  // Where another test or program has it, it is in use as well.
  await Promise.race([once(server, 'listening'), once(server, 'error')]).catch(() => {});
  t.after(() => { server.close(); });
  assert.deepEqual(await look(), [free]);
});

test('a resolver is well that knows the domain com; one that says there is none would have every address undeliverable', async (t) => {
  const com = { type: 'SOA', name: 'com', ttl: 60, data: { mname: 'a.com', rname: 'b.com', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 } } as const;
  const [whole, walled, empty] = await Promise.all([scriptDns(() => ({ answers: [com] })), scriptDns(() => ({ rcode: 3 })), scriptDns(() => ({}))]);
  t.after(() => Promise.all([whole, walled, empty].map((server) => server.close())));
  const look = (server: string) => checkResolvers(config({ dnsServers: [server] }));
  assert.equal((await look(whole.address)).status, 'ok');
  for (const { address } of [walled, empty]) assert.match((await look(address)).detail, /knows no domain com/);
  assert.deepEqual([(await look(walled.address)).status, (await look('127.0.0.1:9')).status], ['warn', 'warn']);
});

test('Redis is looked at where one is named: whether it answers, lets itself be written to, and keeps what it has', { skip: NO_REDIS }, async (t) => {
  const server = await RedisServer.start(['--requirepass', 'sesame', '--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru']);
  t.after(() => server.stop());
  const at = async (credentials: string) => (await checkRedis(config({ redisUrl: server.url.replace('//', `//${credentials}`) })))[0]!;
  assert.deepEqual(await checkRedis(config({})), []);
  const evicting = await at(':sesame@');
  assert.deepEqual([evicting.status, evicting.advice?.includes('noeviction')], ['warn', true]);
  await server.command('CONFIG', 'SET', 'maxmemory', 0);
  assert.match((await at(':sesame@')).detail, /^version \d+\.\d+\.\d+ answers in [\d.]+ ms$/);
  const refused = await at(':wrong@');
  assert.deepEqual([refused.status, refused.detail], ['fail', 'cannot be used (WRONGPASS)']);
  assert.deepEqual([(await at('')).status, (await at('')).detail], ['fail', 'cannot be used (NOAUTH)']);
  await server.crash();
  const gone = await at(':sesame@');
  assert.equal(gone.detail, 'cannot be used (ECONNREFUSED)');
  assert.match(gone.advice!, /^start Redis/);
});

test('of a Redis that answers and refuses it is told why, and what to do about that', { skip: NO_REDIS }, async (t) => {
  const server = await RedisServer.start();
  t.after(() => server.stop());
  const look = async (credentials = ''): Promise<string> => {
    const [{ status, detail, advice }] = await checkRedis(config({ redisUrl: server.url.replace('//', `//${credentials}`) })) as [Check];
    assert.equal(status, 'fail');
    return `${detail}: ${advice}`;
  };
  await server.command('CONFIG', 'SET', 'maxmemory', 1);
  assert.match(await look(), /^cannot be used \(OOM\): .*maxmemory/);
  await server.command('CONFIG', 'SET', 'maxmemory', 0);
  await server.command('CONFIG', 'SET', 'min-replicas-to-write', 1);
  assert.match(await look(), /^cannot be used \(NOREPLICAS\): .*min-replicas-to-write/);
  await server.command('ACL', 'SETUSER', 'reader', 'on', '>sesame', '~*', '+info');
  assert.match(await look('reader:sesame@'), /^cannot be used \(NOPERM\): .*EVAL/);
  assert.match(await look('reader:wrong@'), /^cannot be used \(WRONGPASS\): .*password/);
  await server.command('REPLICAOF', '127.0.0.1', 1);
  assert.match(await look(), /^cannot be used \(READONLY\): it is a replica/);
  await server.command('CONFIG', 'SET', 'replica-serve-stale-data', 'no');
  assert.match(await look(), /^cannot be used \(MASTERDOWN\): it is a replica/);
});

test('the file of the accounts is read to its end, beside who has it open, and what is damaged in it or newer is told', async (t) => {
  const dataDir = folderOf(t);
  assert.deepEqual(checkStore({ dataDir, databaseUrl: null }), [], 'there is none yet');
  const store = await openStore({ dataDir });
  t.after(() => store.close());
  await store.addUsage({ writer: 'w', number: 1, additions: [{ day: 1, accountId: 'a', keyId: 'k', endpoint: 'find', requests: 1, units: 1 }] });
  const only = (): Check => checkStore({ dataDir, databaseUrl: null })[0]!;
  assert.equal(only().status, 'ok', only().detail);
  assert.deepEqual(checkStore({ dataDir, databaseUrl: 'postgres://db.internal/leads' }), []);
  const path = join(dataDir, 'store.sqlite');
  const direct = sqliteAt(path);
  direct.exec('PRAGMA user_version = 999');
  assert.match(only().detail, /written by a newer version of this service \(schema 999/);
  direct.exec('PRAGMA user_version = 1');
  direct.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const page = direct.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'usage'`).pluck().get() as number;
  direct.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0xab), 0, 4_096, (page - 1) * 4_096);
  closeSync(file);
  assert.deepEqual([only().status, /store\.sqlite cannot be used: Tree/.test(only().detail)], ['fail', true], only().detail);
  writeFileSync(path, 'not a database at all, but long enough to be looked at as if it were one'.repeat(20));
  assert.match(only().detail, /file is not a database/);
  assert.match(only().advice!, /store\.sqlite of the backup/);
  rmSync(path);
  mkdirSync(path);
  assert.deepEqual([only().status, /backup/.test(only().advice!)], ['fail', false], only().advice);
});

test('told to end it reports nothing, and fails', async () => {
  const terminal = { out: () => assert.fail('reported'), note: () => {}, interactive: false, signal: AbortSignal.abort() };
  assert.equal(await doctorCommand.run({ values: {}, files: [], terminal, config: async () => config({}) }), 1);
});

test('a bad configuration fails, and the rest is still checked', async (t) => {
  const dataDir = folderOf(t);
  const run = (env: Record<string, string>, ...args: string[]) =>
    runCommand('doctor', doctorCommand, args, async () => loadConfig({ LDS_DATA_DIR: dataDir, LDS_PORT: '0', LDS_DNS_SERVERS: '127.0.0.1:9', LDS_HTTP: OWN_KIND, ...env }, () => 'sources: [{ kind: lake }]'));
  const [good, bad, sourceless] = await Promise.all([run({}, '--json'), run({ LDS_LOG_LEVEL: 'loud' }), run({ LDS_CONFIG: 'lds.yaml' })]);
  const report = JSON.parse(good.out) as { ok: boolean; checks: Check[] };
  assert.deepEqual([good.code, report.ok], [0, true], good.out);
  for (const name of ['node', 'uWebSockets.js', 'better-sqlite3', '@duckdb/node-api', 'configuration', 'data folder', 'disk', 'memory', 'open files', 'port', 'dns'])
    assert.ok(report.checks.some((check) => check.name === name), name);
  assert.equal(bad.code, 1);
  assert.match(bad.out, /^fail {2}configuration +LDS_LOG_LEVEL: expected/m);
  assert.ok(bad.out.includes(`  ${dataDir}\n`), bad.out);
  assert.match(bad.out, /go by the settings that are right$/m);
  assert.match(sourceless.out, /sources\[0\]\.name: .*\n +→ .*, and look at no source of the file$/m);
});

test('where mailboxes are asked, port 25 must go out, or the backend answer', async (t) => {
  const mail = createServer((_, response) => { response.end(); }).listen(0, '127.0.0.1');
  await once(mail, 'listening');
  t.after(() => { mail.closeAllConnections(); mail.close(); });
  const { port } = mail.address() as AddressInfo;
  const resolver = await scriptDns(({ name, type }) => ({ answers: type === 'MX' ? [mx(name, 'mx.acme.com')] : [a(name, '127.0.0.1')] }));
  t.after(() => resolver.close());
  const asking = config({ smtp: true, dnsServers: [resolver.address] });
  const detail = async (changes: Partial<Config>, to: number) =>
    (await checkMailboxStage({ ...asking, ...changes }, { domain: 'acme.com', port: to })).map(({ status, detail: said }) => `${status} ${said}`);
  assert.deepEqual(await detail({}, port), [`ok port ${port} goes out`]);
  assert.deepEqual(await detail({}, 1), ['warn port 1 does not go out']);
  assert.deepEqual(await detail({ smtp: false }, port), []);
  assert.deepEqual(await detail({ validatorUrl: `http://127.0.0.1:${port}` }, 1), ['ok the server of LDS_VALIDATOR_URL answers']);
  mail.closeAllConnections();
  await new Promise((resolve) => { mail.close(resolve); });
  assert.deepEqual(await detail({ validatorUrl: `http://127.0.0.1:${port}` }, 1), ['warn the server of LDS_VALIDATOR_URL does not answer (ECONNREFUSED)']);
});
