import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { encodingNamed } from '../../src/ingest/encodings.ts';
import { Duck } from '../../src/ingest/duckdb.ts';
import { IngestError } from '../../src/ingest/failure.ts';
import { previewFiles } from '../../src/ingest/ingest.ts';
import type { Row } from '../../src/model/field.ts';
import { testLake, type TestLake } from './lake.ts';
import { zstdOf } from './zstd.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'ingest');
const CSV = 'id,name,email,phone,country\n1,Jane Doe,Jane@Acme.com,(212) 555-0123,USA\n2,王明,,,中国\n';
const WANTED = [
  { id: 'crm:1', full_name: 'Jane Doe', first_name: 'Jane', last_name: 'Doe', email: 'jane@acme.com', phone: '+12125550123', country: 'US' },
  { id: 'crm:2', full_name: '王明', email: null, phone: null, country: 'CN' },
];

async function agrees(lake: TestLake, file: string): Promise<void> {
  const summary = await lake.ingest([file], { mode: 'replace' });
  assert.equal(summary.rows, 2, file);
  const rows = await lake.rows();
  for (const wanted of WANTED) assert.deepEqual(pick(rows.get(wanted.id)!, wanted), wanted, file);
}

const bigEndian = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
const pick = (row: Row, like: object): Row => Object.fromEntries(Object.keys(like).map((name) => [name, row[name]!]));

test('the same rows come of CSV, TSV, NDJSON, JSON and Parquet, also packed', async () => {
  const lake = await testLake();
  const records = [{ id: 1, name: 'Jane Doe', email: 'Jane@Acme.com', phone: '(212) 555-0123', country: 'USA' }, { id: 2, name: '王明', country: '中国' }];
  const parquet = join(lake.dataDir, 'a.parquet');
  const zstd = join(lake.dataDir, 'a.csv.zst');
  const duck = await Duck.open(lake.dataDir, { folders: [], files: [] }, new AbortController().signal);
  const values = "(VALUES (1, 'Jane Doe', 'Jane@Acme.com', '(212) 555-0123', 'USA'), (2, '王明', NULL, NULL, '中国')) t(id, name, email, phone, country)";
  await duck.run(`COPY (SELECT * FROM ${values}) TO '${parquet}' (FORMAT parquet)`);
  await duck.run(`COPY (SELECT * FROM ${values}) TO '${zstd}' (FORMAT csv, HEADER, COMPRESSION zstd)`);
  duck.close();
  const ndjson = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  for (const file of [
    await lake.file('a.csv', CSV), await lake.file('a[1]*.csv', CSV), await lake.file('b.csv', `\ufeff${CSV.replaceAll('\n', '\r\n')}`), await lake.file('c.csv', CSV.replaceAll(',', ';')),
    await lake.file('a.tsv', CSV.replaceAll(',', '\t')), await lake.file('d.csv.gz', gzipSync(CSV)),
    await lake.file('excel.csv', `sep=,\r\n${CSV}`),
    await lake.file('mac.csv', `sep=;\r${CSV.replaceAll(',', ';').replaceAll('\n', '\r')}`),
    await lake.file('utf16.csv', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(CSV, 'utf16le')])),
    await lake.file('utf16be.csv', bigEndian(CSV)), await lake.file('utf16be.csv.gz', gzipSync(bigEndian(CSV))),
    await lake.file('utf16.ndjson', Buffer.from(`\ufeff${ndjson}`, 'utf16le')), await lake.file('utf16.json', Buffer.from(`\ufeff${JSON.stringify(records)}`, 'utf16le')),
    await lake.file('mixed.csv', CSV.replace('\n', '\r\n')),
    await lake.file('a.ndjson', ndjson), await lake.file('a.jsonl.gz', gzipSync(ndjson)), await lake.file('a.json', JSON.stringify(records, null, 2)), await lake.file('b.json', ndjson), parquet, zstd,
  ]) await agrees(lake, file);
});

