import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../src/config/limits.ts';
import { IngestError } from '../../src/ingest/failure.ts';
import { previewFiles } from '../../src/ingest/ingest.ts';
import type { Stage } from '../../src/ingest/progress.ts';
import type { Row } from '../../src/model/field.ts';
import { testLake } from './lake.ts';
import { zstdOf } from './zstd.ts';

const named = (rows: Map<string, Row>): (string | null)[][] => [...rows.values()].map((row) => [row.id, row.full_name, row.email, row.city] as (string | null)[]);

test('keys of JSON records that differ in case alone are one column, also within a record, and no record loses what only the second says', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.ndjson', [
    '{"ID":1,"Name":"Ann","Email":"ann@a.com","Location":{"City":"Rome"}}',
    '{"id":2,"name":"Bob","email":"bob@a.com","Location":{"city":"Bonn"}}',
    '{"id":3,"NAME":"Cem","email":null,"location":{"city":"Izmir","a/b~c":1}}', 'broken',
  ].join('\n'))]);
  assert.deepEqual(named(await lake.rows()), [['crm:1', 'Ann', 'ann@a.com', 'Rome'], ['crm:2', 'Bob', 'bob@a.com', 'Bonn'], ['crm:3', 'Cem', null, 'Izmir']]);
});

test('NDJSON whose line ends are mixed is read line by line', async () => {
  const lake = await testLake();
  for (const text of ['{"id":1,"name":"Ann"}\r\n{"id":2,"name":"B\\"ob"}\n\n{"id":3\r\n{"id":4,"name":"Cem"}\n', '{"id":1,"name":"Ann"}\n{"id":2,"name":"B\\"ob"}\r\n\r\n{"id":3\n{"id":4,"name":"Cem"}']) {
    const summary = await lake.ingest([await lake.file('a.ndjson', text)], { mode: 'replace' });
    assert.deepEqual([...(await lake.rows()).values()].map(({ full_name: name }) => name), ['Ann', 'B"ob', 'Cem']);
    assert.deepEqual([summary.read, summary.rejected], [4, { 'not valid JSON': 1 }]);
    assert.equal(await lake.read(summary.rejects[0]!.path), 'line,reason,content\r\n4,"not valid JSON","{""id"":3"\r\n');
  }
});

test('of two files with one name each has its own rejects', async () => {
  const lake = await testLake();
  for (const folder of ['x', 'y']) await mkdir(join(lake.dataDir, folder));
  const { rejects } = await lake.ingest([await lake.file('x/a.csv', 'id,name\n1\n2,Bob\n'), await lake.file('y/a.csv', 'id,name\n3\n4,Cem\n')]);
  assert.deepEqual(await Promise.all(rejects.map(async ({ path }) => (await lake.read(path)).split('\r\n')[1]!.at(-2))), ['1', '3']);
});

test('rejects of an earlier time do not outlive an ingest that has none, and those of other files do', async () => {
  const lake = await testLake();
  for (const folder of ['x', 'y']) await mkdir(join(lake.dataDir, folder));
  const left = async (): Promise<string[]> => (await readdir(join(lake.dataDir, 'rejects', 'crm'))).sort();
  const other = await lake.file('b.csv', 'id,name\n5\n6,Dan\n');
  const files = async (...rows: readonly string[]): Promise<string[]> => Promise.all([lake.file('x/a.csv', `id,name\n${rows[0]}\n`), lake.file('y/a.csv', `id,name\n${rows[1]}\n`)]);
  await lake.ingest([...await files('1\n2,Bob', '3\n4,Cem'), other]);
  assert.deepEqual(await left(), ['a.csv.2.rejects.csv', 'a.csv.rejects.csv', 'b.csv.rejects.csv']);
  await lake.ingest(await files('1,Ann\n2,Bob', '3\n4,Cem'));
  assert.deepEqual(await left(), ['a.csv.rejects.csv', 'b.csv.rejects.csv']);
  await lake.ingest([...await files('1,Ann', '3,Eva'), await lake.file('b.csv', '')]);
  assert.deepEqual(await left(), []);
});

