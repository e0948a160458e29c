import assert from 'node:assert/strict';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'node:test';
import { escapeOf, type Escape } from '../../src/ingest/escapes.ts';
import { previewFiles } from '../../src/ingest/ingest.ts';
import { testLake } from './lake.ts';

const told = (lines: readonly string[], { isCut = false, columns = 3 } = {}): Escape => escapeOf(lines.join('\n'), { delimiter: ',', columns, isCut });

test('backslashes escape quotes where nothing else reads the file, and where they read all of it', () => {
  assert.equal(told(['id,name,title', '1,"Ann \\"A\\" Lee",\\N', '2,"C:\\\\","a, \\"b\\""', '3,"two\\\nlines","two', 'lines"']), 'backslash');
  assert.equal(told(['id,name,title', '', '1,"12\\" pipe",x', '']), 'backslash');
  for (const cut of ['2,"Bo', '2,"Bo \\', '2,Bob', '2', '2,"Bo \\"B', '2,"Bob"']) assert.equal(told(['id,name,title', '1,"12\\" pipe",x', cut], { isCut: true }), 'backslash', cut);
});

test('an ordinary file is none of those, whatever backslashes it holds and however it is damaged', () => {
  for (const lines of [
    ['1,"C:\\",x', '2,"D:\\","E:\\"'],
    ['1,"C:\\\\",x', '2,"say ""hi\\""",y'],
    ['1,"C:\\",x', '2,"B"ob",y'],
    ['1,"C:\\",x', '2,"not closed,y'],
    ['1,"12\\" pipe",x', '2,"say ""hi""",y'],
    ['1,"12\\" pipe",x', '2,"DOMAIN\\user",y'],
    ['1,"12\\" pipe",x', '2,"B"ob",y'],
    ['1,"12\\" pipe",x', '2,too,many,cells'],
    ['1,"12\\" pipe",x', '2,"C:\\",y'],
    ['1,12\\" pipe,x', '2,DOMAIN\\user,y'],
  ]) assert.equal(told(['id,name,title', ...lines, '']), 'quote', lines.join());
});

test('quotes between tabs or bars are letters where nothing else reads the file and it has hardly a quoted cell', () => {
  const between = (delimiter: string, lines: readonly string[], isCut = false): Escape => escapeOf(lines.map((line) => line.replaceAll(',', delimiter)).join('\n'), { delimiter, columns: 3, isCut });
  for (const delimiter of ['\t', '|']) {
    assert.equal(between(delimiter, ['id,name,title', '1,"Acme" Ltd,x', '2,Bo,"the big', '3,"Cem",', '']), 'none');
    assert.equal(between(delimiter, ['id,name,title', '1,"Acme" Ltd,x', '2,Bo'], true), 'none');
    for (const lines of [
      ['id,name,title', '1,"Acme" Ltd,x', '2,"say ""hi""",x'], ['id,"name",title', '1,"Acme" Ltd,x', '2,Bo,x'], ['id,name,title', '1,"Acme "the" Ltd",x', '2,"Bo",x'],
      ['id,name,title', '1,"Acme" Ltd,x', '2,too,many,cells'], ['id,name,title', '1,"Acme",x', '2,5" pipe,x'], ['id,name,title', '1,"Acme" Ltd,x', '2,"two', 'lines",x'],
      ['id,name,title', '1,"Ann Lee",x', '2,Bo,x', '3,"C" Day,x', '4,"Dan Fox",x'],
    ]) assert.equal(between(delimiter, lines), 'quote', lines.join());
  }
  assert.equal(between(',', ['id,name,title', '1,"Acme" Ltd,x', '2,Bo,x']), 'quote');
});

const LINES = [
  'id,full_name,email,job_title', '1,"Ann \\"A\\" Lee",ann@acme.com,\\N', '2,Bob DOMAIN\\b,bob@acme.com,"VP, \\\\ \\"Ops\\""', '3,"Cem\\', 'Day",cem@acme.com,"12\\" pipe"', '4,"Eve",eve@acme.com,CTO', '',
];

