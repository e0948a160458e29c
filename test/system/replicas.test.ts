import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClickhouseServer, NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { pause } from '../support/runners.ts';
import { RunningService } from './service.ts';

type Server = PostgresServer | ClickhouseServer;
type Kind = { readonly kind: string; readonly skip: string | boolean; start(): Promise<Server> };

const KINDS: readonly Kind[] = [
  {
    kind: 'postgres', skip: NO_POSTGRES,
    async start() {
      const server = await PostgresServer.start();
      await server.query('CREATE TABLE people (id bigint PRIMARY KEY, full_name text, email text, country text)');
      await server.query(`INSERT INTO people SELECT i, 'Person ' || i, 'p' || i || '@x.org', 'US' FROM generate_series(1, 200) i`);
      return server;
    },
  },
  {
    kind: 'clickhouse', skip: NO_CLICKHOUSE,
    async start() {
      const server = await ClickhouseServer.start();
      await server.query('CREATE TABLE people (id UInt32, full_name String, email String, country String) ENGINE = MergeTree ORDER BY id');
      await server.query(`INSERT INTO people SELECT number + 1, concat('Person ', toString(number)), concat('p', toString(number), '@x.org'), 'US' FROM system.numbers LIMIT 200`);
      return server;
    },
  },
];

for (const { kind, skip, start } of KINDS) {
  describe(`a ${kind} source on two servers`, { skip }, () => {
    let servers: Server[];
    let service: RunningService;
    let admin: string;
    before(async () => {
      servers = await Promise.all([start(), start()]);
      const folder = await mkdtemp(join(tmpdir(), 'lds-replicas-'));
      await writeFile(join(folder, 'config.yaml'), `sources:
  - { name: registry, dataset: contacts, kind: ${kind}, url: "${servers[0]!.url}", replicas: ["${servers[1]!.url}"], table: people, connect_timeout_ms: 500 }
`);
      service = await RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn' }, folder);
      admin = service.createKey('operator@localhost', 'unlimited', '--admin');
    }, { timeout: 120_000 });
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

    it('answers whole when one dies, by asking the other, and is unreachable only when both are gone', async () => {
      // A probe may still have to find the first again.
      await pause(1_000);
      await servers[0]!.crash();
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