test('letters of two units, of UTF-16 with a mark or without one that was named, are read like any other', async () => {
  const text = 'id,name,city\r1,Ann 😀,"Ulm\r👨‍👩‍👧"\r';
  for (const [of, bytes, encoding] of [
    ['little', Buffer.from(`\ufeff${text}`, 'utf16le'), null], ['big', bigEndian(text), null],
    ['bare', Buffer.from(text, 'utf16le'), 'utf-16'], ['marked', Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-8'],
    ['bare and big', bigEndian(text).subarray(2), 'utf-16'],
  ] as const) {
    const lake = await testLake();
    const file = await lake.file('a.csv', bytes);
    const { plans } = await lake.ingest([file], { encoding });
    const row = (await lake.rows()).get('crm:1')!;
    assert.deepEqual([plans[0]!.format, row.full_name, row.city], ['CSV, comma, utf-16', 'Ann 😀', 'Ulm 👨‍👩‍👧'], of);
    assert.deepEqual((await previewFiles(lake.order([file], { encoding }), join(lake.dataDir, 'temp'))).rows.map((shown) => shown.full_name), ['Ann 😀'], of);
  }
});

test('JSON lines are read in the encoding that was named, as Windows writes it', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.ndjson', Buffer.from('{"id":1,"name":"Pat O\x92Brien","city":"\x8aabac"}\n', 'latin1'))], { encoding: 'latin-1' });
  const row = (await lake.rows()).get('crm:1')!;
  assert.deepEqual([row.full_name, row.city], ['Pat O’Brien', 'Šabac']);
});

test('a file is read in any encoding that has a name, but for what zstd packed', async () => {
  const lake = await testLake();
  const polish = Buffer.from('id;imi\xea;nazwisko;miasto\r\n1;\xa3ukasz;\xaf\xf3\xb3\xe6;\xa3\xf3d\x9f\r\n', 'latin1');
  const { plans } = await lake.ingest([await lake.file('a.csv', polish)], { encoding: encodingNamed('cp1250') });
  await lake.ingest([await lake.file('b.ndjson', Buffer.from('{"id":2,"name":"\xcd\xf5\xc3\xf7"}\n', 'latin1'))], { encoding: encodingNamed('GBK') });
  const rows = await lake.rows();
  assert.deepEqual([plans[0]!.format, rows.get('crm:1')!.full_name, rows.get('crm:1')!.city, rows.get('crm:2')!.full_name], ['CSV, semicolon, windows-1250', 'Łukasz Żółć', 'Łódź', '王明']);
  await assert.rejects(lake.ingest([await lake.file('c.csv.zst', zstdOf(polish))], { encoding: 'windows-1250' }), /windows-1250 cannot be read in what zstd packed: unpack it/);
  assert.deepEqual(['latin-1', 'cp1252', 'UTF8', 'polish'].map(encodingNamed), ['latin-1', 'latin-1', 'utf-8', null]);
});

test('a packed file that breaks off is told to be damaged, whatever its encoding', async () => {
  const lake = await testLake();
  const packed = gzipSync(Buffer.from(`id,name\n${Array.from({ length: 100_000 }, (_, id) => `${id},José ${(id * 7919) % 104729}\n`).join('')}`, 'latin1'));
  const file = await lake.file('a.csv.gz', packed.subarray(0, -1_000));
  await assert.rejects(lake.ingest([file]), (error) => error instanceof IngestError && /a\.csv\.gz is damaged/.test(error.message));
});

