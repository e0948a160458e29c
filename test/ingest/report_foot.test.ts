import assert from 'node:assert/strict';
import { test } from 'node:test';
import { footOf } from '../../src/ingest/report_foot.ts';
import { testLake, type TestLake } from './lake.ts';

const SEMICOLONS = { delimiter: ';', escape: 'quote', header: ['a', 'b', 'c', 'd'] } as const;
const TOTALS = 'no row, but the totals below the rows of a report';
const WORDS = 'no row, but words below the rows of a report';

async function taken(lake: TestLake, content: string): Promise<{ names: unknown[]; rejected: unknown }> {
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
