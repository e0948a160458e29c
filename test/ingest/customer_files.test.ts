import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapColumns } from '../../src/ingest/mapping.ts';
import type { Dataset } from '../../src/model/dataset.ts';
import type { Row } from '../../src/model/field.ts';
import { testLake, type TestLake } from './lake.ts';

const guess = (dataset: Dataset, ...columns: string[]): Record<string, readonly string[]> =>
  Object.fromEntries(mapColumns(columns, dataset, [], []).feeds.map((feed) => [feed.field, feed.columns]));

/** Fields of the rows that come of a file, sorted. */
async function told(lake: TestLake, dataset: Dataset, content: string, fields: readonly (keyof Row)[]): Promise<unknown[][]> {
  await lake.ingest([await lake.file('a.csv', content)], { dataset, mode: 'replace', source: dataset });
  return [...(await lake.rows(dataset, dataset)).values()].map((row) => fields.map((field) => row[field])).sort();
}

test('the name of a customer is that of a company beside the one of a contact person, and in a list of companies without another', () => {
  assert.deepEqual(guess('contacts', 'Kundenname', 'Ansprechpartner'), { full_name: ['Ansprechpartner'], company_name: ['Kundenname'] });
  assert.deepEqual(guess('contacts', 'Customer Name', 'Contact Name'), { full_name: ['Contact Name'], company_name: ['Customer Name'] });
  assert.deepEqual(guess('contacts', 'Customer Name', 'First Name', 'Company'), { first_name: ['First Name'], company_name: ['Company'] });
  assert.deepEqual(guess('contacts', 'Customer Name', 'Email'), { email: ['Email'] });
  assert.deepEqual(guess('companies', 'Kundenname', 'Ort'), { name: ['Kundenname'], city: ['Ort'] });
  assert.deepEqual(guess('companies', 'Customer Name', 'Company'), { name: ['Company'] });
});

test('what stands behind the word for business in German is that of the person at work', () => {
  assert.deepEqual(guess('contacts', 'Geschäftlich: Ort', 'Geschäftlich: Land', 'Privat: Ort', 'Geschäftlich: E-Mail'), {
    country: ['Geschäftlich: Land'], city: ['Geschäftlich: Ort'], email: ['Geschäftlich: E-Mail'],
  });
});

test('short words of Spanish and French sheets and the registers of the north name a postal code and the year of a company', () => {
  assert.deepEqual(guess('companies', 'C.P.', 'Año de constitución'), { postal_code: ['C.P.'], founded_year: ['Año de constitución'] });
  assert.deepEqual(guess('companies', 'CP', 'Stiftelsesdato'), { postal_code: ['CP'], founded_year: ['Stiftelsesdato'] });
});

test('the exports of German and French CRMs, and the registers of Poland and Italy, name what the English ones do', () => {
  assert.deepEqual(guess('contacts', 'Ort (Postanschrift)', 'Postanschrift: Land', 'Zugeordnetes Unternehmen', 'Letztes Änderungsdatum'), {
    country: ['Postanschrift: Land'], city: ['Ort (Postanschrift)'], company_name: ['Zugeordnetes Unternehmen'], updated_at: ['Letztes Änderungsdatum'],
  });
  assert.deepEqual(guess('contacts', "ID d'enregistrement", 'Entreprise associée', 'Date de la dernière modification'), {
    id: ["ID d'enregistrement"], company_name: ['Entreprise associée'], updated_at: ['Date de la dernière modification'],
  });
  assert.deepEqual(guess('companies', 'Nazwa', 'Ort (Rechnungsanschrift)'), { name: ['Nazwa'], city: ['Ort (Rechnungsanschrift)'] });
  assert.deepEqual(guess('companies', 'Denominazione', 'Prov.', 'Addetti', 'Natura giuridica'), { name: ['Denominazione'], region: ['Prov.'], employee_count: ['Addetti'], company_type: ['Natura giuridica'] });
  assert.deepEqual(guess('contacts', 'Nazwa', 'Imię', 'Nazwisko'), { first_name: ['Imię'], last_name: ['Nazwisko'] });
});

test('what CRMs and pivot tables write where nothing is known is null', async () => {
  const lake = await testLake();
  assert.deepEqual(await told(lake, 'contacts', 'First Name,Last Name,Company,City\nAnn,[not provided],(unknown),(Leer)\n', ['full_name', 'last_name', 'company_name', 'city']), [['Ann', null, null, null]]);
});

test('the number of a contact is no phone where it is the key of a record', async () => {
  const lake = await testLake();
  assert.deepEqual(await told(lake, 'contacts', 'Contact Number,Name,Country\nC-000123,Ann,US\n104,Bob,US\n', ['full_name', 'phone']), [['Ann', null], ['Bob', null]]);
  assert.deepEqual(await told(lake, 'contacts', 'Contact Number,Name,Country\n212-555-0101,Ann,US\n10412,Bob,US\n', ['full_name', 'phone']), [['Ann', '+12125550101'], ['Bob', '10412']]);
});

test('a number is no city, as in a column of how many live there', async () => {
  const lake = await testLake();
  assert.deepEqual(await told(lake, 'contacts', 'Nombre completo;Municipio;Población\nAna;Vigo;293.642\nEva;;3223334\n', ['full_name', 'city']), [['Ana', 'Vigo'], ['Eva', null]]);
  assert.deepEqual(await told(lake, 'contacts', 'Nombre completo;Población\nAna;Vigo\n', ['full_name', 'city']), [['Ana', 'Vigo']]);
});

test('revenue that its column tells in thousands is as many dollars', async () => {
  const lake = await testLake();
  const file = (column: string): string => `Company Name,${column}\nAcme,"120,500"\nBeta,7.5\nGamma,$1.2M\nDelta,n/a\nPhi,"$120,500"\nPsi,USD 7 500\nRho,5 EUR\n`;
  const wanted = [['Acme', 120_500_000], ['Beta', 7_500], ['Delta', null], ['Gamma', 1_200_000], ['Phi', 120_500_000], ['Psi', 7_500_000], ['Rho', null]];
  for (const column of ['Revenue (in 000s USD)', 'Revenue (in 000s)']) assert.deepEqual(await told(lake, 'companies', file(column), ['name', 'revenue_usd']), wanted);
});

test('a postal code of Japan is kept without the sign before it', async () => {
  const lake = await testLake();
  assert.deepEqual(await told(lake, 'contacts', '氏名,郵便番号\n山田 太郎,〒108-0075\n佐藤 花子,471-8571\n', ['postal_code']), [['108-0075'], ['471-8571']]);
});
