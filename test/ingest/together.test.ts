import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { IngestOrder } from '../../src/ingest/ingest.ts';
import { plansText, summaryText } from '../../src/cli/ingest_text.ts';
import { parquetFile } from './columns.ts';
import { testLake, type TestLake } from './lake.ts';

type Read = { readonly rows: readonly unknown[]; readonly rejects: readonly (readonly [string, string])[]; readonly told: readonly unknown[]; readonly stages: readonly string[] };

/** What comes of files, where `apart` with one of another form between each and the next. */
async function readOf(lake: TestLake, files: readonly string[], apart: boolean): Promise<Read> {
  const between = apart ? await Promise.all(files.map((_, at) => lake.file(`between${at}.csv`, `full name,key\nBetween,between${at}\n`))) : [];
  const stages: string[] = [];
  const stage: IngestOrder['stage'] = (name, _extent, work) => {
    if (name.startsWith('reading')) stages.push(name);
    return work(() => undefined);
  };
  const { rejects, plans } = await lake.ingest(files.flatMap((file, at) => (apart ? [file, between[at]!] : [file])), { mode: 'replace', stage });
  const written = await Promise.all(rejects.map(async ({ input, path }) => [input, await lake.read(path)] as const));
  const rows = [...(await lake.rows()).values()].filter(({ id }) => !String(id).startsWith('crm:between'));
  return { rows, rejects: written, told: plans.filter(({ file }) => !between.includes(file)).map((plan) => ({ ...plan, dayOrders: [...plan.dayOrders], samples: [...plan.samples] })), stages };
}

const HEADER = 'id,full name,email,country,updated\n';

