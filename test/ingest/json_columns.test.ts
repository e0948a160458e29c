import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Duck, literal } from '../../src/ingest/duckdb.ts';
import { jsonColumns, shapeOf } from '../../src/ingest/json_columns.ts';
import { Shape, texts } from '../../src/ingest/json_shape.ts';
import { testLake } from './lake.ts';

const folder = await mkdtemp(join(tmpdir(), 'lds-json-columns-'));
const duck = await Duck.open(folder, { folders: [], files: [] }, new AbortController().signal);
after(async () => { duck.close(); await rm(folder, { recursive: true }); });

/** The texts of a column of records that have a value of JSON each under `k`, behind as many records with `before` as there are to be: which are then looked at alone. */
async function read(values: readonly string[], column = 'k', before = { value: '', records: 0 }): Promise<(string | null)[]> {
  const many = `SELECT ${literal(`{"k":${before.value}}`)} AS line FROM range(${before.records})`;
  await duck.run(`CREATE OR REPLACE TABLE records AS SELECT * FROM (${many}) UNION ALL SELECT unnest([${values.map((value) => literal(`{"k":${value}}`)).join(', ')}])`);
  const looked = before.records > 0 ? `LIMIT ${before.records}` : '';
  const shape = await shapeOf(duck, `SELECT line, rowid AS place FROM records ${looked}`);
  const found = jsonColumns(shape).find(({ name }) => name === column)!;
  const records = `SELECT json_transform(line, ${literal(JSON.stringify(texts(shape)))}) AS record, line FROM records`;
  return (await duck.rows(`SELECT ${found.sql} AS text FROM (${records}) LIMIT ${values.length} OFFSET ${before.records}`)).map(({ text }) => text as string | null);
}

/** What stands in a column beside the others: nothing, or what makes the engine hold it for one of numbers, of whole ones, of texts, of any kind, or of records too. */
const BESIDE = ['null', '8.5', '8', '"x8"', 'true', '[7.0]', '{"of":1}', '12345678901234567890123', '-1'];

test('a number of JSON that is whole has no point, whatever other records hold, and what is a text keeps it', async () => {
  const numbers = ['7.0', '7e0', '7.00', '1e3', '0.0', '-7.0', '7', '7.5', '1.10', '12345678901234567890123', '18446744073709551615', '1e15', '1e16', '1.0e300'];
  const wanted = ['7', '7', '7', '1000', '0', '-7', '7', '7.5', '1.1', '12345678901234567890123', '18446744073709551615', '1000000000000000', '1e+16', '1e+300'];
  const strings = ['"7.0"', '"7.00"', '"x.0"', '".0"', '"-7.0"', '"1e3"', '""'];
  for (const beside of BESIDE) {
    assert.deepEqual((await read([...numbers, beside])).slice(0, -1), wanted, beside);
    assert.deepEqual((await read([beside, ...numbers, ...strings, 'null'])).slice(1), [...wanted, ...strings.map((text) => JSON.parse(text) as string), null], beside);
  }
});

test('a huge whole number is no less exact for a fraction or a text beside it', async () => {
  const huge = ['9007199254740993', '18446744073709551616', '-9223372036854775809', '123456789012345678901234567890'];
  for (const beside of ['1', '1.0', '1.5', '"x"', '{"of":1}']) assert.deepEqual((await read([...huge, beside])).slice(0, -1), huge, beside);
});

test('what no sample of the records shows is read no other way than what it shows', async () => {
  for (const value of ['8', '8.5', '"x8"', 'null']) assert.deepEqual(await read(['7.0'], 'k', { value, records: 2 }), ['7'], value);
  assert.deepEqual(await read(['"7.0"'], 'k', { value: '8.5', records: 2 }), ['7.0']);
});

test('a whole number in a record, or under a key that differs from another in case alone, has no point either', async () => {
  assert.deepEqual(await read(['{"a/b":7.0}', '{"a/b":"7.0"}', '"x"'], 'k.a/b'), ['7', '7.0', null]);
  assert.deepEqual(await read(['{"~a":{"b":7.0}}', '{"~a":{"b":"7.0"}}'], 'k.~a.b'), ['7', '7.0']);
  assert.deepEqual(await read(['1,"K":7.0', '2,"K":"7.0"', '3,"K":{"of":1}', '4,"K":1e16'], 'K'), ['7', '7.0', null, '1e+16']);
});

test('the key of a record does not depend on the other records', async () => {
  for (const other of ['8', '"x8"', '8.0', '"8.0"']) {
    const lake = await testLake();
    await lake.ingest([await lake.file('a.ndjson', `{"id":7.0,"name":"Ann","zip":10115.0}\n{"id":${other},"name":"Bob","zip":"10116"}\n{"id":"7.0","name":"Cem"}\n`)]);
    const rows = await lake.rows();
    assert.deepEqual([...rows.keys()].sort(), ['crm:7', 'crm:7.0', `crm:${other === '"8.0"' ? '8.0' : other.startsWith('8') ? '8' : 'x8'}`], other);
    assert.deepEqual([rows.get('crm:7')!.full_name, rows.get('crm:7')!.postal_code, rows.get('crm:7.0')!.full_name], ['Ann', '10115', 'Cem'], other);
  }
});

test('a key of which all records are empty is one column, and nothing of it is read', async () => {
  assert.deepEqual(await read(['{}', '{}', 'null']), [null, null, null]);
  assert.deepEqual(await read(['{}', '"x"', '7']), [null, 'x', '7']);
  assert.deepEqual(await read(['{}', '{"of":7.0}'], 'k.of'), [null, '7']);
});

test('the shape of records told line by line is that which the engine tells of all of them', async () => {
  const values = ['1', '1.5', '-1', '"x"', 'true', 'null', '[]', '[1]', '["x",null]', '[1,"x"]', '[[1],[2.5]]', '[{"a":1}]', '[{"a":"x","b":null}]', '{"a":1}', '{"a":"x","b":{"c":[1]}}', '{"b":null}', '12345678901234567890123'];
  for (const one of values) for (const other of values) {
    const lines = [one, other].map((value) => literal(`{"k":${value}}`)).join(', ');
    await duck.run(`CREATE OR REPLACE TABLE records AS SELECT unnest([${lines}]) AS line`);
    const [told] = await duck.rows('SELECT json_group_structure(line::JSON)::VARCHAR AS structure FROM records');
    const all = new Shape();
    all.add(JSON.parse(told!.structure as string));
    const { isRecord, isFraction, isOfRecords } = (await shapeOf(duck, 'SELECT line, rowid AS place FROM records')).keys.get('k')!;
    const wanted = all.keys.get('k')!;
    assert.deepEqual({ isRecord, isFraction, isOfRecords }, { isRecord: wanted.isRecord, isFraction: wanted.isFraction, isOfRecords: wanted.isOfRecords }, `${one} ${other}`);
  }
});
