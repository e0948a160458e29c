import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Duck } from '../../src/ingest/duckdb.ts';
import { openInput } from '../../src/ingest/input.ts';
import { mapColumns } from '../../src/ingest/mapping.ts';
import type { Note } from '../../src/ingest/normal_table.ts';
import { openReader } from '../../src/ingest/reader.ts';
import { cellsOf, parquetFile } from './columns.ts';
import { testLake } from './lake.ts';

const lines = (...records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

test('a key with a dot and a key in a record that have one name are one column', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.ndjson', lines({ id: 1, name: 'Ann', location: { city: 'Rome' } }, { id: 2, name: 'Bob', 'location.city': 'Bonn' }))]);
  assert.deepEqual(cellsOf(await lake.rows(), 'id', 'city'), [['crm:1', 'Rome'], ['crm:2', 'Bonn']]);
});

test('what records have from some later place on is a column too', async () => {
  const lake = await testLake();
  const early = (at: number): string => `{"id":1,"at":${at % 2 === 0 ? '"x"' : '{"city":"Rome"}'}}`;
  const records = Array.from({ length: 151_000 }, (_, at) => (at < 150_000 ? early(at) : `{"id":${at},"phone":{"work":"1"},"Id":3}`));
  const text = `${records.join('\n')}\n`;
  const [plain, packed] = [await lake.file('a.ndjson', text), join(lake.dataDir, 'd.ndjson.zst')];
  const files = [plain, await lake.file('b.json', `[${records.join(',')}]`), await lake.file('c.ndjson.gz', gzipSync(text)), packed];
  const { signal } = new AbortController();
  const duck = await Duck.open(lake.dataDir, { folders: [], files }, signal);
  try {
    const how = "delim = '\x01', quote = '', escape = '', header = false";
    await duck.run(`COPY (FROM read_csv('${plain}', auto_detect = false, columns = {'line': 'VARCHAR'}, ${how})) TO '${packed}' (FORMAT csv, ${how.replaceAll(' =', '')}, COMPRESSION zstd)`);
    for (const [at, file] of files.entries()) {
      const { columns } = await openReader(duck, await openInput(file, at, lake.dataDir, signal), at, { encoding: null, escape: null });
      assert.deepEqual(columns.map(({ name }) => name), ['id', 'at', 'at.city', 'phone.work', 'Id'], file);
    }
  } finally {
    duck.close();
  }
});

test('what is a record here and a text there gives what is in the record, and the text', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.ndjson', lines(
    { id: 1, name: 'Ann', company: { name: 'Acme', domain: 'acme.com' }, address: { city: 'Rome', geo: { country: 'IT' } } },
    { id: 2, name: 'Bob', company: 'Beta', address: [] }, { id: 3, name: 'Cem', company: null, address: { city: 'Bonn', geo: '' } },
  ))]);
  assert.deepEqual(cellsOf(await lake.rows(), 'id', 'company_name', 'company_domain', 'city', 'country'), [
    ['crm:1', 'Acme', 'acme.com', 'Rome', 'IT'], ['crm:2', 'Beta', null, null, null], ['crm:3', null, null, 'Bonn', null],
  ]);
});

test('records of any keys, and lists of records, are no values of a field unless the command says so', async () => {
  const lake = await testLake();
  const json = await lake.file('a.ndjson', lines({ id: 1, name: 'Ann', city: [{ name: 'Rome' }], phone: [{ id: 4_411_223_344, number: '+12125550123' }], skills: ['x'] }));
  const file = await parquetFile(lake, "SELECT 1 AS id, 'Ann' AS name, MAP {'name': 'Rome'} AS city, [{'id': 4411223344, 'number': '+12125550123'}] AS phone, ['x'] AS skills");
  for (const one of [json, file]) {
    const { plans } = await lake.ingest([one], { mode: 'replace' });
    assert.deepEqual(plans[0]!.mapping.unused, ['city', 'phone']);
    assert.deepEqual(cellsOf(await lake.rows(), 'id', 'city', 'phone', 'skills'), [['crm:1', null, null, ['x']]]);
  }
  const own = await parquetFile(lake, "SELECT 1 AS id, 'Ann' AS name, MAP {'name': 'Rome'} AS offices, ['x'] AS plans", 'own.parquet');
  const extras = ['offices', 'plans'].map((field) => ({ name: field, type: 'strings', description: field }) as const);
  const { plans: ofOwn } = await lake.ingest([own], { mode: 'replace', extras });
  assert.deepEqual([ofOwn[0]!.mapping.unused, cellsOf(await lake.rows(), 'offices', 'plans')], [['offices'], [[null, ['x']]]]);
  const { plans } = await lake.ingest([json], { overrides: [{ column: 'city', field: 'headline' }, { column: 'phone', field: 'region' }] });
  assert.deepEqual(plans[0]!.mapping.unused, []);
});