test('rows are rejected also of a file whose name is as long as names can be', async () => {
  const lake = await testLake();
  for (const name of [`${'n'.repeat(251)}.csv`, `${'名'.repeat(83)}_.csv`]) {
    const { rejects, rows } = await lake.ingest([await lake.file(name, 'id,name\n1\n2,Bob\n')], { mode: 'replace' });
    assert.equal(rows, 1);
    assert.match(basename(rejects[0]!.path), /^(?:n{200,}|名{81})\.rejects\.csv$/);
  }
});

test('the header of a delimited file may stand behind blank lines, and a reject is told by its line all the same', async () => {
  const lake = await testLake();
  for (const [head, line] of [['', 5], ['\n\n', 7], ['\r\n', 6], ['sep=,\n', 6], ['sep=,\r\n\r\n', 7]] as const) {
    const end = head.includes('\r') ? '\r\n' : '\n';
    const text = head + ['id,name', '1,"An', 'n"', ',', '2', '3,Bob', ''].join(end);
    const { rejects } = await lake.ingest([await lake.file('a.csv', text)], { mode: 'replace' });
    assert.deepEqual(named(await lake.rows()).map(([id]) => id), ['crm:1', 'crm:3'], JSON.stringify(head));
    const lines = (await lake.read(rejects[0]!.path)).trimEnd().split('\r\n').slice(1).map((reject) => Number.parseInt(reject, 10));
    assert.deepEqual(lines, [line - 1, line], JSON.stringify(head));
  }
});

test('a file that quotes its cells and mixes line ends loses no record to the strict reading, of one file or of the second', async () => {
  const lake = await testLake();
  const first = await lake.file('first.csv', 'id,name\n0,Zoe\n');
  for (const [a, b] of [['\r\n', '\n'], ['\n', '\r\n']] as const) {
    const file = await lake.file('a.csv', `"id","name"${a}"1","Ann"${b}"2","B${a}ob"${a}"3"${a}"4","Cem"${b}`);
    for (const files of [[file], [first, file]]) {
      const { rejected } = await lake.ingest(files, { mode: 'replace' });
      assert.deepEqual(named(await lake.rows()).map(([id]) => id), [...(files.length > 1 ? ['crm:0'] : []), 'crm:1', 'crm:2', 'crm:4']);
      assert.deepEqual(Object.values(rejected), [1]);
    }
  }
});

test('a quote that is not closed is rejected where line ends are not mixed', async () => {
  const lake = await testLake();
  for (const end of ['\n', '\r\n']) {
    const { rejected } = await lake.ingest([await lake.file('a.csv', ['"id","name"', '"1","Ann"', '"2","B"ob"', '"3","Cem"', ''].join(end))], { mode: 'replace' });
    assert.deepEqual([named(await lake.rows()).map(([id]) => id), Object.values(rejected)], [['crm:1', 'crm:3'], [1]]);
  }
});