test('three digits behind the point of a number are a fraction, of a text they may be grouped', async () => {
  const lake = await testLake();
  const file = join(lake.dataDir, 'a.parquet');
  const duck = await Duck.open(lake.dataDir, { folders: [], files: [] }, new AbortController().signal);
  await duck.run(`COPY (SELECT 1 AS id, 'Acme' AS name, 200.125::DECIMAL(12, 3) AS employees, 1200.375::DOUBLE AS revenue, '1.200' AS score, {'net': 3.125} AS own) TO '${file}' (FORMAT parquet)`);
  duck.close();
  const json = await lake.file('a.ndjson', '{"id":1,"name":"Acme","employees":200.125,"revenue":1200.375,"score":"1.200","own":{"net":3.125}}\n');
  const extras = [{ name: 'score', type: 'integer', description: 'score' }, { name: 'net', type: 'integer', description: 'net' }] as const;
  for (const one of [file, json]) {
    await lake.ingest([one], { dataset: 'companies', mode: 'replace', extras, overrides: [{ column: 'own.net', field: 'net' }] });
    const row = (await lake.rows('companies')).get('crm:1')!;
    assert.deepEqual([row.employee_count, row.size, row.revenue_usd, row.score, row.net], [200, '51-200', 1200, 1200, 3], one);
    await lake.ingest([one], { source: 'people', overrides: [{ column: 'employees', field: 'company_size' }, { column: 'revenue', field: 'city' }] });
    const person = (await lake.rows('contacts', 'people')).get('people:1')!;
    assert.deepEqual([person.company_size, person.city], ['51-200', '1200.375'], one);
  }
});

test('what repeats in a Parquet file is tidied like any other cell', async () => {
  const lake = await testLake();
  const file = join(lake.dataDir, 'a.parquet');
  const duck = await Duck.open(lake.dataDir, { folders: [], files: [] }, new AbortController().signal);
  const cities = ['Köln', ' Köln ', 'N/A', '', '["Bonn","Ulm"]', 'Neu  Ulm', 'NULL', 'cafe\u0301'];
  await duck.run(`COPY (SELECT range AS id, 'Ann' AS name, (list_value(${cities.map((city) => `'${city}'`).join(', ')}))[1 + range % 8] AS city FROM range(4096)) TO '${file}' (FORMAT parquet)`);
  const [stored] = await duck.rows(`SELECT (count(dictionary_page_offset) FILTER (path_in_schema = 'city'))::INTEGER AS dictionaries FROM parquet_metadata('${file}')`);
  duck.close();
  assert.equal(stored!.dictionaries, 1);
  await lake.ingest([file]);
  const rows = await lake.rows();
  const wanted = ['Köln', 'Köln', null, null, 'Bonn', 'Neu Ulm', null, 'café'];
  for (let id = 0; id < 4_096; id += 1) assert.equal(rows.get(`crm:${id}`)!.city, wanted[id % 8]);
});

test('a Latin-1 file is told from its bytes, and says so', async () => {
  const lake = await testLake();
  const { plans } = await lake.ingest([await lake.file('a.csv', Buffer.from('id,name,city\n1,José Núñez,Málaga\n', 'latin1'))]);
  assert.match(plans[0]!.notes[0]!, /Latin-1/);
  assert.equal((await lake.rows()).get('crm:1')!.city, 'Málaga');
});

test('what Windows writes where Latin-1 has control characters is not lost, in headers neither', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', Buffer.from('id;full\x96name;city\n1;Pat O\x92Brien;\x8aabac \x80\n', 'latin1'));
  const { plans } = await lake.ingest([file]);
  assert.deepEqual(plans[0]!.mapping.feeds.map(({ columns }) => columns), [['id'], ['full–name'], ['city']]);
  const row = (await lake.rows()).get('crm:1')!;
  assert.deepEqual([row.full_name, row.city], ['Pat O’Brien', 'Šabac €']);
});

test('lists and records of JSON are columns: the first of a list for one value, all of it for many', async () => {
  const lake = await testLake();
  const record = { _id: 'x', name: 'Acme', domains: ['www.acme.com', 'b.co'], location: { city: 'Berlin', country: 'Deutschland' }, keywords: ['a', 'b'], employees: '1,200' };
  await lake.ingest([await lake.file('a.json', JSON.stringify([record]))], { dataset: 'companies' });
  const wanted = { id: 'crm:x', name: 'Acme', domain: 'acme.com', city: 'Berlin', country: 'DE', keywords: ['a', 'b'], employee_count: 1200, size: '1001-5000' };
  assert.deepEqual(pick((await lake.rows('companies')).get('crm:x')!, wanted), wanted);
});

