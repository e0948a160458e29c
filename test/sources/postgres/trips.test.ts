import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import { openReplicas } from '../../../src/sources/replicas/open.ts';
import { Tallies } from '../../../src/sources/replicas/tallies.ts';
import type { ForeignSource, Search, SourceFailure } from '../../../src/sources/source.ts';
import { Relay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { CONTACTS } from './odd_table.ts';

const ROWS = 5_000;
/** A message that has rows sent, whose length takes one byte. */
const EXECUTE = Buffer.from([0x45, 0, 0, 0]);

function peopleAt(url: string, table = 'public.people'): ForeignSource {
  const columns = { id: 'key' };
  return openPostgres({ vocabulary: CONTACTS, config: { name: 'people', dataset: 'contacts', kind: 'postgres', url, table, columns, compared: {}, connect_timeout_ms: 10_000 } });
}

describe('the ways to a postgres server and back', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  let relay: Relay;
  let source: ForeignSource;
  let trips = 0;
  const signal = new AbortController().signal;
  const all: Search = { filters: [], terms: [] };
  const untold = (): Search => ({ filters: [], terms: [{ kind: 'word', words: ['\u0438\u0432\u0430\u043d'], negated: false }] });
  before(async () => {
    server = await PostgresServer.start();
    await server.query(`CREATE TABLE people (key int PRIMARY KEY, full_name text); INSERT INTO people SELECT i, '\u0418\u0432\u0430\u043d ' || i FROM generate_series(1, ${ROWS}) i`);
    relay = await Relay.to(server.port);
    relay.cutAfter = (sent) => {
      if (sent.includes(EXECUTE)) trips += 1;
      return false;
    };
    const url = server.url.replace(`:${server.port}/`, `:${relay.port}/`);
    source = peopleAt(url);
    // Two connections, which are made ready over them too.
    await source.count(untold(), signal);
  }, { timeout: 180_000 });
  after(async () => {
    await source.close();
    await relay.close();
    await server.stop();
  });

  it('are one for a page of few rows, and one more for one of many', async () => {
    for (const [wanted, most] of [[26, 1], [101, 2], [1_001, 2]] as const) {
      trips = 0;
      const request = { ...all, fields: null, order: 'stored', from: null, rowsWanted: wanted, dropped: () => {} } as const;
      for await (const rows of source.rows(request, signal)) {
        assert.equal(rows.length, wanted);
        break;
      }
      assert.equal(trips, most, `${wanted} rows`);
    }
  });

  it('are few for the rows of which the server cannot tell', async () => {
    trips = 0;
    const { sure, unsure } = await source.count(untold(), signal);
    assert.deepEqual([sure, unsure?.length], [0, ROWS]);
    assert.equal(trips, 3, 'one for those of which it can');
  });

  it('lead to another server while the database takes no connections', async () => {
    const url = await server.database();
    await server.query(`ALTER DATABASE ${url.slice(url.lastIndexOf('/') + 1)} ALLOW_CONNECTIONS false`);
    await assert.rejects(peopleAt(url).count(all, signal), ({ code, message }: SourceFailure) => code === 'unreachable' && message.startsWith('55000 '));
    const either = openReplicas([peopleAt(url), peopleAt(server.url)], new Tallies());
    assert.equal((await either.count(all, signal)).sure, ROWS);
    await either.close();
  });

  it('leave nothing behind of the rows that were read, however long a stream is', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const held = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    await server.query("CREATE TABLE long AS SELECT i AS key, repeat('x', 2000) || i AS full_name FROM generate_series(1, 20000) i");
    const long = peopleAt(server.url, 'public.long');
    const stream = long.rows({ ...all, fields: null, order: 'stored', from: null, rowsWanted: null }, signal);
    let bytes = 0;
    try {
      await stream.next();
      const before = held();
      while (bytes < 30e6) for (const { json } of (await stream.next()).value!) bytes += json.length;
      const grown = held() - before;
      assert.ok(grown < bytes / 4, `${grown} bytes more after ${bytes}`);
    } finally {
      await stream.return(undefined);
      await long.close();
    }
  });

  it('hold no session while the last rows are read, which the server may end where it has nothing to do', async () => {
    const url = `${server.url}?options=-c%20idle_session_timeout%3D100&application_name=last`;
    const idle = peopleAt(url);
    try {
      let came = 0;
      for await (const rows of idle.rows({ ...all, fields: null, order: 'stored', from: null, rowsWanted: null }, signal)) {
        came += rows.length;
        if (came === ROWS) await until(async () => (await server.query("SELECT FROM pg_stat_activity WHERE application_name = 'last'")).length === 0);
      }
      assert.equal(came, ROWS);
    } finally {
      await idle.close();
    }
  });

  it('last as long as their caller waits, whatever time the role has for a transaction', async (t) => {
    if ((await server.query("SELECT 1 FROM pg_settings WHERE name = 'transaction_timeout'")).length === 0) return t.skip('the server is older than version 17');
    const url = `${server.url}?options=-c%20transaction_timeout%3D100`;
    const slow = peopleAt(url);
    let came = 0;
    for await (const rows of slow.rows({ ...all, fields: null, order: 'stored', from: null, rowsWanted: null }, signal)) {
      came += rows.length;
      if (came < 1_000) await setTimeout(200);
    }
    assert.equal(came, ROWS);
    await slow.close();
  });

  it('end with what the server said where it ended a session between two batches, as a standby does that has to apply a change', async () => {
    const url = `${server.url}?application_name=ended`;
    const ended = peopleAt(url);
    const rows = ended.rows({ ...all, fields: null, order: 'stored', from: null, rowsWanted: null }, signal);
    await rows.next();
    await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'");
    await until(async () => (await server.query("SELECT FROM pg_stat_activity WHERE application_name = 'ended'")).length === 0);
    await assert.rejects(rows.next(), ({ code, message }: SourceFailure) => code === 'broken' && message.startsWith('57P01 '));
    await ended.close();
  });
});
