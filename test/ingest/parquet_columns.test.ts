import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WIDE_DECIMALS } from '../support/wide_decimals.ts';
import { cellsOf, parquetFile } from './columns.ts';
import { testLake } from './lake.ts';

test('a key of Parquet in a number too coarse to tell it from the next joins no rows, and is told of', async () => {
  const lake = await testLake();
  const keys = (of: string): string => `SELECT key AS id, name, name || '@a.com' AS email FROM (VALUES ${of}) t(key, name)`;
  const long = await parquetFile(lake, keys("(9007199254740991::DOUBLE, 'Ann'), (123456789012345678::DOUBLE, 'Bob'), (123456789012345679::DOUBLE, 'Cem'), (-9007199254740993::DOUBLE, 'Dee'), (NULL, 'Eve')"));
  const { rows, repeats, unkeyed, notes } = await lake.ingest([long]);
  assert.deepEqual([rows, repeats, unkeyed, notes], [5, 0, 4, [{ field: 'id', rows: 3, examples: ['-9.00720E+15', '1.23457E+17'] }]]);
  assert.ok((await lake.rows()).has('crm:9007199254740991'));
  const short = await parquetFile(lake, keys("(16777215::FLOAT, 'Ann'), (16777216::FLOAT, 'Bob'), (16777217::FLOAT, 'Cem')"), 'short.parquet');
  assert.equal((await lake.ingest([short], { mode: 'replace' })).unkeyed, 2);
  const whole = await parquetFile(lake, keys("(123456789012345678::HUGEINT, 'Ann'), (123456789012345679::HUGEINT, 'Bob')").replace('key AS', 'key::DECIMAL(38, 0) AS'), 'whole.parquet');
  assert.equal((await lake.ingest([whole], { mode: 'replace' })).unkeyed, 0);
});

test('columns of one name, one with a dot and one within a record, are one', async () => {
  const lake = await testLake();
  await lake.ingest([await parquetFile(lake, `SELECT key AS id, 'Ann' AS name, flat AS "contact.email", {'email': nested} AS contact FROM (VALUES (1, 'a@a.com', 'b@b.com'), (2, NULL, 'c@c.com')) t(key, flat, nested)`)]);
  assert.deepEqual(cellsOf(await lake.rows(), 'id', 'email'), [['crm:1', 'a@a.com'], ['crm:2', 'c@c.com']]);
});

test('more columns of Parquet than can be read are refused and not cut', async () => {
  const lake = await testLake();
  const file = await parquetFile(lake, `SELECT 1 AS id, 'Ann' AS name, ${Array.from({ length: 1_100 }, (_, column) => `${column} AS k${column}`).join(', ')}`);
  await assert.rejects(lake.ingest([file]), /has 1102 columns, more than 1024/);
});

test('records of Parquet are told by their types, and their values are no less exact than others', async () => {
  const lake = await testLake();
  const record = "{'city': 'Rome', 'ref': 12345678901234567890.123::DECIMAL(38, 3), 'geo': {'country': 'IT'}}";
  const file = await parquetFile(lake, `SELECT range AS id, 'Ann' AS name, CASE WHEN range >= 50001 THEN ${record} END AS location FROM range(50002)`);
  const { plans } = await lake.ingest([file], { overrides: [{ column: 'location.ref', field: 'headline' }] });
  assert.deepEqual(plans[0]!.mapping.unused, []);
  const { city, country, headline } = (await lake.rows()).get('crm:50001')!;
  assert.deepEqual([city, country, headline], ['Rome', 'IT', '12345678901234567890.123']);
});

test('bytes of Parquet are read as text where they are one, and as their escapes where not', async () => {
  const lake = await testLake();
  await lake.ingest([await parquetFile(lake, "SELECT '\\xAA\\xBB'::BLOB AS id, 'Jos\\xC3\\xA9'::BLOB AS name, '\\xFF'::BLOB AS picture")]);
  assert.deepEqual(cellsOf(await lake.rows(), 'id', 'full_name'), [['crm:\\xAA\\xBB', 'José']]);
  await lake.ingest([await parquetFile(lake, "SELECT key AS id, 'Ann' AS name FROM (VALUES ('a\\x01b'::BLOB), ('a\\x02b'::BLOB), ('ab'::BLOB)) t(key)", 'keys.parquet')], { mode: 'replace' });
  assert.deepEqual(cellsOf(await lake.rows(), 'id'), [['crm:a\\x01b'], ['crm:a\\x02b'], ['crm:ab']]);
});

test('lists of bytes are lists of texts', async () => {
  const lake = await testLake();
  await lake.ingest([await parquetFile(lake, "SELECT 1 AS id, 'Ann' AS name, ['caf\\xC3\\xA9'::BLOB, '\\xFF'::BLOB] AS skills")]);
  assert.deepEqual(cellsOf(await lake.rows(), 'skills'), [[['café', '\\xFF']]]);
});

test('a value of one of several types, as Parquet holds it, is a record of any keys', async () => {
  const lake = await testLake();
  const { plans } = await lake.ingest([await parquetFile(lake, "SELECT 1 AS id, 'Ann' AS name, union_value(num := 5) AS city, {'element1': 'Rome'} AS place")]);
  assert.deepEqual(plans[0]!.mapping.unused, ['city', 'place.element1']);
  assert.deepEqual(cellsOf(await lake.rows(), 'id', 'full_name', 'city'), [['crm:1', 'Ann', null]]);
});

test('decimals of Parquet of which the engine would make other numbers are left out, with a note', async () => {
  const lake = await testLake();
  const { warnings } = await lake.ingest([await lake.file('a.parquet', WIDE_DECIMALS)]);
  assert.deepEqual(cellsOf(await lake.rows(), 'id', 'full_name', 'region'), [['crm:a', 'Ann', null]]);
  assert.match(warnings.join(), /^region of .*a\.parquet is left out: its decimals have more than 38 digits/);
});

test('Parquet whose own description is damaged is refused by its name', async () => {
  const lake = await testLake();
  const torn = Buffer.from(WIDE_DECIMALS).fill(0xff, WIDE_DECIMALS.length - 150, WIDE_DECIMALS.length - 100);
  await assert.rejects(lake.ingest([await lake.file('a.parquet', torn)]), /a\.parquet cannot be read; it is damaged, or of another form/);
});