test('of a list of records that the command names, each says what its value, address or name does', async () => {
  const lake = await testLake();
  const overrides = ['email', 'phone', 'skills'].map((field) => ({ column: field, field }));
  const email = [{ type: 'work', value: null }, { type: 'work', value: 'ann@a.com' }];
  const json = await lake.file('a.ndjson', lines({ id: 1, name: 'Ann', email, phone: [{ id: 4_411_223_344, number: '+12125550123' }], skills: [{ name: 'Sales', of: 9 }, 'CRM', { of: 7 }] }));
  const file = await parquetFile(lake, `SELECT 1 AS id, 'Ann' AS name, [{'address': NULL}, {'address': 'ann@a.com'}] AS email, [{'id': 4411223344, 'number': '+12125550123'}] AS phone, [{'name': 'Sales'}, {'name': 'CRM'}] AS skills`);
  for (const one of [json, file]) {
    await lake.ingest([one], { mode: 'replace', overrides });
    assert.deepEqual(cellsOf(await lake.rows(), 'email', 'phone', 'skills'), [['ann@a.com', '+12125550123', ['Sales', 'CRM']]], one);
  }
});

test('a JSON record with more keys than can be read is refused and not cut', async () => {
  const lake = await testLake();
  const wide = { ...Object.fromEntries(Array.from({ length: 1_100 }, (_, key) => [`k${key}`, key])), id: 1, name: 'Ann' };
  await assert.rejects(lake.ingest([await lake.file('a.ndjson', lines(wide))]), /has 1102 columns, more than 1024/);
});

test('a whole number has no point, as an id, a phone or a postal code, also in what knows none but fractions', async () => {
  const lake = await testLake();
  const json = await lake.file('a.ndjson', '{"id":1.0,"name":"Ann","phone":30123456.0,"country":"DE","zip":10115.0}\n{"id":2.0,"name":"Bob","phone":30123457.0,"country":"DE","zip":10116.0}\n');
  const file = await parquetFile(lake, "SELECT id::DOUBLE AS id, name, phone::DOUBLE AS phone, 'DE' AS country, zip::FLOAT AS zip FROM (VALUES (1, 'Ann', 30123456, 10115), (2, 'Bob', 30123457, 10116)) t(id, name, phone, zip)");
  const typed = 'id::DECIMAL(38, 10) AS id, name, phone::DECIMAL(20, 2) AS phone, zip::DECIMAL(12, 4) AS zip';
  const people = "(VALUES (1, 'Ann', 30123456, 10115), (2, 'Bob', 30123457, 10116)) t(id, name, phone, zip)";
  const decimals = await parquetFile(lake, `SELECT ${typed}, 'DE' AS country FROM ${people}`, 'decimals.parquet');
  for (const one of [json, file, decimals]) {
    await lake.ingest([one], { mode: 'replace' });
    assert.deepEqual(cellsOf(await lake.rows(), 'id', 'phone', 'postal_code'), [['crm:1', '+4930123456', '10115'], ['crm:2', '+4930123457', '10116']], one);
  }
  await lake.ingest([await lake.file('a.csv', 'id,name,phone,country\n1,Ann,30123456.0,DE\n2,Bob,212.555.0123,US\n')], { mode: 'replace' });
  assert.deepEqual(cellsOf(await lake.rows(), 'phone'), [['+12125550123'], ['+4930123456']]);
});

