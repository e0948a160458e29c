import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checksum } from '../../src/accounts/key.ts';
import { ingest } from '../support/ingested.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { pause } from '../support/runners.ts';
import { until } from '../support/until.ts';
import { RunningService, type Answer } from './service.ts';

type Server = { readonly url: string; signal(signal: 'SIGSTOP' | 'SIGCONT'): void; crash(): Promise<void>; resume(): Promise<void>; stop(): Promise<unknown> };
/** `members`: what a source says beside its servers. */
type Kind = { readonly kind: string; readonly skip: string | boolean; readonly members: string; start(): Promise<Server> };

/** Any gateway takes it. */
const ADMIN_KEY = `lda_${'0'.repeat(32)}${checksum(`lda_${'0'.repeat(32)}`)}`;

/** Another gateway over a lake of the same people. */
class GatewayServer implements Server {
  #service: RunningService;

  private constructor(service: RunningService) { this.#service = service; }

  static async start(): Promise<GatewayServer> {
    const folder = await mkdtemp(join(tmpdir(), 'lds-replica-'));
    await writeFile(join(folder, 'people.csv'), ['id,email,full_name,country', ...Array.from({ length: 200 }, (_, i) => `${i},p${i}@x.org,Person ${i},US`)].join('\n'));
    const service = await RunningService.start({ LDS_DEMO: '0', LDS_LOG_LEVEL: 'error', LDS_ADMIN_KEY: ADMIN_KEY }, folder);
    await ingest(join(folder, 'data'), 'theirs', join(folder, 'people.csv'));
    while ((await service.find({ type: 'contacts' })).json.total !== 200) await pause(50);
    return new GatewayServer(service);
  }

  get url(): string { return `${this.#service.url}/v1/find`; }
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void { this.#service.child.kill(signal); }
  async crash(): Promise<void> {
    const ended = once(this.#service.child, 'exit');
    this.#service.child.kill('SIGKILL');
    await ended;
  }
  async resume(): Promise<void> {
    const { folder, port } = this.#service;
    this.#service = await RunningService.start({ LDS_DEMO: '0', LDS_LOG_LEVEL: 'error', LDS_ADMIN_KEY: ADMIN_KEY, LDS_PORT: String(port) }, folder);
  }
  stop(): Promise<unknown> { return this.#service.stop(); }
}

const KINDS: readonly Kind[] = [
  {
    kind: 'postgres', skip: NO_POSTGRES, members: 'table: people',
    async start() {
      const server = await PostgresServer.start();
      await server.query('CREATE TABLE people (id bigint PRIMARY KEY, full_name text, email text, country text)');
      await server.query(`INSERT INTO people SELECT i, 'Person ' || i, 'p' || i || '@x.org', 'US' FROM generate_series(1, 200) i`);
      return server;
    },
  },
  {
    kind: 'clickhouse', skip: NO_CLICKHOUSE, members: 'table: people',
    async start() {
      const server = await ClickhouseServer.start();
      await server.query('CREATE TABLE people (id UInt32, full_name String, email String, country String) ENGINE = MergeTree ORDER BY id');
      await server.query(`INSERT INTO people SELECT number + 1, concat('Person ', toString(number)), concat('p', toString(number), '@x.org'), 'US' FROM system.numbers LIMIT 200`);
      return server;
    },
  },
  { kind: 'http', skip: false, members: `headers: { authorization: "Bearer ${ADMIN_KEY}" }`, start: () => GatewayServer.start() },
];

for (const { kind, skip, members, start } of KINDS) {
  describe(`a ${kind} source on two servers`, { skip }, () => {
    let servers: Server[];
    let service: RunningService;
    let admin: string;
    before(async () => {
      servers = await Promise.all([start(), start()]);
      const folder = await mkdtemp(join(tmpdir(), 'lds-replicas-'));
      await writeFile(join(folder, 'config.yaml'), `sources:
  - { name: registry, dataset: contacts, kind: ${kind}, url: "${servers[0]!.url}", replicas: ["${servers[1]!.url}"], ${members}, connect_timeout_ms: 500 }
`);
      service = await RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn' }, folder);
      admin = await service.createKey('operator@localhost', 'unlimited', 'admin');
      // On a busy machine the service begins to serve before it reached either.
      await until(async () => (await find()).json.total === 200, 60_000);
    }, { timeout: 300_000 });
    after(async () => {
      await service.stop();
      await Promise.all(servers.map((server) => server.stop()));
    });

    const find = () => service.find({ type: 'contacts', limit: 50, timeout_ms: 5_000 });
    async function counted(name: string): Promise<number> {
      const { text } = await service.call('GET', '/metrics', { key: admin });
      return Number(new RegExp(`lds_source_${name}_total\\{source="registry"\\} (\\d+)`).exec(text)![1]);
    }

    it('answers whole while either hangs, and after a few calls as quickly as ever; what was asked twice is counted', async () => {
      for (let call = 0; call < 25; call += 1) assert.equal((await find()).json.total, 200);
      for (const server of servers) {
        const hedged = await counted('hedges');
        server.signal('SIGSTOP');
        try {
          for (let call = 0; call < 12; call += 1) {
            const { json } = await find();
            assert.deepEqual([json.returned, json.total, json.partial, json.sources[0].status], [50, 200, false, 'complete']);
          }
          if (server === servers[0]) assert.ok(await counted('hedges') > hedged);
        } finally {
          server.signal('SIGCONT');
        }
        await pause(500);
      }
    });

    it('answers whole when one dies under load, by asking the other, and is unreachable only when both are gone', async () => {
      // A probe may still have to find the first again.
      await pause(1_000);
      const answered: Answer[] = [];
      const loaded = new AbortController();
      const load = Promise.all(Array.from({ length: 3 }, async () => { while (!loaded.signal.aborted) answered.push(await find()); }));
      await pause(200);
      await servers[0]!.crash();
      await pause(500);
      loaded.abort();
      await load;
      // One that had begun to answer is not replaced: its rows would be told as partial, and none as whole that is not.
      for (const { status, json } of answered) assert.ok(status === 200 && (json.partial ? json.errors.length === 1 : json.returned === 50), JSON.stringify(json).slice(0, 500));
      assert.ok(answered.filter(({ json }) => !json.partial).length > answered.length / 2);
      for (let call = 0; call < 8; call += 1) assert.deepEqual([(await find()).json.partial, (await find()).json.returned], [false, 50]);
      assert.ok(await counted('retries') + await counted('hedges') > 0);
      assert.equal((await service.call('GET', '/v1/sources')).json.sources[0].status !== 'down', true);
      await servers[1]!.crash();
      for (let tries = 0; (await find()).status !== 502; tries += 1) assert.ok(tries < 50);
      await servers[1]!.resume();
      for (let tries = 0; (await find()).json.partial !== false; tries += 1) {
        assert.ok(tries < 200);
        await pause(100);
      }
    });
  });
}
