import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import type { ForeignSource, SourceFailure } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { walkedOf } from '../../contract/sources/odd_texts.ts';
import { ChdbServer } from '../../support/servers/chdb.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';

const NEVER = new AbortController().signal;
const NAMES = ['@at', '@sure', '@held', '@rows', '@unsure', '@value', '@key', '@native', '@code', '@latest', '@count of email', 'f:id', 'f:email', 't:updated_at'];

type Server = { readonly url: string; query(statement: string): unknown; stop(): Promise<void> };
type Mapped = Record<string, string>;

function open(server: Server, columns: Mapped, compared: Mapped): ForeignSource {
  return openClickhouse({
    vocabulary: vocabulary('contacts'),
    config: { name: 'odd', dataset: 'contacts', kind: 'clickhouse', url: server.url, table: 'default.odd', columns, compared, connect_timeout_ms: 10_000 },
  });
}

function ownNames(start: () => Promise<Server>): void {
  let server: Server;
  before(async () => { server = await start(); }, { timeout: 180_000 });
  after(() => server.stop());

  async function withColumn(called: string): Promise<void> {
    await server.query('DROP TABLE IF EXISTS odd');
    await server.query(`CREATE TABLE odd (id UInt32, email String, country String, updated_at DateTime, \`${called}\` String) ENGINE = MergeTree ORDER BY id`);
    await server.query("INSERT INTO odd SELECT 7, 'a@x.org', 'DE', toDateTime(1000000000), 'own'");
  }

  for (const called of NAMES) {
    it(`refuses to read a column called ${called}, and passes over it where it is not read`, async () => {
      await withColumn(called);
      for (const [columns, compared] of [[{ headline: called }, {}], [{}, { city: called }]] as [Mapped, Mapped][]) {
        const source = open(server, columns, compared);
        await assert.rejects(source.describe(NEVER), (error: SourceFailure) => error.code === 'refused' && error.message.startsWith(`the column ${called} is called as`));
        await source.close();
      }
      const source = open(server, {}, {});
      for (const order of ['stored', 'identity'] as const) {
        const rows = (await walkedOf(source, order)).map(({ json }) => readRow(json));
        assert.deepEqual(rows.map(({ id, email, country, updated_at: updated }) => [id, email, country, updated]), [['odd:7', 'a@x.org', 'DE', '2001-09-09T01:46:40Z']], order);
      }
      const { rows, countries, fill, updatedAt } = await source.figures(NEVER);
      assert.deepEqual([rows, countries, fill['email'], updatedAt], [1, { DE: 1 }, 1, '2001-09-09T01:46:40Z']);
      assert.deepEqual((await source.facet('country', { filters: [], terms: [] }, NEVER))!.values, [['DE', 1]]);
      await source.close();
    });
  }

  it('reads a column called as nothing of them', async () => {
    await withColumn('@timestamp');
    const source = open(server, { headline: '@timestamp' }, {});
    assert.deepEqual((await walkedOf(source, 'stored')).map(({ json }) => readRow(json)['headline']), ['own']);
    await source.close();
  });
}

describe('own names of clickhouse', { skip: NO_CLICKHOUSE }, () => ownNames(() => ClickhouseServer.start()));
describe('own names of clickhouse 26', () => ownNames(() => ChdbServer.start()));
