import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { FaultProxy } from '../support/fault_proxy.ts';
import { pause } from '../support/runners.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { RunningService, type Json } from './service.ts';

const ROWS = 40_000;
const HEADLINE = 'word '.repeat(800).trim();
const STREAM_BYTES = ROWS * HEADLINE.length;
/** What sockets, their kernels and the parts of the gateway may hold between the server and the reader: a small part of the whole. */
const UNDER_WAY_BYTES = STREAM_BYTES / 4;
/** Beside these, what the collector has not come to yet. */
const GROWN_BYTES = STREAM_BYTES * 3 / 4;
/** So long without a byte is standing still; and a reader who stopped for longer than the latter would soon be taken for gone. */
const STILL_MS = 2_000;
const STOPPED_MS_MAX = 10_000;

const KINDS = ['postgres', 'clickhouse', 'http'] as const;

describe('a reader who stops amid a long stream', { skip: NO_POSTGRES || NO_CLICKHOUSE }, () => {
  let postgres: PostgresServer;
  let clickhouse: ClickhouseServer;
  let far: RunningService;
  let near: RunningService;
  let proxies: Record<typeof KINDS[number], FaultProxy>;

  /** Three sources of the same people, each behind a proxy that counts: two servers, and a gateway over one of them. */
  before(async () => {
    [postgres, clickhouse] = await Promise.all([PostgresServer.start(), ClickhouseServer.start()]);
    await postgres.query('CREATE TABLE people (id bigint PRIMARY KEY, email text, headline text)');
    await postgres.query(`INSERT INTO people SELECT i, 'p' || i || '@x.org', '${HEADLINE}' FROM generate_series(1, ${ROWS}) i`);
    // A gateway is asked in the order of identity: a sort would be all that its reader waits for.
    await postgres.query('CREATE INDEX ON people (email COLLATE "C"); ANALYZE people');
    await clickhouse.query('CREATE TABLE people (id UInt64, headline String) ENGINE = MergeTree ORDER BY id');
    await clickhouse.query(`INSERT INTO people SELECT number + 1, '${HEADLINE}' FROM system.numbers LIMIT ${ROWS}`);
    far = await gateway([`{ name: people, dataset: contacts, kind: postgres, url: "${postgres.url}", table: people, compared: { email: email } }`]);
    proxies = { postgres: await FaultProxy.start(postgres.port), clickhouse: await FaultProxy.start(clickhouse.port), http: await FaultProxy.start(far.port) };
    near = await gateway([
      `{ name: postgres, dataset: contacts, kind: postgres, url: "${postgres.url.replace(`:${postgres.port}`, `:${proxies.postgres.port}`)}", table: people }`,
      `{ name: clickhouse, dataset: contacts, kind: clickhouse, url: "${clickhouse.url.replace(`:${clickhouse.port}`, `:${proxies.clickhouse.port}`)}", table: people }`,
      `{ name: http, dataset: contacts, kind: http, url: "http://127.0.0.1:${proxies.http.port}/v1/find", headers: { authorization: "Bearer \${FAR_KEY}" } }`,
    ], { FAR_KEY: far.key });
    for (const kind of KINDS) await until(async () => (await near.find({ type: 'contacts', limit: 1, sources: { only: [kind] } })).json.partial === false);
  }, { timeout: 300_000 });
  after(async () => {
    await near?.stop();
    await far?.stop();
    await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy.close()));
    await Promise.all([postgres?.stop(), clickhouse?.stop()]);
  });

  for (const kind of KINDS) {
    it(`holds ${kind === 'http' ? 'the other gateway' : `the server of a ${kind} source`} back in bounded memory, and has the whole stream when reading on`, { timeout: 300_000 }, async () => {
      const proxy = proxies[kind];
      const gateways = kind === 'http' ? [near, far] : [near];
      const [beganBytes, restingBytes] = [proxy.answeredBytes, gateways.map(residentBytes)];
      const lines = await streamOf(near, kind);
      const first = await lines.next();

      const heldAtBytes = await still(() => proxy.answeredBytes) - beganBytes;
      assert.ok(heldAtBytes < UNDER_WAY_BYTES, `${heldAtBytes} bytes of the source were taken for a reader of one line`);
      for (const [at, one] of gateways.entries()) {
        const grownBytes = residentBytes(one) - restingBytes[at]!;
        assert.ok(grownBytes < GROWN_BYTES, `memory grew by ${grownBytes} bytes`);
      }

      const ids = new Set<string>();
      let last: Json = null;
      for (let line = first; line.done !== true; line = await lines.next()) {
        last = JSON.parse(line.value) as Json;
        if (last.id === undefined) continue;
        ids.add(last.id as string);
        assert.equal(last.headline, HEADLINE);
      }
      assert.deepEqual([last['@end'].returned, last['@end'].partial, ids.size], [ROWS, false, ROWS]);
      assert.ok(proxy.answeredBytes - beganBytes > STREAM_BYTES, 'the stream did not come through the proxy');
    });
  }
});

async function gateway(sources: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'lds-backpressure-'));
  await writeFile(join(folder, 'config.yaml'), ['sources:', ...sources.map((source) => `  - ${source}`)].join('\n'));
  return RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn', ...env }, folder);
}

/** The lines of all rows of a source, read only as they are asked for. */
async function streamOf(service: RunningService, source: string): Promise<AsyncIterator<string>> {
  const answer = await fetch(`${service.url}/v1/find`, {
    method: 'POST', headers: { authorization: `Bearer ${service.key}`, accept: 'application/x-ndjson' },
    body: JSON.stringify({ type: 'contacts', sources: { only: [source] }, count: 'none' }),
  });
  return createInterface({ input: Readable.from(answer.body!) })[Symbol.asyncIterator]();
}

/** What is counted when it has not changed for a while, or there is no more time to wait for that. */
async function still(count: () => number): Promise<number> {
  const beganMs = performance.now();
  let [last, sinceMs] = [count(), beganMs];
  while (performance.now() - sinceMs < STILL_MS && performance.now() - beganMs < STOPPED_MS_MAX) {
    await pause(50);
    if (count() !== last) [last, sinceMs] = [count(), performance.now()];
  }
  return last;
}

function residentBytes({ child }: RunningService): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))![1]) * 1_024;
}
