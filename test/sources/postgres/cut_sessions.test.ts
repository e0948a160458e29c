import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Connections } from '../../../src/sources/postgres/connect.ts';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import { openReplicas } from '../../../src/sources/replicas/open.ts';
import { Tallies } from '../../../src/sources/replicas/tallies.ts';
import type { ForeignSource, SourceFailure } from '../../../src/sources/source.ts';
import { rowsOf } from '../../contract/sources/odd_texts.ts';
import { Relay } from '../../support/relay.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { until } from '../../support/until.ts';
import { CONTACTS } from './odd_table.ts';

const SESSIONS = 6;

describe('sessions of postgres that were cut while nobody looked', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  let relay: Relay;
  let tallies: Tallies;
  let source: ForeignSource;
  let url: string;
  before(async () => {
    server = await PostgresServer.start();
    await server.query("CREATE TABLE people (key int PRIMARY KEY, full_name text); INSERT INTO people VALUES (1, 'Jo')");
    relay = await Relay.to(server.port);
    tallies = new Tallies();
    url = server.url.replace(`:${server.port}/`, `:${relay.port}/`);
    const config = { name: 'people', dataset: 'contacts', kind: 'postgres', url, table: 'public.people', columns: { id: 'key' }, compared: {}, connect_timeout_ms: 10_000 } as const;
    source = openReplicas([openPostgres({ vocabulary: CONTACTS, config })], tallies);
    await source.describe(AbortSignal.timeout(60_000));
  }, { timeout: 180_000 });
  after(async () => {
    await source.close();
    await relay.close();
    await server.stop();
  });

  async function lieIdle(): Promise<void> {
    await Promise.all(Array.from({ length: SESSIONS }, () => rowsOf(source)));
    assert.ok(relay.connections > 1);
  }

  it('fail no search, and cost one of them a second attempt', async () => {
    await lieIdle();
    const lain = relay.connections;
    const retries = tallies.retries;
    relay.cutAfter = (_, connection) => connection <= lain;
    for (let times = 0; times < 2 * SESSIONS; times += 1) assert.equal((await rowsOf(source)).length, 1);
    assert.deepEqual([tallies.retries - retries, relay.connections - lain], [1, 1]);
  });

  it('fail no search of those that find it out at the same time', async () => {
    await lieIdle();
    const lain = relay.connections;
    relay.cutAfter = (_, connection) => connection <= lain;
    for (const rows of await Promise.all(Array.from({ length: SESSIONS }, () => rowsOf(source)))) assert.equal(rows.length, 1);
  });

  it('are no excuse for a server that cuts each search', async () => {
    await lieIdle();
    const retries = tallies.retries;
    relay.cutAfter = (sent) => sent.includes('people');
    await assert.rejects(rowsOf(source), ({ code, started }: SourceFailure) => code === 'broken' && started);
    assert.equal(tallies.retries - retries, 1);
    await assert.rejects(rowsOf(source), ({ code, started }: SourceFailure) => code === 'broken' && started);
    assert.equal(tallies.retries - retries, 1);
    relay.cutAfter = () => false;
    assert.equal((await rowsOf(source)).length, 1);
  });

  it('may be found out while their source is closed, which is the end of it', async () => {
    const { connections, ask } = asking();
    await ask('SELECT 1');
    let closed: Promise<void> | null = null;
    relay.cutAfter = (sent) => {
      if (sent.includes('late')) closed = connections.close();
      return closed !== null;
    };
    await assert.rejects(ask('SELECT 2 AS late'), ({ code }: SourceFailure) => code === 'broken');
    await closed;
    relay.cutAfter = () => false;
    await assert.rejects(ask('SELECT 3'), ({ code }: SourceFailure) => code === 'unreachable');
  });

  it('leave those beside them to their searches, for which a source that is closed waits', async () => {
    const { connections, ask } = asking();
    await Promise.all([ask('SELECT 1'), ask('SELECT 1')]);
    const slow = ask('SELECT pg_sleep(1)');
    relay.cutAfter = (sent) => sent.includes('late');
    await assert.rejects(ask('SELECT 2 AS late'), ({ code, started }: SourceFailure) => code === 'broken' && !started);
    relay.cutAfter = () => false;
    assert.equal(await Promise.race([connections.close(), slow.then(() => 'searched')]), 'searched');
  });

  it('are no different from one that is cut as soon as it is made: nothing was asked over it', async () => {
    const { connections, ask } = asking();
    relay.cutAfter = (sent) => sent.includes('client_connection_check_interval');
    await assert.rejects(ask('SELECT 1'), ({ code, started }: SourceFailure) => code === 'unreachable' && !started);
    relay.cutAfter = () => false;
    await ask('SELECT 1');
    await connections.close();
  });

  it('are told from one that was cut while the server ran its search, which is not to be asked again', async () => {
    const { connections, ask } = asking();
    await ask('SELECT 1');
    const cut = assert.rejects(ask('SELECT pg_sleep(60) AS dozing'), ({ code, started }: SourceFailure) => code === 'broken' && started);
    await until(async () => (await server.query("SELECT FROM pg_stat_activity WHERE query LIKE '%AS dozing' AND wait_event = 'PgSleep'")).length === 1);
    relay.cut();
    await cut;
    await connections.close();
  });

  function asking() {
    const connections = new Connections({ url, connectMs: 10_000, connections: SESSIONS });
    return { connections, ask: (text: string) => connections.all({ text, values: [] }, 1, 'short', AbortSignal.timeout(60_000)) };
  }
});
