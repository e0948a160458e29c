import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSecureContext, createServer, TLSSocket } from 'node:tls';
import { untilItsCertificateEnds } from '../../src/cli/doctor/certificate.ts';
import { checkDatabase } from '../../src/cli/doctor/database.ts';
import { checkRedis } from '../../src/cli/doctor/redis.ts';
import { checkSources } from '../../src/cli/doctor/sources.ts';
import type { Check } from '../../src/cli/doctor/check.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Authority, NO_OPENSSL } from '../support/certificates.ts';
import { MAIN } from '../support/main.ts';
import { freePort } from '../support/ports.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { NO_REDIS, RedisServer } from '../support/servers/redis.ts';
import { until } from '../support/until.ts';

const SECRET = 'canary';

describe('what lds doctor says of servers over TLS', { skip: NO_OPENSSL || NO_POSTGRES }, () => {
  let authority: Authority;
  let server: PostgresServer;
  before(async () => {
    authority = new Authority();
    const { cert, key } = authority.certificate('DNS:localhost,IP:127.0.0.1');
    server = await PostgresServer.start(['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`]);
    await server.query('CREATE TABLE people (id bigint PRIMARY KEY, full_name text)');
  });
  after(async () => {
    await server.stop();
    authority.remove();
  });

  async function told(query: string, at: Pick<PostgresServer, 'port'> = server): Promise<readonly [Check, Check]> {
    const url = `postgres://tester:${SECRET}@localhost:${at.port}/postgres?${query}`;
    const [database] = await checkDatabase({ databaseUrl: url });
    const [source] = await checkSources({ ...loadConfig({}, () => ''), sources: [{ name: 'registry', dataset: 'contacts', kind: 'postgres', url, table: 'public.people', columns: {}, compared: {} }] }, true);
    assert.ok(!JSON.stringify([database, source]).includes(SECRET));
    return [database!, source!];
  }

  async function refused(query: string, detail: RegExp, advice: RegExp, at: Pick<PostgresServer, 'port'> = server): Promise<void> {
    for (const check of await told(query, at)) {
      assert.equal(check.status, 'fail');
      assert.match(check.detail, detail);
      assert.match(check.advice!, advice);
    }
  }

  it('is nothing where all is right, and how to name the authority where that is not known', async () => {
    const [database, source] = await told(`sslmode=verify-full&sslrootcert=${authority.cert}`);
    assert.deepEqual([database.status, source.status], ['warn', 'ok'], 'fsync is off');
    for (const mode of ['verify-full', 'require']) await refused(`sslmode=${mode}`, /certificate/, /NODE_EXTRA_CA_CERTS.*sslrootcert/);
  });

  it('is which file is not there, where it is of a url', async () => {
    await refused('sslmode=verify-full&sslrootcert=/nowhere/ca.pem', /ENOENT.*\/nowhere\/ca\.pem/, /correct/);
  });

  it('is what is wrong with a certificate that the authority made', async () => {
    for (const [certificate, detail, advice] of [
      [authority.certificate('DNS:localhost', { days: -1 }), /certificate has expired/, /renew it/],
      [authority.certificate('DNS:db.example'), /altnames/, /name it by a host/],
    ] as const) {
      const other = await PostgresServer.start(['ssl=on', `ssl_cert_file=${certificate.cert}`, `ssl_key_file=${certificate.key}`]);
      try {
        await refused(`sslmode=verify-full&sslrootcert=${authority.cert}`, detail, advice, other);
      } finally {
        await other.stop();
      }
    }
  });

  it('is that a certificate is too weak for Node', async () => {
    const { cert, key } = authority.certificate('DNS:localhost', { digest: 'sha1' });
    const secureContext = createSecureContext({ cert: readFileSync(cert), key: readFileSync(key), ciphers: 'DEFAULT:@SECLEVEL=0' });
    // PostgreSQL itself would not start with it here.
    const weak = createPlainServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('S');
        new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {});
      });
    });
    await once(weak.listen(0, 'localhost'), 'listening');
    try {
      await refused(`sslmode=verify-full&sslrootcert=${authority.cert}`, /too weak/, /2048 bits.*SHA-256/, weak.address() as AddressInfo);
    } finally {
      weak.close();
    }
  });

  it('is that a certificate ends within two weeks', async () => {
    const { cert, key } = authority.certificate('DNS:localhost', { days: 13 });
    const other = await PostgresServer.start(['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`]);
    try {
      await other.query('CREATE TABLE people (id bigint PRIMARY KEY, full_name text)');
      for (const asking of ['sslmode=verify-full&', 'ssl=true&', '']) {
        const [, source] = await told(`${asking}sslrootcert=${authority.cert}`, other);
        assert.equal(source.status, 'warn', asking);
        assert.match(source.detail, /fields; its certificate ends on \d{4}-\d\d-\d\d$/);
      }
      for (const careless of ['', 'sslmode=no-verify']) assert.equal((await told(careless, other))[1].status, 'ok', 'nobody minds its end');
    } finally {
      await other.stop();
    }
    const soon = createServer({ cert: readFileSync(cert), key: readFileSync(key) });
    await once(soon.listen(0, '127.0.0.1'), 'listening');
    const { port } = soon.address() as AddressInfo;
    const well = { name: 'redis', status: 'ok', detail: 'answers' } as const;
    for (const scheme of ['rediss', 'https']) assert.match((await untilItsCertificateEnds(well, `${scheme}://localhost:${port}`)).detail, /^answers; its certificate ends on /);
    soon.close();
    assert.equal(await untilItsCertificateEnds(well, `rediss://localhost:${port}`), well, 'it has gone meanwhile');
  });

  it('is that there is no TLS where a server has none', async () => {
    const plain = await PostgresServer.start();
    try {
      await refused('sslmode=verify-full', /does not support SSL/, /speaks no TLS/, plain);
    } finally {
      await plain.stop();
    }
  });

  it('is that a server asks for a certificate of this side, or lets nobody in without TLS', async () => {
    const { cert, key } = authority.certificate('DNS:localhost,IP:127.0.0.1');
    const [own, others] = [authority.certificate('DNS:gateway'), new Authority()];
    const stranger = others.certificate('DNS:gateway');
    const rules = join(authority.folder, 'rules');
    writeFileSync(rules, 'host all all all trust\n');
    const strict = await PostgresServer.start(['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`, `ssl_ca_file=${authority.cert}`, `hba_file=${rules}`]);
    try {
      await strict.query('CREATE TABLE people (id bigint PRIMARY KEY, full_name text)');
      writeFileSync(rules, 'hostssl all all all trust clientcert=verify-ca\n');
      await strict.query('SELECT pg_reload_conf()');
      await until(() => strict.query('SELECT 1').then(() => false, () => true));
      await refused('', /no encryption/, /sslmode=verify-full/, strict);
      const tls = `sslmode=verify-full&sslrootcert=${authority.cert}`;
      await refused(tls, /requires a valid client certificate/, /sslcert and sslkey/, strict);
      await refused(`${tls}&sslcert=${stranger.cert}&sslkey=${stranger.key}`, /unknown ca/, /of an authority that it knows/, strict);
      await refused(`${tls}&sslcert=${own.cert}&sslkey=${stranger.key}`, /key values mismatch/, /sslcert and sslkey/, strict);
      assert.equal((await told(`${tls}&sslcert=${own.cert}&sslkey=${own.key}`, strict))[1].status, 'ok');
    } finally {
      await strict.stop();
      others.remove();
    }
  });

  it('is what a server may have ended a connection for that says nothing, as one of ClickHouse does', async () => {
    const own = authority.certificate('DNS:localhost');
    const strict = createServer({ cert: readFileSync(own.cert), key: readFileSync(own.key) }, (socket) => { socket.once('data', () => socket.destroy()); });
    strict.on('tlsClientError', () => {});
    await once(strict.listen(0, '127.0.0.1'), 'listening');
    const { port } = strict.address() as AddressInfo;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority.cert, LDS_CONFIG: join(authority.folder, 'lds.yaml') };
    const entry = (scheme: string): string => `{ name: ${scheme}, dataset: contacts, kind: clickhouse, url: "${scheme}://localhost:${port}", table: people }`;
    writeFileSync(env.LDS_CONFIG, `data_dir: ${authority.folder}/data\nsources: [${entry('http')}, ${entry('https')}]\n`);
    const report = await new Promise<string>((resolve) => { execFile(process.execPath, [MAIN, 'doctor'], { env }, (_, stdout) => resolve(stdout)); });
    strict.close();
    assert.match(report, /^fail +source http .*\n.*its url is to begin with https/m);
    assert.match(report, /^fail +source https .*\n.*a certificate of whoever connects/m);
  });

  it('is of a Redis the same, and nothing where the environment names the authority', { skip: NO_REDIS }, async () => {
    const { cert, key } = authority.certificate('DNS:localhost');
    const port = await freePort();
    const redis = await RedisServer.start(['--tls-port', String(port), '--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', authority.cert, '--tls-auth-clients', 'no']);
    const folder = mkdtempSync(join(tmpdir(), 'lds-'));
    try {
      const redisUrl = `rediss://localhost:${port}`;
      const [check] = await checkRedis({ ...loadConfig({}, () => ''), redisUrl });
      assert.equal(check!.status, 'fail');
      assert.match(check!.advice!, /NODE_EXTRA_CA_CERTS/);
      const env = { ...process.env, LDS_DATA_DIR: folder, LDS_REDIS_URL: redisUrl, NODE_EXTRA_CA_CERTS: authority.cert };
      const report = await new Promise<string>((resolve) => { execFile(process.execPath, [MAIN, 'doctor'], { env }, (_, stdout) => resolve(stdout)); });
      assert.match(report, /^ok +redis +version/m);
    } finally {
      await redis.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