test('a record about somebody else says nothing of the row, and one about the company only what is the company\'s', () => {
  const guess = (dataset: 'contacts' | 'companies', ...columns: string[]): object => Object.fromEntries(mapColumns(columns, dataset, [], []).feeds.map((feed) => [feed.field, feed.columns]));
  assert.deepEqual(guess('contacts', 'name', 'company.name', 'company.city', 'company.location.country', 'company.phone', 'company.email', 'employer.domain', 'Owner.Email', 'manager.phone', 'created_by.linkedin_url'), {
    full_name: ['name'], company_name: ['company.name'], company_domain: ['employer.domain'],
  });
  assert.deepEqual(guess('contacts', 'employer.name', 'organization.industry.name', 'Account.linkedin_url', 'organization.primary_domain', 'address.city', 'properties.email'), {
    company_name: ['employer.name'], company_linkedin_url: ['Account.linkedin_url'], company_domain: ['organization.primary_domain'], city: ['address.city'], email: ['properties.email'],
    industry: ['organization.industry.name'],
  });
  assert.deepEqual(guess('companies', 'name', 'parent.domain', 'ceo.email', 'owner.phone', 'address.city'), { name: ['name'], city: ['address.city'] });
});

test('beside the title of a job another title is a form of address', () => {
  const titles = (...columns: string[]): object => mapColumns(columns, 'contacts', [], []).feeds.map(({ field, columns: from }) => [field, from]);
  assert.deepEqual(titles('Title', 'Job Title'), [['job_title', ['Job Title']]]);
  assert.deepEqual(titles('Title'), [['job_title', ['Title']]]);
});

test('of several files one alone may have a column that the command names', async () => {
  const lake = await testLake();
  const files = [await lake.file('a.csv', 'id,who\n1,Ann\n'), await lake.file('b.csv', 'id,name\n2,Bob\n')];
  await lake.ingest(files, { overrides: [{ column: 'who', field: 'full_name' }] });
  assert.deepEqual(cellsOf(await lake.rows(), 'id', 'full_name'), [['crm:1', 'Ann'], ['crm:2', 'Bob']]);
  await assert.rejects(lake.ingest(files, { overrides: [{ column: 'whom', field: 'full_name' }] }), /names the column whom, which none of the files has; they have: id, who, name/);
});

test('a column of one file that proves to be no key takes none from the rows of another', async () => {
  const lake = await testLake();
  const files = [await lake.file('a.csv', 'id,name\n1,Acme\n'), await lake.file('b.csv', 'ticker,name\nX,Beta\nX,Gamma\n')];
  await lake.ingest(files, { dataset: 'companies' });
  const ids = [...(await lake.rows('companies')).keys()];
  assert.deepEqual([ids.length, ids.includes('crm:1'), ids.includes('crm:X')], [3, true, false]);
});

test('a title is none of a job where all of its values are forms of address', async () => {
  const lake = await testLake();
  const { plans } = await lake.ingest([
    await lake.file('a.csv', 'id,Title,Surname,Position\n1,Mrs,Doe,CEO\n2,Prof. Dr.,Roe,\n'), await lake.file('b.csv', 'id,Title,Surname\n3,Dr,Poe\n4,CTO,Loe\n'),
  ]);
  assert.deepEqual(plans.map(({ mapping }) => mapping.unused), [['Title'], []]);
  assert.deepEqual(cellsOf(await lake.rows(), 'id', 'job_title'), [['crm:1', 'CEO'], ['crm:2', null], ['crm:3', 'Dr'], ['crm:4', 'CTO']]);
});

test('pages of one site are the sites of no companies, and what a program calls its users is no title', async () => {
  const lake = await testLake();
  const page = (id: number): string => `https://crm.example.com/records/${id}`;
  const { plans } = await lake.ingest([await lake.file('a.ndjson', lines({ id: 1, name: 'Ann', url: page(1), role: 'user' }, { id: 2, name: 'Bob', url: page(2), role: 'lead', website: 'https://acme.com/about' }))]);
  assert.deepEqual(plans[0]!.mapping.unused, ['url', 'role']);
  assert.deepEqual(cellsOf(await lake.rows(), 'id', 'company_domain', 'job_title'), [['crm:1', null, null], ['crm:2', 'acme.com', null]]);
  const { plans: [own] } = await lake.ingest([await lake.file('b.csv', 'id,name,Company Website\n3,Cid,https://uni.edu/physics\n4,Dot,https://uni.edu/law\n')]);
  assert.deepEqual(own!.mapping.unused, [], 'whose site a column is by its name is believed');
});

