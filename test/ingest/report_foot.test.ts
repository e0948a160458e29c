import assert from 'node:assert/strict';
import { test } from 'node:test';
import { footOf } from '../../src/ingest/report_foot.ts';
import { testLake, type TestLake } from './lake.ts';

const SEMICOLONS = { delimiter: ';', escape: 'quote', header: ['a', 'b', 'c', 'd'] } as const;
const TOTALS = 'no row, but the totals below the rows of a report';
const WORDS = 'no row, but words below the rows of a report';

async function taken(lake: TestLake, content: string | Buffer): Promise<{ names: unknown[]; rejected: unknown }> {
  const { rejected } = await lake.ingest([await lake.file('a.csv', content)], { dataset: 'companies', mode: 'replace' });
  return { names: [...(await lake.rows('companies')).values()].map(({ name }) => name).sort(), rejected };
}

test('totals below the rows are no row, wherever their word stands', async () => {
  const lake = await testLake();
  const header = 'Nr.;Firma;Ort;Mitarbeiter\n';
  for (const foot of ['Summe;2;;50', ';Total;;1.234,50 €', ';;;;\nGesamt: 2;;;', 'Grand Totals (2 records);;;50;', 'Total;2;;50\n;;;\n', '合計;2;;50']) {
    const { names, rejected } = await taken(lake, `${header}1;Alpha;Ulm;20\n2;Beta;Bonn;30\n${foot}\n`);
    assert.deepEqual([names, (rejected as Record<string, number>)[TOTALS]], [['Alpha', 'Beta'], 1], foot);
  }
});

test('the words below the totals or a blank line of a report are no rows', async () => {
  const lake = await testLake();
  const rows = 'Account Name,Industry,City\nAlpha,IT,Ulm\nBeta,Bau,Bonn\n';
  const copyright = '"Copyright (c) 2000-2024 salesforce.com, inc. All rights reserved.",,\n';
  assert.deepEqual(await taken(lake, `${rows},,\nAccounts,,\n${copyright}Confidential Information - Do Not Distribute,,\n`), {
    names: ['Alpha', 'Beta'], rejected: { [WORDS]: 3, 'nothing identifies this row: no name, domain or LinkedIn address': 1 },
  });
  assert.deepEqual(await taken(lake, `${rows}\n${copyright}`), { names: ['Alpha', 'Beta'], rejected: { [WORDS]: 1 } });
  assert.deepEqual(await taken(lake, `${rows}Total,2,7\nSource: our CRM,,\n`), { names: ['Alpha', 'Beta'], rejected: { [TOTALS]: 1, [WORDS]: 1 } });
  const { rejects } = await lake.ingest([await lake.file('b.csv', `${rows}Total,2,7\n`)], { dataset: 'companies', mode: 'replace' });
  assert.match(await lake.read(rejects[0]!.path), /\n4,"no row, but the totals[^"]*","\{""name"":""Total"",""industry"":""2"",""city"":""7""\}"/);
});

test('a row that looks like the foot of a report but says more, or stands elsewhere, stays', async () => {
  const lake = await testLake();
  const rows = 'Company,Country,Employees\nTotal,,100\nAlpha,DE,20\n';
  for (const last of ['Total,FR,104000', 'Total,,', 'Total Wine,,5000', 'Summe GmbH,,5', 'Beta,,\n,,\nGamma,,', 'Copyright Ltd,,']) {
    const { names, rejected } = await taken(lake, `${rows}${last}\n`);
    assert.equal(names.length, last.startsWith('Beta') ? 4 : 3, `${last}: ${JSON.stringify([names, rejected])}`);
  }
});

