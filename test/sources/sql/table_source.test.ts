import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { SourceFailure, type Search } from '../../../src/sources/source.ts';
import { TableSource, type Table, type TableEngine } from '../../../src/sources/sql/table_source.ts';

const SEARCH: Search = { filters: [], terms: [] };
const { signal } = new AbortController();

function sourceOf(unsure: () => Promise<readonly string[]>): TableSource<Table> {
  const engine = { look: async () => ({}), count: async () => 7, unsure };
  return new TableSource({ vocabulary: vocabulary('contacts', []), config: { columns: {} } } as never, engine as unknown as TableEngine<Table>);
}

test('the rows that an engine cannot tell of are looked for once a search, and again where that failed', async () => {
  let asked = 0;
  const source = sourceOf(async () => {
    asked += 1;
    if (asked === 1) throw new SourceFailure('unreachable', 'no connection');
    return ['{}'];
  });
  await assert.rejects(source.count(SEARCH, signal), /no connection/);
  for (let round = 0; round < 2; round += 1) assert.deepEqual(await source.count(SEARCH, signal), { sure: 7, unsure: ['{}'] });
  assert.equal(asked, 2);
});

test('a facet of lists is not counted, but where the table has no such column: there no row has a value', async () => {
  const words = vocabulary('contacts', [{ name: 'tags', type: 'strings', description: 'tags' }]);
  const facet = (has: boolean): Promise<unknown> => {
    const engine = { look: async () => ({ columns: { vocabulary: words, has: () => has } }) };
    return new TableSource({ vocabulary: words, config: { columns: {} } } as never, engine as unknown as TableEngine<Table>).facet('tags', SEARCH, signal);
  };
  assert.deepEqual(await facet(false), { name: 'tags', values: [] });
  assert.equal(await facet(true), null);
});
