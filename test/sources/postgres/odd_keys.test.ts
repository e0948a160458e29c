import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { rowsOf } from '../../contract/sources/odd_texts.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { assertWalks, withOddTable } from './odd_table.ts';

describe('keys of postgres', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  before(async () => { server = await PostgresServer.start(); }, { timeout: 180_000 });
  after(() => server.stop());

  it('walks rows whose keys differ and are shown as one', async () => {
    const keys = [['text', ['a ', ' a', 'a', '  a', ' a ']], ['text[]', ['{a,b}', '{a}', '{a,c}', '{a,a}', '{NULL,a}']], ['jsonb', ['["1", 2]', '1', '"1"', '[1]', '["1"]']], ['char(9)', ['  a', 'a', ' a', '   a']]] as const;
    for (const [type, values] of keys) {
      const rows = values.map((value, at) => `('${value}', 'city ${at}', 'p@x.org')`).join(', ');
      await withOddTable(server, `CREATE TABLE odd (key ${type} PRIMARY KEY, city text, email text); INSERT INTO odd VALUES ${rows}`, { id: 'key' }, async (source) => {
        await assertWalks(source);
        // In which order the table has them is of no matter.
        const cities = async (): Promise<unknown[]> => (await rowsOf(source, { order: 'identity' })).map(({ json }) => readRow(json)['city']);
        const before = await cities();
        await server.query("UPDATE odd SET email = email WHERE city = 'city 0'");
        assert.deepEqual(await cities(), before, type);
      });
    }
  });
});
