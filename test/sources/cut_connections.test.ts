import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { openClickhouse } from '../../src/sources/clickhouse/open.ts';
import { openReplicas } from '../../src/sources/replicas/open.ts';
import { Tallies } from '../../src/sources/replicas/tallies.ts';
import type { ForeignSource, SourceFailure } from '../../src/sources/source.ts';
import { rowsOf } from '../contract/sources/odd_texts.ts';
import { Relay } from '../support/relay.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';

const LANES = 6;

describe('connections over http that were cut while nobody looked', { skip: NO_CLICKHOUSE }, () => {
  let server: ClickhouseServer;
  let relay: Relay;
  let tallies: Tallies;
  let source: ForeignSource;
  before(async () => {
    server = await ClickhouseServer.start();
    await server.query('CREATE TABLE people (id UInt64, full_name String) ENGINE = MergeTree ORDER BY id');
    await server.query("INSERT INTO people VALUES (1, 'Jo')");
    relay = await Relay.to(server.port);
    tallies = new Tallies();
    const url = server.url.replace(`:${server.port}`, `:${relay.port}`);
    const config = { name: 'people', dataset: 'contacts', kind: 'clickhouse', url, table: 'default.people', columns: {}, compared: {}, connect_timeout_ms: 10_000 } as const;
    source = openReplicas([openClickhouse({ vocabulary: vocabulary('contacts'), config })], tallies);
    await source.describe(AbortSignal.timeout(60_000));
  }, { timeout: 180_000 });
  after(async () => {
    await source.close();
    await relay.close();
    await server.stop();
  });

  /** Those that lie idle are cut as soon as they are used again. */
  async function cutIdle(): Promise<void> {
    await Promise.all(Array.from({ length: LANES }, () => rowsOf(source)));
    const until = relay.connections;
    assert.ok(until > 1);
    relay.cutAfter = (_, connection) => connection <= until;
  }

  it('fail no search, and cost one of them a second attempt', async () => {
    await cutIdle();
    for (let times = 0; times < 2 * LANES; times += 1) assert.equal((await rowsOf(source)).length, 1);
    assert.equal(tallies.retries, 1);
  });

  it('fail no search of those that find it out at the same time', async () => {
    await cutIdle();
    for (const rows of await Promise.all(Array.from({ length: LANES }, () => rowsOf(source)))) assert.equal(rows.length, 1);
  });

  it('are no excuse for a server that cuts each search', async () => {
    relay.cutAfter = (sent) => sent.includes('people');
    await assert.rejects(rowsOf(source), ({ code }: SourceFailure) => code === 'broken');
    relay.cutAfter = () => false;
    assert.equal((await rowsOf(source)).length, 1);
  });
});
