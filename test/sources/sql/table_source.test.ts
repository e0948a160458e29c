import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { SourceFailure, type Search } from '../../../src/sources/source.ts';
import { countedFields } from '../../../src/sources/sql/counted_fields.ts';
import { POSTGRES } from '../../../src/sources/postgres/dialect.ts';
import { TableSource, type Table, type TableEngine, type Where } from '../../../src/sources/sql/table_source.ts';

const ALL: Search = { filters: [], terms: [] };
/** Of a time that is stored as a text no engine can tell. */
const SEARCH: Search = { filters: [{ kind: 'intervals', name: 'updated_at', include: [[0, 1]], exclude: [] }], terms: [] };
const CONTACTS = vocabulary('contacts', []);
const columns = { vocabulary: CONTACTS, has: () => true, compared: () => null, time: () => null };
const table = { look: async () => ({ columns }), reading: () => ({ dialect: POSTGRES, columns }) };
const { signal } = new AbortController();

function sourceOf(unsure: () => AsyncGenerator<readonly string[]>): TableSource<Table> {
  const engine = { ...table, count: async () => ({ sure: 7, unsure: 1, at: [] }), unsure };
  return new TableSource({ vocabulary: vocabulary('contacts', []), config: { columns: {} } } as never, engine as unknown as TableEngine<Table>);
}

test('the rows that an engine cannot tell of are looked for once a search, and again where that failed', async () => {
  let asked = 0;
  const source = sourceOf(async function* () {
    asked += 1;
    if (asked === 1) throw new SourceFailure('unreachable', 'no connection');
    yield ['{}'];
  });
  await assert.rejects(source.count(SEARCH, signal), /no connection/);
  for (let round = 0; round < 2; round += 1) assert.deepEqual(await source.count(SEARCH, signal), { sure: 7, unsure: ['{}'] });
  assert.equal(asked, 2);
});

test('no more of them are held than there is room for, by number and by bytes: the rest is not read', async () => {
  const unsureOf = async (rows: number, json: string): Promise<{ readonly unsure: number | null; readonly read: number }> => {
    let read = 0;
    const source = sourceOf(async function* () { for (; read < rows; read += 1) yield [json]; });
    const { unsure } = await source.count(SEARCH, signal);
    return { unsure: unsure?.length ?? null, read };
  };
  assert.deepEqual(await unsureOf(LIMITS.unsureRowsMax, '{}'), { unsure: LIMITS.unsureRowsMax, read: LIMITS.unsureRowsMax });
  assert.equal((await unsureOf(LIMITS.unsureRowsMax + 1, '{}')).unsure, null);
  const long = ' '.repeat(LIMITS.unsureBytesMax / 8);
  assert.deepEqual(await unsureOf(8, long), { unsure: 8, read: 8 });
  assert.deepEqual(await unsureOf(100, long), { unsure: null, read: 8 });
});

test('they are asked for once they were counted, where an engine said that they stand, and not at all where there are none or too many', async () => {
  const asked: unknown[] = [];
  const told = async (unsure: number, at: readonly Where[] = [], search = SEARCH): Promise<unknown> => {
    const engine = {
      ...table, count: async () => { asked.push('count'); return { sure: 7, unsure, at }; },
      async *unsure(_table: unknown, _search: unknown, at: unknown) { asked.push(at); yield ['{}']; },
    };
    const source = new TableSource({ vocabulary: vocabulary('contacts', []), config: { columns: {} } } as never, engine as unknown as TableEngine<Table>);
    return (await Promise.all([source.count(search, signal), source.count(search, signal)]))[1];
  };
  const at = ['a.parquet', '3'] as const;
  assert.deepEqual([await told(0), asked.splice(0)], [{ sure: 7, unsure: [] }, ['count']]);
  assert.deepEqual([await told(1, [at]), asked.splice(0)], [{ sure: 7, unsure: ['{}'] }, ['count', [at]]]);
  assert.deepEqual([await told(LIMITS.unsureRowsMax), asked.splice(0)], [{ sure: 7, unsure: ['{}'] }, ['count', []]]);
  assert.deepEqual([await told(LIMITS.unsureRowsMax + 1), asked.splice(0)], [{ sure: 7, unsure: null }, ['count']]);
  // Of such a search it can tell of every row, whatever it counts.
  assert.deepEqual([await told(1, [], ALL), asked.splice(0)], [{ sure: 7, unsure: [] }, ['count']]);
});

test('rows are counted by what is searched, suppressed or counted as a facet, and by no long text beside that', () => {
  const companies = vocabulary('companies', []);
  const words: Search = { filters: [], terms: [{ kind: 'word', words: ['jam'], negated: false }] };
  const [plain, searched] = [countedFields(ALL, companies), countedFields(words, companies)];
  for (const field of ['id', 'domain', 'email', 'industry', 'employee_count', 'phone']) assert.ok(plain.includes(field), field);
  assert.deepEqual([plain.includes('description'), searched.includes('description')], [false, true]);
  const [uncounted, counted] = [countedFields({ ...ALL, facets: [] }, companies), countedFields({ ...ALL, facets: ['industry'] }, companies)];
  for (const field of ['domain', 'email']) assert.ok(uncounted.includes(field), field);
  assert.deepEqual([uncounted.includes('industry'), counted.includes('industry'), counted.includes('employee_count')], [false, true, false]);
});

test('a facet of lists is not counted, but where the table has no such column: there no row has a value', async () => {
  const words = vocabulary('contacts', [{ name: 'tags', type: 'strings', description: 'tags' }]);
  const facet = (has: boolean): Promise<unknown> => {
    const listed = { columns: { vocabulary: words, has: () => has } };
    const engine = { look: async () => listed, reading: () => listed };
    return new TableSource({ vocabulary: words, config: { columns: {} } } as never, engine as unknown as TableEngine<Table>).facet('tags', ALL, signal);
  };
  assert.deepEqual(await facet(false), { name: 'tags', values: [] });
  assert.equal(await facet(true), null);
});