test('small files of one form are read by one query, each as it would be alone', async () => {
  const lake = await testLake();
  await mkdir(join(lake.dataDir, 'country=FR'));
  const files = await Promise.all(([
    ['a.csv', `${HEADER}1,Ann,ann@a.com,DE,03/04/2024\n2,Bob,bob@a.com,DE,03/25/2024\n3,Cem,cem@a.com,DE,04/26/2024\n4,Dee,dee@a.com,DE,05/27/2024\n`],
    ['b.csv', `${HEADER}5,Eve,eve@a.com,US,03/04/2024\n6,Fay,fay@a.com,US,25/03/2024\n7,Gus,gus@a.com,US,26/04/2024\n8,Hal,hal@a.com,US,27/05/2024\n`],
    ['c.csv', HEADER],
    ['d.csv', `${HEADER}${HEADER}9,"Ida\nMay",ida@a.com,GB,\n\n10,,,,\n${HEADER}11,Jan,jan@a.com,GB,\n`],
    ['e.csv', `${HEADER}12,Kim,kim@a.com,GB,\nTotal: 1,,,,\n`],
    ['f.csv', `${HEADER}1,Ann Again,ann@b.com,AT,\n`],
    ['country=FR/g.csv', 'id,full name,email\n13,Lea,lea@a.com\n'], ['country=FR/h.csv', 'id,full name,email\n14,Max,max@a.com\n'], ['k.csv', 'id,full name,email\n17,Pia,pia@a.com\n'],
    ['i.csv', 'email,id,full name\nnia@a.com,15,Nia\n'], ['j.csv', 'email,id,full name\noli@a.com,16,Oli\n'],
  ] as const).map(([name, text]) => lake.file(name, text)));
  const together = await readOf(lake, files, false);
  const alone = await readOf(lake, files, true);
  const stages = ['a.csv', 'b.csv', 'c.csv', 'd.csv', 'e.csv and 1 more', 'g.csv and 1 more', 'k.csv', 'i.csv and 1 more'].map((files) => `reading ${files}`);
  assert.deepEqual(together.stages.map((stage) => stage.replace(/\S*\//, '')), stages);
  assert.deepEqual([together.rows, together.rejects, together.told], [alone.rows, alone.rejects, alone.told]);
  assert.equal(together.rows.length, 16);
  assert.deepEqual(together.rejects.map(([, text]) => text.trim().split('\r\n').map((line) => line.split(',', 2).join())), [
    ['line,reason', '2,"the header again"', '6,"nothing identifies this row: no name', '7,"the header again"'], ['line,reason', '3,"no row'],
  ]);
});

test('where one of them cannot be read, each is read alone, and what is wrong is told of its own lines', async () => {
  const lake = await testLake();
  const files = await Promise.all(['a', 'b', 'c', 'd'].map((name, at) => lake.file(`${name}.csv`, `${HEADER}${at},Ann,a${at}@a.com,DE,\n${name === 'c' ? 'x,Bob,bob@a.com,DE,,too,many\n' : ''}y${at},Bob,b${at}@a.com,DE,\n`)));
  const together = await readOf(lake, files, false);
  const alone = await readOf(lake, files, true);
  assert.equal(together.stages.length, 5, 'once together, then one by one');
  assert.deepEqual([together.rows, together.rejects, together.told], [alone.rows, alone.rejects, alone.told]);
  assert.deepEqual([together.rows.length, together.rejects.length], [8, 1]);
  assert.match(together.rejects[0]![1], /^3,"too many columns/m);
});

test('small NDJSON files of the same keys are read by one query, each as it would be alone', async () => {
  const lake = await testLake();
  const record = (id: number, name: string, more = ''): string => `{"id":${id},"name":"${name}","email":"x${id}@a.com"${more}}\n`;
  const files = await Promise.all(([
    ['a.ndjson', `${record(1, 'Ann')}${record(2, 'Bob', ',"address":{"city":"Rome"}')}`],
    ['b.ndjson', `\ufeff${record(3, 'Cem', ',"address":{"city":"Bonn"}')}\n   \n \t${record(4, 'Dee')}`],
    ['c.ndjson', `${record(5, 'Eve')}{"id":6,"name":null,"email":""}\n${record(1, 'Ann Again')}`],
    ['d.ndjson', record(7, 'Fay')],
    ['e.ndjson', `${record(8, 'Gus', ',"address":"x"')}${record(9, 'Hal', ',"address":{"city":"Oslo"}')}`],
    ['f.ndjson', `${record(10, 'Ida', ',"address":"y"')}${record(11, 'Jan', ',"address":{"city":"Kyiv","zip":7.0}')}`],
    ['g.ndjson', '{}\n'.repeat(2) + record(12, 'Kim')],
    ['h.ndjson', record(13, 'Lea')],
  ] as const).map(([name, text]) => lake.file(name, text)));
  const together = await readOf(lake, files, false);
  const alone = await readOf(lake, files, true);
  assert.deepEqual(together.stages.map((stage) => stage.replace(/\S*\//, '')), ['a.ndjson and 1 more', 'c.ndjson and 1 more', 'e.ndjson', 'f.ndjson', 'g.ndjson and 1 more'].map((told) => `reading ${told}`));
  assert.deepEqual([together.rows, together.rejects, together.told], [alone.rows, alone.rejects, alone.told]);
  assert.deepEqual(together.rows.map((row) => (row as { full_name: string }).full_name).sort(), ['Ann Again', 'Bob', 'Cem', 'Dee', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jan', 'Kim', 'Lea']);
  assert.deepEqual(together.rejects.map(([, text]) => text.trim().split('\r\n').map((line) => line.split(',', 1).join())), [['line', '2'], ['line', '1', '2']]);
});

test('of small NDJSON files one that holds a broken line has each read alone, and tells its own lines', async () => {
  const lake = await testLake();
  const broken = ['not JSON', '[1]', '7', '{"id":1', '{"id":1} {"id":2}', '{"id":"\\ud800"}'];
  const files = await Promise.all(['a', 'b', ...broken].map((text, at) => lake.file(`${at}.ndjson`, `{"id":"y${at}","name":"Ann"}\n\n${at < 2 ? '' : `${text}\n`}{"id":"z${at}","name":"Bob"}\n`)));
  const together = await readOf(lake, files, false);
  const alone = await readOf(lake, files, true);
  assert.equal(together.stages.length, files.length + 1, 'once together, then one by one');
  assert.deepEqual([together.rows, together.rejects, together.told], [alone.rows, alone.rejects, alone.told]);
  assert.equal(together.rows.length, 2 * files.length);
  assert.deepEqual(together.rejects.map(([, text]) => text.split('\r\n')[1]), broken.map((text) => `3,"not ${/^(?:\[1\]|7)$/.test(text) ? 'a JSON object' : 'valid JSON'}","${text.replaceAll('"', '""')}"`));
});

test('Parquet files are read together where their columns have the same types', async () => {
  const lake = await testLake();
  const file = (name: string, key: string, id: string): Promise<string> => parquetFile(lake, `SELECT ${key} AS id, 'Ann' AS name, '${id}@a.com' AS email`, `${name}.parquet`);
  const files = [await file('a', '7', 'a'), await file('b', '8', 'b'), await file('c', "'007'", 'c'), await file('d', "'008'", 'd'), await file('e', '9::BIGINT', 'e')];
  const { rows, stages } = await readOf(lake, files, false);
  assert.deepEqual((rows as { id: string }[]).map(({ id }) => id).sort(), ['crm:007', 'crm:008', 'crm:7', 'crm:8', 'crm:9']);
  assert.deepEqual(stages.map((stage) => stage.replace(/\S*\//, '')), ['reading a.parquet and 1 more', 'reading c.parquet and 1 more', 'reading e.parquet']);
});

test('of many files of which the same is made one is shown, with how many more', async () => {
  const lake = await testLake();
  const files = await Promise.all(['a', 'b', 'c', 'd'].map((name) => lake.file(`${name}.csv`, `${name === 'd' ? 'full name,key' : 'id,full name'}\n${name},Ann\n`)));
  const { plans } = await lake.ingest(files);
  const text = plansText(plans);
  assert.equal(text.match(/^column/gm)!.length, 2);
  assert.match(text, /^and the same of 2 files more, the last of them \S*\/c\.csv$/m);
});

test('of many files with rejects the first ten are named, and the folder of all', async () => {
  const lake = await testLake();
  const files = await Promise.all(Array.from({ length: 12 }, (_, at) => lake.file(`${at}.csv`, `id,full name\n${at},Ann\nnobody,\n`)));
  const lines = summaryText(await lake.ingest(files), 1).trim().split('\n');
  assert.equal(lines.filter((line) => /^ {2}see \S+\.rejects\.csv$/.test(line)).length, 10);
  assert.equal(lines.at(-1), `  and 2 more in ${join(lake.dataDir, 'rejects', 'crm')}`);
});