test('each line that cannot be read is rejected with its line number and the reason', async () => {
  const lake = await testLake();
  const text = 'name,email,city\n"Jo ""x""\nDoe",a@b.co,Rome\ntoo few,x\ntoo,many,of,them\n\n,,Paris\nlat\xe9,b@b.co,Oslo\n"Ann",c@b.co,"Ulm"\n"open,d@b.co,Bonn\n';
  const summary = await lake.ingest([await lake.file('a.csv', Buffer.from(text, 'latin1'))], { encoding: 'utf-8' });
  assert.equal(summary.rows, 2);
  const lines = (await lake.read(summary.rejects[0]!.path)).trim().split('\r\n').slice(1).map((line) => line.split(',"', 2));
  assert.deepEqual(lines.map(([line]) => Number(line)), [4, 5, 7, 8, 10]);
  for (const [at, reason] of [/too few columns/, /too many columns/, /nothing identifies/, /not valid in the encoding/, /quote/].entries()) assert.match(lines[at]![1]!, reason);
  assert.equal(summary.read, 7);
});

test('cells beyond the header are a reject behind a line that names the delimiter, and behind blank ones', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    for (const before of ['sep=;', '', 'sep=;\n\n']) {
      const lake = await testLake();
      const text = `${before}\nid;name\n1;"Ann\nB"\n2;Bob;more\n3\n4;Dan\n`.replaceAll('\n', end);
      const summary = await lake.ingest([await lake.file('a.csv', text)]);
      assert.deepEqual([...(await lake.rows()).keys()].sort(), ['crm:1', 'crm:4'], JSON.stringify(text));
      const lines = (await lake.read(summary.rejects[0]!.path)).trim().split('\r\n').slice(1).map((line) => Number.parseInt(line, 10));
      const skipped = before.split('\n').length;
      assert.deepEqual(lines, [skipped + 4, skipped + 5], JSON.stringify(text));
    }
  }
  const lake = await testLake();
  const { rejected } = await lake.ingest([await lake.file('a.csv', 'sep=;\r\nid;name\n1;Ann\n2;Bob;more\n')]);
  assert.deepEqual([[...(await lake.rows()).keys()], Object.values(rejected)], [['crm:1'], [1]]);
});

test('a record that cannot be read is a reject whatever it says, also the words of a failing disk', async () => {
  const lake = await testLake();
  const text = 'id,name,country\n1,Ann One,DE\n2,permission denied,FR,out of memory,interrupted\n3,no space left on state machine\n4,Bob Two,US\n';
  const summary = await lake.ingest([await lake.file('a.csv', text)]);
  assert.deepEqual({ rows: summary.rows, read: summary.read }, { rows: 2, read: 4 });
  assert.equal(Object.values(summary.rejected).reduce((sum, rows) => sum + rows, 0), 2);
});

test('lines are counted over every letter of the file, also one whose bytes no other encoding knows', async () => {
  const lake = await testLake();
  const text = 'name,email,city\nÜlo “Ö” €,a@b.co,\u{1F600}\n,,Pärnu\n';
  for (const [name, bytes] of [['a.csv', Buffer.from(text)], ['b.csv.gz', gzipSync(text)]] as const) {
    const summary = await lake.ingest([await lake.file(name, bytes)], { mode: 'replace' });
    const [, reject] = (await lake.read(summary.rejects[0]!.path)).split('\r\n');
    assert.match(reject!, /^3,/);
  }
});

