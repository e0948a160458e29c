import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { Connections } from '../../../src/sources/parquet/connect.ts';
import { literal } from '../../../src/sources/parquet/dialect.ts';
import type { Search } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { assertExact, including } from '../../contract/sources/odd_texts.ts';
import { failsAs } from '../fails_as.ts';
import { LISTS, OF_LISTS, searchesOf, term, TEXTS } from '../sql/sieved_texts.ts';
import { NEVER, read, WrittenFiles } from './written_files.ts';

const CONTACTS = vocabulary('contacts', []);

describe('what is looked for in the stored texts of parquet files before values are made of them', () => {
  const files = new WrittenFiles();
  const write = async (file: string, texts: readonly string[], columns: string): Promise<void> => {
    const from = `(SELECT unnest(range(${texts.length})) AS i, unnest([${texts.map(literal).join(', ')}]) AS text)`;
    await files.writer.run(`COPY (SELECT i AS id, ${columns} FROM ${from}) TO '${join(files.folder, file)}' (FORMAT parquet)`);
  };

  it('leaves out no row whose value holds it', async () => {
    await write('a.parquet', TEXTS, "text AS city, CASE WHEN i % 7 = 0 THEN text ELSE 'a' || i || '@' || replace(text, ' ', '') END AS email");
    const source = files.openAt('a.parquet');
    const shown = (await read(source)).map(({ json }) => readRow(json)['city']);
    assert.deepEqual(shown, TEXTS.map((text) => text.trim() || null));
    await assertExact(source, CONTACTS, searchesOf(LIMITS.sievedTextsMax));
  });

  it('holds for lists, and for those that are texts, with escapes of JSON or without', async () => {
    await write('texts.parquet', LISTS, 'text AS skills, [NULL, text] AS city');
    await write('lists.parquet', TEXTS, "[text, 'Bonn'] AS skills, [' ', text, 'Bonn'] AS city");
    for (const file of ['texts.parquet', 'lists.parquet']) {
      await assertExact(files.openAt(file), CONTACTS, OF_LISTS);
    }
  });

  it('counts by one statement, and by one more where there are rows of which the engine cannot tell, of whichever files', async (t) => {
    for (const file of ['a', 'b', 'c']) await write(`${file}.parquet`, file === 'c' ? ['Bonn', 'Kiel', 'Bonn'] : ['Kiel', 'Kiel 基', 'Bonn'], 'text AS city');
    const source = files.openAt('.');
    await source.describe(NEVER);
    const { batches } = Connections.prototype;
    t.after(() => { Connections.prototype.batches = batches; });
    let asked = 0;
    Connections.prototype.batches = function (this: Connections, ...given) {
      asked += 1;
      return batches.apply(this, given);
    };
    const counted = async (search: Search): Promise<readonly [sure: number, unsure: number | undefined, asked: number]> => {
      asked = 0;
      const { sure, unsure } = await source.count(search, NEVER);
      return [sure, unsure?.length, asked];
    };
    assert.deepEqual(await counted(term('word', ['bonn'], false)), [4, 0, 1]);
    assert.deepEqual(await counted(term('word', ['kiel'], false)), [3, 2, 2]);
    assert.deepEqual(await counted({ filters: [including('skills', 'go')], terms: [] }), [0, 0, 1]);
  });

  it('has failed where a file was replaced by another amid the count', async (t) => {
    await write('a.parquet', ['Kiel基', 'Kiel'], 'text AS city');
    const source = files.openAt('a.parquet');
    await source.describe(NEVER);
    const { all } = Connections.prototype;
    t.after(() => { Connections.prototype.all = all; });
    Connections.prototype.all = async function (this: Connections, ...given) {
      const rows = await all.apply(this, given);
      await write('next', ['Bonn', 'Bonn'], 'text AS city');
      await rename(join(files.folder, 'next'), join(files.folder, 'a.parquet'));
      return rows;
    };
    await assert.rejects(source.count(term('word', ['kiel'], false), NEVER), failsAs('broken'));
  });
});