test('a type of nothing but records is no type of a company', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'name,type\nAcme,organization\nBeta,Organization\n'), await lake.file('b.csv', 'name,type\nGamma,Organization\nDelta,GmbH\n')], { dataset: 'companies' });
  assert.deepEqual(cellsOf(await lake.rows('companies'), 'name', 'company_type'), [['Acme', null], ['Beta', null], ['Delta', 'GmbH'], ['Gamma', 'Organization']]);
});

test('revenue is in the currency that a column beside it says, and left empty where that is none of dollars', async () => {
  const lake = await testLake();
  const report = 'Account Name,Annual Revenue Currency,Annual Revenue\nAnn,EUR,"5,000,000.00"\nBob,USD,"6,000,000.00"\nCem,,"7,000,000.00"\nDee,EUR,\n';
  const { notes, plans: [plan] } = await lake.ingest([await lake.file('a.csv', report)], { dataset: 'companies' });
  assert.deepEqual(cellsOf(await lake.rows('companies'), 'name', 'revenue_usd'), [['Ann', null], ['Bob', 6_000_000], ['Cem', 7_000_000], ['Dee', null]]);
  assert.deepEqual([notes, plan!.mapping.unused], [[{ field: 'revenue_usd', rows: 1, examples: ['5,000,000.00 (EUR)'] }], []]);
  for (const [amount, currency] of [['ANNUALREVENUE', 'CURRENCYISOCODE'], ['Organization - Annual revenue', 'Organization - Currency of Annual revenue'], ['Annual Revenue (USD)', 'Annual Revenue (USD) Currency'], ['Revenue', 'Last Funding Amount Currency']] as const) {
    await lake.ingest([await lake.file('b.csv', `name,${amount},${currency}\nAnn,5000,CHF\nBob,6000,US Dollar\n`)], { dataset: 'companies', mode: 'replace' });
    const isOther = /usd|funding/i.test(amount + currency);
    assert.deepEqual(cellsOf(await lake.rows('companies'), 'name', 'revenue_usd'), [['Ann', isOther ? 5_000 : null], ['Bob', 6_000]], currency);
  }
  const named = ['US$', 'USD ($)', 'USD - U.S. Dollar', 'US Dollar (USD)', '$ USD', 'US-Dollar', 'United States Dollar', '840', 'A$', 'Canadian Dollar', 'USD,EUR', '978', '1', 'M'];
  await lake.ingest([await lake.file('b.csv', `name,Revenue,Currency\n${named.map((currency, at) => `${10 + at},"5,000${at % 2 === 0 ? '' : ' USD'}","${currency}"\n`).join('')}`)], { dataset: 'companies', mode: 'replace' });
  assert.deepEqual(cellsOf(await lake.rows('companies'), 'name', 'revenue_usd').map(([, dollars]) => dollars), named.map((_, at) => (at < 8 ? 5_000 : null)));
  await lake.ingest([await lake.file('b.csv', 'name,Revenue,Currency\nAnn,5000,CHF\n')], { dataset: 'companies', mode: 'replace', overrides: [{ column: 'Currency', field: null }] });
  assert.deepEqual(cellsOf(await lake.rows('companies'), 'revenue_usd'), [[5_000]], 'the command says that it is dollars');
});