test('a line of NDJSON that is no JSON object is rejected with its number', async () => {
  const lake = await testLake();
  const summary = await lake.ingest([await lake.file('a.ndjson', '{"name":"A","email":"a@b.co"}\n\nnot json\n[1]\n{"name":"\\ud800 half"}\n{"email":"b@b.co"}\n{"city":"Rome"}\n')]);
  assert.equal(summary.rows, 2);
  const lines = (await lake.read(summary.rejects[0]!.path)).trim().split('\r\n').slice(1);
  assert.deepEqual(lines.map((line) => line.slice(0, 16)), ['3,"not valid JSO', '4,"not a JSON ob', '5,"not valid JSO', '7,"nothing ident']);
});

test('an array of records is one under any name of JSON', async () => {
  const lake = await testLake();
  const array = '[\n{"id":1,"name":"Ann"},\n{"id":2,"name":"Bob"}\n]\n';
  for (const [name, content] of [['a.jsonl', array], ['b.ndjson', array.replaceAll('\n', '')], ['c.ndjson.gz', gzipSync(`\ufeff${array}`)]] as const) {
    const { rows, rejected } = await lake.ingest([await lake.file(name, content)], { mode: 'replace' });
    assert.deepEqual([rows, rejected], [2, {}], name);
  }
  const { rows, rejected } = await lake.ingest([await lake.file('d.ndjson', '["id"]\n{"id":1,"name":"Ann"}\n')], { mode: 'replace' });
  assert.deepEqual([rows, rejected], [1, { 'not a JSON object': 1 }]);
});

test('a file that is none is refused with what to do, and nothing is published', async () => {
  const lake = await testLake();
  const refused = async (name: string, content: string | Buffer, wanted: RegExp): Promise<void> => {
    const file = await lake.file(name, content);
    await assert.rejects(lake.ingest([file]), (error) => error instanceof IngestError && wanted.test(error.message), `${name}: ${wanted.source}`);
  };
  await refused('empty.csv', '', /is empty/);
  await refused('header.csv', 'name,email\n', /no row could be used/);
  await refused('numbers.csv', '1,2\n3,4\n', /none of its columns is known/);
  await refused('log.txt', `${'x'.repeat(5_000)}\n`, /none of its columns is known for contacts: x{100}\. Name them/);
  await refused('greek.csv', Buffer.from([0xcf, 0xed, 0xef, 0xec, 0xe1, 0x0a, 0xc1, 0xe8, 0x0a]), /the first line is a header; .*greek.csv is not UTF-8 and is read as Latin-1; --encoding says otherwise, such as windows-1250 /);
  await refused('book.xlsx', Buffer.from('PK\x03\x04xx'), /save it as CSV/);
  await refused('book.xls', Buffer.from('d0cf11e0a1b11ae100000000', 'hex'), /is a workbook: save it as CSV first$/);
  await refused('a.avro', Buffer.from('Obj\x01\x04\x16avro.schema\0', 'latin1'), /is an Avro file: write Parquet or NDJSON instead$/);
  await refused('a.feather', Buffer.from('ARROW1\0\0\xff\xff', 'latin1'), /is an Arrow file: write Parquet instead$/);
  for (const [name, beginning] of [['a.csv.bz2', 'BZh91AY&SY\0\0'], ['a.csv.xz', '\xfd7zXZ\0\0'], ['a.7z', '7z\xbc\xaf\x27\x1c\0'], ['a.rar', 'Rar!\x1a\x07\x01']] as const) {
    await refused(name, Buffer.from(beginning, 'latin1'), /is packed in a way that is not read: unpack it first$/);
  }
  await refused('broken.json', '[{"name":"a"},\n{"name":]', /not valid JSON at byte/);
  await refused('plain.json', '[1,2]', /no JSON object/);
  await refused('envelope.json', `{"contacts":[${`{"name":"Ann","notes":"${'x'.repeat(1_000_000)}"},`.repeat(17)}{}]}`, /envelope around its records: write an array of them, or one a line/);
  await refused('cut.csv.gz', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), /damaged/);
  await assert.rejects(lake.ingest([join(lake.dataDir, 'none.csv')]), /no such file/);
  assert.equal((await lake.rows()).size, 0);
});