test('of the lines that a quote which is not closed hides it is told how many there are', async () => {
  const lake = await testLake();
  const unclosed = 'a quote that is not closed, or closed too early';
  const hidden = (lines: number): Record<string, number> => ({ [`${unclosed}; lines that such quotes hide, none of which was read: ${lines}`]: 1 });
  const whole = (from: number, to: number): string => Array.from({ length: to - from }, (_, at) => `${from + at},Ann,x\n`).join('');
  const broken = '5000,"two\n\nlines\n",x\n\n5001,"Bo",too,many\n';
  const text = `\n"id","name","a\nnote"\n${broken}${whole(0, 500)}500,"Ann,x\n${whole(501, 2_000)}`;
  const left = { 'too many columns: Expected Number of Columns: 3 Found: 4': 1 };
  for (const [name, bytes] of [
    ['a.csv', text], ['b.csv', text.replaceAll('\n', '\r\n')], ['c.csv', text.replaceAll('\n', '\r')], ['a.csv.gz', gzipSync(text)], ['d.csv', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ] as const) {
    const { read, rejected } = await lake.ingest([await lake.file(name, bytes)], { mode: 'replace' });
    assert.deepEqual([read, rejected], [503, { ...hidden(1_499), ...left }], name);
  }
  const { rejected } = await lake.ingest([await lake.file('e.csv', `id,name\n1,Ann\n2,"Bo\n3,"Cem"\n4,"Dan"\n`)], { mode: 'replace' });
  assert.deepEqual(rejected, hidden(1));
  const bare = await lake.ingest([await lake.file('g.csv', 'email\na@x.de\n\n\nb@x.de\n"c@x.de\nd@x.de\n\ne@x.de\n')], { mode: 'replace' });
  assert.deepEqual(bare.rejected, hidden(2));
  // A file of many pieces, in which the engine tells of the line with the quote alone.
  const rows = `${whole(0, 500)}500,"Ann,x\n${Array.from({ length: 45_000 }, (_, at) => `${501 + at},Bo,${'x'.repeat(1_000)}\n`).join('')}`;
  const many = await lake.ingest([await lake.file('f.csv', `id,name,note\n${rows}`)], { mode: 'replace' });
  assert.deepEqual(many.rejected, hidden(45_500 - many.rows));
});

test('a quote amid a cell that is not quoted is a letter, and hides no line from those of the rejects', async () => {
  const lake = await testLake();
  const text = 'id,name,city\n1,12" Pipes,"a\nb"\n2\n3,"Ann, ""A""\n""", Ro"me\n4\n5,Bob, "Bo\nnn"\n6\n7,Pipes 3/4",x\n,,y\n';
  for (const [name, bytes] of [['a.csv', text], ['b.csv', Buffer.from(`\ufeff${text}`, 'utf16le')], ['c.csv.zst', zstdOf(Buffer.from(text))]] as const) {
    const { rejects } = await lake.ingest([await lake.file(name, bytes)], { mode: 'replace' });
    assert.deepEqual((await lake.read(rejects[0]!.path)).match(/^\d+(?=,")/gm), ['4', '7', '10', '12'], name);
    assert.deepEqual(named(await lake.rows()).map(([id]) => id), ['crm:1', 'crm:3', 'crm:5', 'crm:7'], name);
  }
});

test('a blank line is no record where there is one column, and takes no reject from its line', async () => {
  const lake = await testLake();
  const { read, rejected, rejects } = await lake.ingest([await lake.file('a.csv', 'email\n\na@x.de\n\n"b@x.de"\nnone of it\nc@x.de,d@x.de\n\n')]);
  const nothing = 'nothing identifies this row: no name, email or LinkedIn address';
  assert.deepEqual([read, rejected], [4, { [nothing]: 1, 'too many columns: Expected Number of Columns: 1 Found: 2': 1 }]);
  assert.deepEqual((await lake.read(rejects[0]!.path)).match(/^\d+(?=,")/gm), ['6', '7']);
});

test('line ends of several kinds hide no cell beyond the header, packed or in another encoding neither', async () => {
  const lake = await testLake();
  const text = '"id","name"\r\n"1","Ann"\n"2","B\r\nob"\r"3","Cem","more"\r\n4\n5,Dän\r\n';
  for (const [name, bytes] of [['a.csv', text], ['a.csv.gz', gzipSync(text)], ['b.csv', Buffer.from(text, 'latin1')], ['c.csv', Buffer.from(`\ufeff${text}`, 'utf16le')]] as const) {
    const { rejects } = await lake.ingest([await lake.file(name, bytes)], { mode: 'replace' });
    assert.deepEqual(named(await lake.rows()).map(([id, full]) => [id, full]), [['crm:1', 'Ann'], ['crm:2', 'B ob'], ['crm:5', 'Dän']], name);
    assert.deepEqual((await lake.read(rejects[0]!.path)).trimEnd().split('\r\n').slice(1).map((line) => line.slice(0, 16)), ['5,"too many colu', '6,"too few colum'], name);
  }
});

test('any letter may be named as the delimiter', async () => {
  const lake = await testLake();
  for (const letter of '^]\\.$-:*') {
    await lake.ingest([await lake.file('a.csv', `Sep=${letter}\nid${letter}name\n1${letter}Ann\n`)], { mode: 'replace' });
    assert.deepEqual(named(await lake.rows()).map(([id, name]) => [id, name]), [['crm:1', 'Ann']], letter);
  }
});

test('of files that were put one behind the other the headers amid the rows are rejects', async () => {
  const lake = await testLake();
  const one = 'id, Name ,email,note\n1,Ann,ann@a.com,x\n';
  const { rejected, rejects, read } = await lake.ingest([await lake.file('a.csv', `${one}\n${one.replace('1,Ann', '2,Name')}${one.replace('1,Ann,', '3,Bo,"')}`)]);
  assert.deepEqual(named(await lake.rows()).map(([id, name]) => [id, name]), [['crm:1', 'Ann'], ['crm:2', 'Name']]);
  assert.deepEqual([read, rejected], [5, { 'the header again': 2, 'a quote that is not closed, or closed too early': 1 }]);
  assert.deepEqual((await lake.read(rejects[0]!.path)).split('\r\n').map((line) => line.split(',', 2).join()).slice(1, 4), ['4,"the header again"', '6,"the header again"', '7,"a quote that is not closed']);
});

test('files that each begin with a mark may be put one behind the other', async () => {
  const lake = await testLake();
  for (const quote of ['', '"']) {
    const file = (id: number, name: string): string => `\ufeff${['"id ""own"""', `${quote}name${quote}`].join()}\r\n${id},${name}\r\n`;
    const csv = await lake.file('a.csv', `${file(1, 'Ann')}${file(2, 'Bob')}\ufeff3,Cem\r\n`);
    const { rejected } = await lake.ingest([csv], { mode: 'replace', overrides: [{ column: 'id "own"', field: 'id' }] });
    assert.deepEqual(named(await lake.rows()).map(([id, name]) => [id, name]), [['crm:1', 'Ann'], ['crm:2', 'Bob'], ['crm:3', 'Cem']]);
    assert.deepEqual(rejected, { 'the header again': 1 });
  }
  const { rejected } = await lake.ingest([await lake.file('a.ndjson', '\ufeff{"id":1,"name":"Ann"}\n\ufeff{"id":2,"name":"Bob"}\n')], { mode: 'replace' });
  assert.deepEqual(named(await lake.rows()).map(([id, name]) => [id, name]), [['crm:1', 'Ann'], ['crm:2', 'Bob']]);
  assert.deepEqual(rejected, {});
});

test('letters of a UTF-8 file that are wrong are rejects, and make none of the others another', async () => {
  const lake = await testLake();
  const bytes = Buffer.concat([Buffer.from('id,name,city\n1,José,Málaga\n2,B'), Buffer.from([0xe9]), Buffer.from(',Köln\n3,Zoë,Łódź\n')]);
  const { rejected } = await lake.ingest([await lake.file('a.csv', bytes)]);
  assert.deepEqual(named(await lake.rows()).map(([id, name,, city]) => [id, name, city]), [['crm:1', 'José', 'Málaga'], ['crm:3', 'Zoë', 'Łódź']]);
  assert.deepEqual(rejected, { 'not valid in the encoding of the file; --encoding latin-1 may read it': 1 });
});

test('the mark of UTF-8 says more than the command, and none is in the way of a JSON document', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', '\ufeffid,name\n1,José\n')], { encoding: 'latin-1' });
  assert.deepEqual(named(await lake.rows()).map(([id, name]) => [id, name]), [['crm:1', 'José']]);
  const document = '\ufeff[{"id": 2, "name": "Zoë"}]';
  for (const [name, bytes] of [['a.json', document], ['a.json.gz', gzipSync(document)]] as const) {
    await lake.ingest([await lake.file(name, bytes)], { mode: 'replace' });
    assert.deepEqual(named(await lake.rows()).map(([id, full]) => [id, full]), [['crm:2', 'Zoë']], name);
  }
});

test('what the engine cannot read is told by the name of the file', async () => {
  const lake = await testLake();
  const file = await lake.file('a.parquet', 'PAR1 and no more of it');
  await assert.rejects(lake.ingest([file]), (error) =>
    error instanceof IngestError && error.message.startsWith(`${file} cannot be read; it is damaged`)
    && /No magic bytes|too small|footer/i.test(error.message) && !error.message.includes('input-0')
  );
  await assert.rejects(lake.ingest([await lake.file('bare.csv', Buffer.from('id,name\n1,Ann\n', 'utf16le'))]), /--encoding utf-16/);
});

test('a file that is written to or replaced while it is read is refused, and what was published stands', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'id,name\n1,Ann\n2,Bob\n');
  await lake.ingest([file]);
  for (const change of [() => appendFile(file, '3,Cy\n'), async () => { await writeFile(`${file}.new`, 'name,id\nDee,4\nEve,5\n'); await rename(`${file}.new`, file); }]) {
    const during: Stage = async (name, _extent, work) => {
      if (name.startsWith('reading')) await change();
      return work(() => undefined);
    };
    await assert.rejects(lake.ingest([file], { stage: during, mode: 'replace' }), (error) => error instanceof IngestError && /changed while it was read/.test(error.message));
  }
  assert.deepEqual([...(await lake.rows()).keys()], ['crm:1', 'crm:2']);
});

test('a preview refuses what an ingest would: a name that is taken, an extra of another type', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'id,name,score\n1,Ann,2\n');
  const extra = (type: 'string' | 'integer'): { extras: [{ name: string; type: typeof type; description: string }] } => ({ extras: [{ name: 'score', type, description: 'score' }] });
  await lake.ingest([file], extra('integer'));
  const preview = (more: object): Promise<unknown> => previewFiles(lake.order([file], more), join(lake.dataDir, 'temp'));
  await assert.rejects(preview(extra('string')), /of the type integer, and is now declared as string/);
  await assert.rejects(preview({ dataset: 'companies' }), /the source crm holds contacts/);
  await preview({ ...extra('string'), mode: 'replace' });
});

test('a cell of a megabyte is kept to the bound of its field, and no longer than a text where its column is shown', async () => {
  const lake = await testLake();
  const { plans, rows } = await lake.ingest([await lake.file('a.csv', `id,name,headline\n1,Ann,"${'l\u00f6rem  \n'.repeat(120_000)}"\n`)]);
  const [shown] = plans[0]!.samples.get('headline')!;
  assert.deepEqual([rows, shown!.length <= LIMITS.textCharactersMax, shown!.startsWith('l\u00f6rem l\u00f6rem')], [1, true, true]);
  const stored = (await lake.rows()).get('crm:1')!.headline as string;
  assert.equal(stored, 'l\u00f6rem '.repeat(120_000).slice(0, LIMITS.textCharactersMax).trimEnd());
});

test('a large file loses no last record for want of a line end', async () => {
  const lake = await testLake();
  const long = 'x'.repeat(700_000);
  const ids = Array.from({ length: 100 }, (_, at) => `${at}`);
  const texts = {
    'a.ndjson': ids.map((id) => JSON.stringify({ id, full_name: 'Ann', waste: long })).join('\n'),
    'a.csv': ['id,full_name,waste', ...ids.map((id) => `${id},Ann,${long}`)].join('\n'),
  };
  for (const [name, text] of Object.entries(texts)) {
    const { read, rows } = await lake.ingest([await lake.file(name, text)], { mode: 'replace' });
    assert.deepEqual([read, rows], [ids.length, ids.length], name);
  }
});