test('a company that is called as totals are stays where its numbers are those of one row, or where it stands alone', async () => {
  const lake = await testLake();
  for (const [header, last] of [
    ['Name,Founded,Employees', 'Total,1924,104000'], ['Name,SIREN,Zip Code', 'Total,542051181,75001'], ['Name,Phone,Employees', 'Suma,9876543210,'], ['Name,Created,City', 'Total,2024-05-06,'],
    ['Name,City,Size', 'Total,,11-50'], ['Name,City,Size', 'Total,,10001+'], ['Name,Domain,City', 'Total,163.com,'], ['Name,Website,City', 'Total 24 Solutions,,'],
  ] as const) {
    const { names, rejected } = await taken(lake, `${header}\nAlpha,,\n${last}\n`);
    assert.deepEqual([names.length, rejected], [2, {}], last);
  }
  assert.deepEqual(await taken(lake, 'Name,City,Employees\nTotal,,5\n'), { names: ['Total'], rejected: {} });
});

test('rows of a name alone below one that looks like totals stay where others above them are such as well', async () => {
  const lake = await testLake();
  assert.deepEqual(await taken(lake, 'Name,Revenue,Employees\nAlpha,,\nBeta,5,7\nTotal,5,7\nUber,,\nVario,,\n'), { names: ['Alpha', 'Beta', 'Uber', 'Vario'], rejected: { [TOTALS]: 1 } });
  assert.deepEqual(await taken(lake, 'Name,Industry,City\nAlpha,IT,Ulm\n\nBeta,,\nCopyright Clearance Center,,\n'), { names: ['Alpha', 'Beta', 'Copyright Clearance Center'], rejected: {} });
});

test('no row is taken for the foot of a file in which the engine refuses a line', async () => {
  const lake = await testLake();
  const rows = 'Name,City,Employees\nÄlpha,Köln,5\nBüta,Güte,6\n';
  for (const last of ['"Copyright" 2024 Foo,,', '\n"Copyright" 2024 Foo,,', Buffer.from('\xa9 2024 Foo,,', 'latin1')]) {
    const { names } = await taken(lake, Buffer.concat([Buffer.from(`${rows}Total,,11\n`), Buffer.from(last as string), Buffer.from('\n')]));
    assert.deepEqual(names.slice(0, 1).concat(names.slice(-1)), ['Büta', 'Älpha']);
  }
  const written = '"B \\"b\\" GmbH";Ulm;5;"a \\"b\\" c"\n"Beta";Bonn;6;"first\nTotal;5;6;7\nhe said \\"hi"\n';
  assert.deepEqual((await taken(lake, `Name;City;Employees;Description\n${written}`)).names, ['B "b" GmbH', 'Beta']);
});

test('the foot of a file is told from its lines', () => {
  assert.deepEqual(footOf(['1;A;x;5', 'Total;;;5', ''], SEMICOLONS), ['totals']);
  assert.deepEqual(footOf(['1;A;x;5', '', 'Report', 'Copyright 2024 Acme'], SEMICOLONS), []);
  assert.deepEqual(footOf(['Total;+49 30 123456;;'], SEMICOLONS), []);
  assert.deepEqual(footOf(['Total;;;a@b.co'], SEMICOLONS), []);
  assert.deepEqual(footOf(['1;A;5;"of note', 'Total;2;3;4"'], SEMICOLONS), []);
  assert.deepEqual(footOf([`Total;1${'x'.repeat(60_000)};;`, `Total ${'1'.repeat(60_000)}!;;;`], SEMICOLONS), []);
  assert.deepEqual(footOf(['1;A;x;5', 'Total;5'], { ...SEMICOLONS, header: ['a', 'b'] }), []);
});

test('a preview rejects the foot of a file that it reads to the end', async () => {
  const lake = await testLake();
  const { previewFiles } = await import('../../src/ingest/ingest.ts');
  const order = lake.order([await lake.file('a.csv', 'Firma;Ort;Mitarbeiter\nAlpha;Ulm;20\nSumme;;20\n')], { dataset: 'companies' });
  assert.deepEqual((await previewFiles(order, lake.dataDir)).rejected, { [TOTALS]: 1 });
});