test('columns that two files call differently meet in one source', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'Full Name,Work Email\nJane Doe,jane@acme.com\n'), await lake.file('b.ndjson', '{"vorname":"Jörg","nachname":"Weiß","e-mail":"j@weiss.de"}\n')]);
  assert.deepEqual([...(await lake.rows()).values()].map((row) => row.full_name).sort(), ['Jane Doe', 'Jörg Weiß']);
});

test('a listing of companies as found in the wild is understood without a hint', async () => {
  const lake = await testLake();
  const { plans, rows, rejected } = await lake.ingest([join(FIXTURES, 'lse-listed.csv')], { dataset: 'companies' });
  assert.deepEqual(plans[0]!.mapping.feeds.find(({ field }) => field === 'industry')!.columns, ['industry', 'industry_group', 'sector']);
  assert.deepEqual([rows, Object.values(rejected)], [30, [3]]);
  const row = (await lake.rows('companies')).get('crm:0A05.L')!;
  assert.deepEqual([row.name, row.domain, row.website, row.country, row.ticker], ['Medacta Group SA', 'medacta.com', 'https://www.medacta.com', 'CH', '0A05.L']);
});

test('a list of universities as found in the wild is understood without a hint', async () => {
  const lake = await testLake();
  const { rows, notes } = await lake.ingest([join(FIXTURES, 'universities.json')], { dataset: 'companies' });
  assert.equal(rows, 19);
  assert.deepEqual(notes, [{ field: 'country', rows: 1, examples: ['XK'] }]);
});

test('a part of an export in which nothing stands has no rows and is told of, and where no part has anything nothing is published', async () => {
  const lake = await testLake();
  const parts: Record<string, string | Buffer> = {
    '_SUCCESS': '', 'part-0.csv': '', 'part-1.csv': '\ufeff', 'part-2.csv': '\n\r\n', 'part-3.csv.gz': gzipSync(''), 'part-3.csv.zst': zstdOf(Buffer.alloc(0)), 'part-4.json': '[]', 'part-5.ndjson': '\n\n', 'part-6.parquet': '',
  };
  const empty = await Promise.all(Object.entries(parts).map(([name, content]) => lake.file(name, content)));
  for (const file of empty) await assert.rejects(lake.ingest([file]), (error) => error instanceof IngestError && /is empty|nothing comes of/.test(error.message), file);
  await assert.rejects(lake.ingest(empty), /is empty/);
  const full = [await lake.file('a.csv', 'id,name\n1,Ann\n'), await lake.file('b.ndjson', '{"id":2,"name":"Bob"}\n{"id":3,"nam\n')];
  const { rows, warnings, plans, rejects } = await lake.ingest([...empty.slice(0, 6), full[0]!, ...empty.slice(6), full[1]!]);
  assert.deepEqual([rows, plans.length, rejects.map(({ input }) => input)], [2, empty.length + 2, [full[1]]]);
  assert.deepEqual(empty.filter((file) => !warnings.some((warning) => warning.includes(file) && warning.endsWith('there are no rows in it'))), []);
});

test('a NUL that stands in a cell is passed over, and what is full of them is no text', async () => {
  const lake = await testLake();
  const people = `name,email\nBo\0b,bob@x.org\n${'Ann,ann@x.org\n'.repeat(10)}`;
  await lake.ingest([await lake.file('a.csv', people)]);
  assert.deepEqual([...(await lake.rows()).values()].map(({ full_name: name }) => name).filter((name) => name !== 'Ann'), ['Bob']);
  for (const content of ['na\0me,email\nBob,bob@x.org\n', `${people}${'\0'.repeat(100)}`]) await assert.rejects(lake.ingest([await lake.file('b.csv', content)]), /b\.csv is not a text file/);
});