test('days whose month cannot be told are read as the others of their column, where enough of those tell it', async () => {
  const lake = await testLake();
  const read = async (...days: readonly string[]): Promise<unknown> => {
    const { notes } = await lake.ingest([await lake.file('a.csv', `id,name,Last Modified Date\n${days.map((day, at) => `${at},Ann,"${day}"\n`).join('')}`)], { mode: 'replace' });
    return [cellsOf(await lake.rows(), 'id', 'updated_at').map(([, at]) => at), notes.reduce((sum, { rows }) => sum + rows, 0)];
  };
  const [thirdOfMay, fifthOfMarch, later] = ['2024-05-03T15:15:00Z', '2024-03-05T00:00:00Z', '2024-05-13T00:00:00Z'];
  assert.deepEqual(await read('5/3/2024, 3:15 PM', '5/13/2024', '5/13/2024', '5/14/2024', '5/15/2024'), [[thirdOfMay, later, later, '2024-05-14T00:00:00Z', '2024-05-15T00:00:00Z'], 0]);
  assert.deepEqual(await read('05/03/2024', '13/05/2024', '14-05-2024', '15/05/2024'), [[fifthOfMarch, later, '2024-05-14T00:00:00Z', '2024-05-15T00:00:00Z'], 0]);
  const many = Array.from({ length: 20 }, (_, at) => `5/13/2024 10:${at + 10}`);
  assert.deepEqual((await read(...many, '14/05/2024') as [string[], number])[0].includes('2024-05-14T00:00:00Z'), true, 'what can be read in one way is read so');
  const { notes } = await lake.ingest([await lake.file('a.csv', 'name,Modified\nAnn,31/02/2024\nBob,13/05/2024\nCem,14/05/2024\n')], { mode: 'replace' });
  assert.deepEqual(notes, [{ field: 'updated_at', rows: 1, examples: ['31/02/2024'] }], 'what is no day is shown as it came');
  assert.deepEqual(await read('05/03/2024', '13/05/2024', '14/05/2024'), [[null, later, '2024-05-14T00:00:00Z'], 1], 'two are not enough');
  assert.deepEqual(await read('05/03/2024', '13/05/2024', '14/05/2024', '15/05/2024', '5/13/2024'), [[null, later, '2024-05-14T00:00:00Z', '2024-05-15T00:00:00Z', later], 1], 'one speaks against it');
});

test('the country that the folders of a file say is that of its rows, and what else they say is read where the command names it', async () => {
  const lake = await testLake();
  for (const folder of ['id=7/country=DE/name=x', 'country=__HIVE_DEFAULT_PARTITION__', 'country=C%C3%B4te d%27Ivoire']) await mkdir(join(lake.dataDir, folder), { recursive: true });
  const told = await lake.file('id=7/country=DE/name=x/a.csv', 'name,email\nJo,jo@x.de\nname,email\nAl,al@x.de,\n"Cy",cy@x.de\n');
  const files = [
    told, await lake.file('country=__HIVE_DEFAULT_PARTITION__/b.csv', 'id,name\n2,Bo\n'), await lake.file('country=C%C3%B4te d%27Ivoire/c.ndjson', lines({ id: 3, name: 'Di' })),
    await lake.file('id=7/country=DE/d.ndjson', lines({ id: 4, name: 'Ed', country: 'FR' }, { id: 5, name: 'Fo' })),
  ];
  const { warnings, rejected } = await lake.ingest(files);
  assert.deepEqual([warnings, rejected], [[`what the names of the folders of ${told} say is not read unless --map names it: id`], { 'the header again': 1 }]);
  assert.deepEqual(cellsOf(await lake.rows(), 'full_name', 'country'), [['Al', 'DE'], ['Bo', null], ['Cy', 'DE'], ['Di', 'CI'], ['Ed', 'FR'], ['Fo', null], ['Jo', 'DE']]);
  const named = await lake.ingest([told], { mode: 'replace', overrides: [{ column: 'id', field: 'region' }] });
  assert.deepEqual([named.warnings, cellsOf(await lake.rows(), 'full_name', 'region', 'country')], [[], [['Al', '7', 'DE'], ['Cy', '7', 'DE'], ['Jo', '7', 'DE']]]);
  await lake.ingest([told], { mode: 'replace', overrides: [{ column: 'country', field: null }] });
  assert.deepEqual(cellsOf(await lake.rows(), 'full_name', 'country'), [['Al', null], ['Cy', null], ['Jo', null]]);
  await assert.rejects(lake.ingest([await lake.file('id=7/country=DE/e.csv', 'x,y\n1,2\n')]), /none of its columns is known for contacts: x, y, id, country\./);
});

test('the country of a row goes before that of the folder, whatever they are called', async () => {
  const lake = await testLake();
  await mkdir(join(lake.dataDir, 'country_code=DE'));
  await lake.ingest([await lake.file('country_code=DE/a.csv', 'id,name,Land\n1,Jo,Frankreich\n2,Al,\n'), await lake.file('country_code=DE/b.ndjson', lines({ id: 3, name: 'Bo', address: { country: 'IT' } }))]);
  assert.deepEqual(cellsOf(await lake.rows(), 'full_name', 'country'), [['Al', 'DE'], ['Bo', 'IT'], ['Jo', 'FR']]);
});

