import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { Connections } from '../../../src/sources/clickhouse/connect.ts';
import { saidFailure } from '../../../src/sources/clickhouse/errors.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import { openReplicas } from '../../../src/sources/replicas/open.ts';
import { Tallies } from '../../../src/sources/replicas/tallies.ts';
import type { FailureCode, ForeignSource } from '../../../src/sources/source.ts';
import { rowsOf } from '../../contract/sources/odd_texts.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { failsAs } from '../fails_as.ts';

test('a search that needs more memory than one may have is refused, in the words of old servers and new; of what is shared with others there is no more room', () => {
  const told: readonly (readonly [said: string, code: FailureCode])[] = [
    ['Code: 241, e.displayText() = DB::Exception: Received from ch2:9000, 10.0.0.2. DB::Exception: Memory limit (for query) exceeded: would use 28.64 MiB, maximum: 28.61 MiB', 'refused'],
    ['Code: 241. DB::Exception: Query memory limit exceeded: would use 40.06 MiB, maximum: 28.61 MiB. (MEMORY_LIMIT_EXCEEDED)', 'refused'],
    ['Code: 241, e.displayText() = DB::Exception: Memory limit (for user) exceeded: would use 28.64 MiB, maximum: 28.61 MiB', 'overloaded'],
    ['Code: 241. DB::Exception: User memory limit exceeded: would use 40.00 MiB. OvercommitTracker decision: Query was selected to stop by OvercommitTracker. (MEMORY_LIMIT_EXCEEDED)', 'overloaded'],
    ['Code: 241. DB::Exception: (total) memory limit exceeded: would use 3.61 GiB, maximum: 3.51 GiB. (MEMORY_LIMIT_EXCEEDED)', 'overloaded'],
  ];
  for (const [said, code] of told) assert.equal(saidFailure(said, 500).code, code, said);
});

test('a server would not run what needs more memory than one statement may have, and has no room where it is more than its user may have', { skip: NO_CLICKHOUSE, timeout: 180_000 }, async () => {
  const server = await ClickhouseServer.start();
  try {
    for (const [limits, code] of [['max_memory_usage=30000000', 'refused'], ['max_memory_usage=0&max_memory_usage_for_user=30000000', 'overloaded']] as const) {
      const connections = new Connections({ url: `${server.url}/?${limits}`, connectMs: 10_000, connections: 1 });
      const asked = connections.all('SELECT groupArray(toString(number)) AS x FROM system.numbers', 'short', AbortSignal.timeout(60_000));
      await assert.rejects(asked, failsAs(code), limits).finally(() => connections.close());
    }
  } finally {
    await server.stop();
  }
});

test('a server is unreachable for a user whom it does not let in, and another one is asked', { skip: NO_CLICKHOUSE, timeout: 180_000 }, async () => {
  const server = await ClickhouseServer.start();
  const config = { name: 'people', dataset: 'contacts', kind: 'clickhouse', table: 'people', columns: {}, compared: {}, connect_timeout_ms: 10_000 } as const;
  const sourceAt = (url: string): ForeignSource => openClickhouse({ vocabulary: vocabulary('contacts'), config: { ...config, url } });
  try {
    await server.query("CREATE TABLE people ENGINE = Memory AS SELECT toUInt64(1) AS id, 'Jo' AS full_name");
    for (const user of ['default:changed', 'default:', 'nobody:secret']) {
      const url = server.url.replace('default:secret', user);
      const shut = sourceAt(url);
      await assert.rejects(rowsOf(shut), failsAs('unreachable'), user).finally(() => shut.close());
      const both = openReplicas([sourceAt(url), sourceAt(server.url)], new Tallies());
      assert.equal((await rowsOf(both)).length, 1, user);
      await both.close();
    }
  } finally {
    await server.stop();
  }
});