test('a file as MySQL and Spark write it is read without its backslashes, says so, and tells the lines of its rejects', async () => {
  const lake = await testLake();
  const damaged = [...LINES.slice(0, -1), '5,"B"ob",b@acme.com,x', '6,"F",f@acme.com,"x\\" y"', ''];
  for (const [name, content] of [['a.csv', damaged.join('\n')], ['b.csv', damaged.join('\r\n')], ['c.csv.gz', gzipSync(damaged.join('\n'))]] as const) {
    const file = await lake.file(name, content);
    const { rejects } = await lake.ingest([file], { mode: 'replace', escape: 'backslash' });
    const rows = [...(await lake.rows()).values()].sort((a, b) => (a.id as string).localeCompare(b.id as string));
    assert.deepEqual(rows.map(({ full_name: full, job_title: title }) => [full, title]),
      [['Ann "A" Lee', null], ['Bob DOMAIN\\b', 'VP, \\ "Ops"'], ['Cem Day', '12" pipe'], ['Eve', 'CTO'], ['F', 'x" y']], name);
    assert.match(await lake.read(rejects[0]!.path), /\r\n7,"a quote that is not closed, or closed too early","5,/, name);
  }
  const { rows, warnings, plans } = await lake.ingest([await lake.file('d.csv', LINES.join('\n'))], { mode: 'replace' });
  assert.deepEqual([rows, warnings.length, plans[0]!.samples.get('job_title')?.includes('12" pipe')], [4, 1, true]);
  assert.match(warnings[0]!, /have backslashes before them, .*--escape says otherwise/);
});

test('a file that quotes nothing keeps the quotes of its cells, says so, and tells the lines of its rejects', async () => {
  const lake = await testLake();
  const lines = ['id\tfull_name\temail\tcompany', '1\tAnn\tann@acme.com\t"Acme" Ltd', '2\tBob\tbob@acme.com\t"the big', '3\tCem\tcem@acme.com\tAcme', '4\t\t\t"'];
  for (const [name, content] of [['a.tsv', lines.join('\n')], ['b.tsv', lines.join('\r\n')], ['c.tsv.gz', gzipSync(lines.join('\n'))], ['d.txt', Buffer.from(`\ufeff${lines.join('\r\n')}`, 'utf16le')]] as const) {
    const { rejects, rejected, warnings } = await lake.ingest([await lake.file(name, content)], { mode: 'replace' });
    const rows = [...(await lake.rows()).values()].map(({ full_name: full, company_name: company }) => [full, company]);
    assert.deepEqual(rows, [['Ann', '"Acme" Ltd'], ['Bob', '"the big'], ['Cem', 'Acme']], name);
    assert.deepEqual(Object.values(rejected), [1], name);
    assert.match(await lake.read(rejects[0]!.path), /\r\n5,"nothing identifies this row/, name);
    assert.deepEqual(warnings.map((warning) => /no cell of .* is quoted.*--escape says otherwise/.test(warning)), [true], name);
    assert.equal((await previewFiles(lake.order([join(lake.dataDir, name)]), lake.dataDir)).rows.length, 3, name);
  }
  const csv = await lake.file('e.csv', '"id","full_name"\n1,"Ann" Lee\n2,"Bob\n');
  await lake.ingest([csv], { mode: 'replace', escape: 'none', overrides: [{ column: '"id"', field: 'id' }] });
  assert.deepEqual([...(await lake.rows()).values()].map(({ full_name: full }) => full), ['"Ann" Lee', '"Bob']);
  const { rejected } = await lake.ingest([await lake.file('f.tsv', [lines[0], lines[1], lines[3]].join('\n'))], { mode: 'replace', escape: 'quote' });
  assert.match(Object.keys(rejected).join(), /--escape none may read it/);
});

test('a preview of such a file ends behind a whole record, and refuses what the ingest would', async () => {
  const lake = await testLake();
  const long = Array.from({ length: 1_100 }, (_, at) => `${at + 2},Bob,bob${at}@acme.com,"${'x'.repeat(2_000)}\nlines"`);
  const file = await lake.file('a.csv', ['id,full_name,email,job_title', '1,Ann,ann@acme.com,"12\\" pipe"', ...long, ''].join('\n'));
  for (const escape of [null, 'backslash'] as const) assert.deepEqual((await previewFiles(lake.order([file], { escape }), lake.dataDir)).rejected, {});
  assert.deepEqual((await lake.ingest([file])).rejected, {});
});

test('a record with a backslash before a quote is a reject of an ordinary file, which says how to read it', async () => {
  const lake = await testLake();
  const plain = await lake.file('a.csv', `id,name\n1,"12\\" pipe"\n2,"say ""hi"""\n3,"C:\\"\n`);
  const { rejected } = await lake.ingest([plain]);
  assert.match(Object.keys(rejected).join(), /--escape backslash may read it$/);
  assert.deepEqual([...(await lake.rows()).values()].map(({ full_name: full }) => full).sort(), ['C:\\', 'say "hi"']);
  assert.equal((await lake.ingest([await lake.file('b.csv', LINES.join('\n'))], { escape: 'quote', mode: 'replace' })).rows, 1);
});

test('what a database writes with a backslash between tabs is read as what it stands for, where a cell says nothing in its way and no backslash is alone', async () => {
  const lake = await testLake();
  const lines = ['id\tname\tcountry\tdescription\tkeywords', '1\tAcme\t\\N\tOne.\\r\\nTwo: C:\\\\new\\tend\t{"a \\\\"b\\\\"","c"}', "2\tO\\'Neill\tIE\t\\N\t\\N"];
  let warnings: readonly string[] = [];
  const described = async (name: string, content: string | Buffer, escape: Parameters<typeof lake.ingest>[1] = {}): Promise<unknown[]> => {
    ({ warnings } = await lake.ingest([await lake.file(name, content)], { dataset: 'companies', mode: 'replace', ...escape }));
    return [...(await lake.rows('companies')).values()].map((row) => [row.name, row.description ?? null, row.keywords ?? null]).sort();
  };
  for (const more of [[], ['3\t"Bo" Ltd\tUS\tx\\ny\t\\N']]) {
    const wanted = [['Acme', 'One. Two: C:\\new end', ['a "b"', 'c']], ["O'Neill", null, null], ...(more.length === 0 ? [] : [['"Bo" Ltd', 'x y', null]])].sort();
    const text = [...lines, ...more, ''].join('\n');
    assert.deepEqual(await described('a.tsv', text), wanted);
    assert.deepEqual(await described('b.tsv.gz', gzipSync(text)), wanted);
    assert.ok(warnings.some((warning) => /\\n, \\t and \\\\ in the cells of .* --escape quote says otherwise/.test(warning)), String(warnings));
  }
  const as = (line: string): string => [lines[0], line, '2\tBo\tUS\t\\N\t\\N', ''].join('\n');
  assert.deepEqual(await described('c.tsv', as('1\tAcme\tUS\tC:\\new\\Users\t\\N')), [['Acme', 'C:\\new\\Users', null], ['Bo', null, null]]);
  assert.deepEqual(await described('d.tsv', as('1\tAcme\tUS\t"C:\\new"\t\\N')), [['Acme', 'C:\\new', null], ['Bo', null, null]]);
  assert.deepEqual(await described('f.tsv', as('1\tAcme\tUS\tC:\\new\t\\N'), { escape: 'quote' }), [['Acme', 'C:\\new', null], ['Bo', null, null]]);
  assert.deepEqual(warnings, []);
  assert.deepEqual(await described('g.tsv', as('1\tAcme\tUS\tx\x01y\\nz\t\\N')), [['Acme', 'xy z', null], ['Bo', null, null]]);
  assert.deepEqual(await described('e.tsv', `${lines[0]}\n1\tAcme\tUS\tC:\\new\tx\n`), [['Acme', 'C:\\new', ['x']]]);
});
