import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import { openReplicas } from '../../../src/sources/replicas/open.ts';
import { Tallies } from '../../../src/sources/replicas/tallies.ts';
import type { ForeignSource, SourceFailure } from '../../../src/sources/source.ts';
import { rowsOf } from '../../contract/sources/odd_texts.ts';
import { Relay } from '../../support/relay.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { CONTACTS } from './odd_table.ts';

const SESSIONS = 6;

describe('sessions of postgres that were cut while nobody looked', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  let relay: Relay;
  let tallies: Tallies;
  let source: ForeignSource;
  before(async () => {
    server = await PostgresServer.start();
    await server.query("CREATE TABLE people (key int PRIMARY KEY, full_name text); INSERT INTO people VALUES (1, 'Jo')");
    relay = await Relay.to(server.port);
    tallies = new Tallies();
    const url = server.url.replace(`:${server.port}/`, `:${relay.port}/`);
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
    const until = relay.connections;
    const retries = tallies.retries;
    relay.cutAfter = (_, connection) => connection <= until;
    for (let times = 0; times < 2 * SESSIONS; times += 1) assert.equal((await rowsOf(source)).length, 1);
    assert.deepEqual([tallies.retries - retries, relay.connections - until], [1, 1]);
  });

  it('fail no search of those that find it out at the same time', async () => {
    await lieIdle();
    const until = relay.connections;
    relay.cutAfter = (_, connection) => connection <= until;
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
});