test('what a folder says fills an extra of its name, and no note says that it is left', async () => {
  const lake = await testLake();
  await mkdir(join(lake.dataDir, 'batch=7'));
  const { warnings } = await lake.ingest([await lake.file('batch=7/a.csv', 'id,name\n1,Jo\n')], { extras: [{ name: 'batch', type: 'string', description: 'batch' }] });
  assert.deepEqual([warnings, cellsOf(await lake.rows(), 'full_name', 'batch')], [[], [['Jo', '7']]]);
});

test('of several columns the first that says what its field understands goes before one that is masked, or dialled', async () => {
  const lake = await testLake();
  const { notes, read, rows } = await lake.ingest([await lake.file('a.csv', [
    'id,work email,email,phone,mobile,country code,country',
    '1,j***@acme.com,jo@acme.com,ask,+49 171 1234567,49,Germany', '2,email_not_unlocked@domain.com,al@acme.com,000-000-0000,+49 171 1234567,+49,Germany', '3,bo@acme.com,al@acme.com,+49 30 901820,+49 171 1234567,AT,Germany',
    '4,no email,cy@acme.com,+49 *** ***,,49,', '5,j***@acme.com; dy@acme.com,not found,,,,DE', '6,x***@acme.com,,,,,',
  ].join('\n'))], { overrides: [{ column: 'id', field: 'full_name' }] });
  assert.deepEqual([read, rows], [6, 6]);
  assert.deepEqual(cellsOf(await lake.rows(), 'full_name', 'email', 'phone', 'country'), [
    ['1', 'jo@acme.com', '+491711234567', 'DE'], ['2', 'al@acme.com', '+491711234567', 'DE'], ['3', 'bo@acme.com', '+4930901820', 'AT'],
    ['4', 'cy@acme.com', null, null], ['5', 'dy@acme.com', null, 'DE'], ['6', null, null, null],
  ]);
  assert.deepEqual(notes.map(({ field, examples }) => [field, examples]), [['country', ['49']], ['email', ['x***@acme.com']], ['phone', ['+49 *** ***']]]);
});

test('what tells a column, and is shown of it, are its first different values, every time', async () => {
  const lake = await testLake();
  const names = Array.from({ length: 500 }, (_, at) => `Person ${(at * 7) % 500}`);
  const { plans } = await lake.ingest([await lake.file('many.csv', `name,city\n${names.map((name) => `${name},Rome\n`).join('')}`)]);
  assert.deepEqual([...plans[0]!.samples], [['name', ['Person 0', 'Person 7', 'Person 14']], ['city', ['Rome']]]);
});

test('a column of locations that may be states tells no country, unless it is said to', async () => {
  const lake = await testLake();
  let notes: readonly Note[] = [];
  const countries = async (places: readonly string[], overrides: Parameters<typeof lake.ingest>[1] = {}, column = 'Location'): Promise<unknown[]> => {
    ({ notes } = await lake.ingest([await lake.file('l.csv', `name,${column}\n${places.map((place, at) => `Ann ${at},"${place}"\n`).join('')}`)], { mode: 'replace', ...overrides }));
    return [...(await lake.rows()).values()].map(({ country }) => country ?? null).sort();
  };
  assert.deepEqual(await countries(['TX', 'CA', 'IN']), [null, null, null]);
  assert.deepEqual(await countries(['Ohio', 'Georgia']), [null, null]);
  assert.deepEqual(await countries(['Germany', 'Georgia', 'Austin, TX', 'NYC', 'USA']), ['DE', 'GE', 'US', null, null]);
  const cities = Array.from({ length: 30 }, (_, at) => `City ${at}`);
  assert.deepEqual((await countries(['Berlin, Germany', ...cities, 'CA', ' in ', 'Ind', 'UT', 'CR', 'AO', 'Man', 'US', 'uk', 'UAE', 'U.K'])).filter((country) => country !== null), ['AE', 'DE', 'GB', 'GB', 'US']);
  assert.deepEqual(notes.map(({ field, examples }) => [field, examples]), [['country', ['AO', 'CA', 'CR']]]);
  assert.deepEqual(await countries(['CA'], { overrides: [{ column: 'Location', field: 'country' }] }), ['CA']);
  assert.deepEqual(await countries(['CA'], {}, 'location-name'), [null]);
});
