import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { literal } from '../../../src/sources/clickhouse/dialect.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import type { ForeignSource } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { assertExact, rowsOf } from '../../contract/sources/odd_texts.ts';
import { ChdbServer } from '../../support/servers/chdb.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { LISTS, OF_LISTS, searchesOf, TEXTS } from '../sql/sieved_texts.ts';

type Server = { readonly url: string; query(statement: string): unknown; stop(): Promise<void> };
const CONTACTS = vocabulary('contacts', []);

function searchTexts(start: () => Promise<Server>): void {
  let server: Server;
  before(async () => { server = await start(); }, { timeout: 180_000 });
  after(() => server.stop());

  const withTexts = async (columns: string, texts: readonly string[], made: string, use: (source: ForeignSource) => Promise<void>): Promise<void> => {
    await server.query('DROP TABLE IF EXISTS texts');
    await server.query(`CREATE TABLE texts (id UInt32, ${columns}) ENGINE = MergeTree ORDER BY id`);
    await server.query(`INSERT INTO texts SELECT rowNumberInBlock() AS id, ${made} FROM (SELECT arrayJoin([${texts.map(literal).join(', ')}]) AS text)`);
    const config = { name: 'odd', dataset: 'contacts', kind: 'clickhouse', url: server.url, table: 'default.texts', columns: {}, compared: {}, connect_timeout_ms: 10_000 } as const;
    const source = openClickhouse({ vocabulary: CONTACTS, config });
    try {
      await use(source);
    } finally {
      await source.close();
    }
  };

  it('by what is left of them without blanks', async () => {
    await withTexts('city String, email Nullable(String)', TEXTS, "text, if(id % 7 = 0, text, concat('a', toString(id), '@', replaceAll(text, ' ', '')))", async (source) => {
      assert.deepEqual((await rowsOf(source)).map(({ json }) => readRow(json)['city']), TEXTS.map((text) => text.trim() || null));
      await assertExact(source, CONTACTS, searchesOf(LIMITS.sievedTextsMax));
    });
  });

  it('in lists, and in those that are texts, with escapes of JSON or without', async () => {
    await withTexts('skills String, city Array(String)', LISTS, "text, ['', text]", (source) => assertExact(source, CONTACTS, OF_LISTS));
    await withTexts('skills Array(String), city Nullable(String)', TEXTS, "[text, 'Bonn'], text", (source) => assertExact(source, CONTACTS, OF_LISTS));
  });
}

describe('texts are searched by an old clickhouse server', { skip: NO_CLICKHOUSE }, () => searchTexts(() => ClickhouseServer.start()));
describe('texts are searched by clickhouse 26', () => searchTexts(() => ChdbServer.start()));
