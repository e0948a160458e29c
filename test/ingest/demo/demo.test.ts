import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { demoCompanies } from '../../../src/ingest/demo/companies.ts';
import { makeDemoLake } from '../../../src/ingest/demo/demo.ts';
import { CRM_ROWS, DemoPeople, SHARED_ROWS, WEB_ROWS } from '../../../src/ingest/demo/people.ts';
import { phoneOf } from '../../../src/ingest/normalise/phone.ts';
import { domainOf } from '../../../src/ingest/normalise/web.ts';
import { COUNTRY_CODES } from '../../../src/model/country.ts';
import { SENIORITIES, SIZES, type Row } from '../../../src/model/field.ts';
import { identityOf } from '../../../src/model/identity.ts';
import { folderOf } from '../../support/folder.ts';

const companies = demoCompanies();
const people = new DemoPeople(companies);
const crm = Array.from({ length: CRM_ROWS }, (_, at) => people.crm(at));
const web = Array.from({ length: WEB_ROWS }, (_, at) => people.web(at));
const contacts = [...crm, ...web];
const registry = companies.map(({ row }) => row);

const share = (rows: readonly Row[], field: string): number => rows.filter((row) => row[field] !== null).length / rows.length;
const near = (actual: number, wanted: number): void => assert.ok(Math.abs(actual - wanted) < 0.03, `${actual} is not about ${wanted}`);
const identities = (rows: readonly Row[]): Set<string> => new Set(rows.map((row) => identityOf('contacts', row)).filter((identity) => identity.class < 2).map(({ key }) => key));

test('the demo has 100,000 contacts in two sources and 10,000 companies in one', () => {
  assert.equal(contacts.length, 100_000);
  assert.equal(registry.length, 10_000);
  assert.equal(new Set([...contacts, ...registry].map((row) => row.id)).size, 110_000);
});

test('about 30 % of the contacts and of the companies are in the US, and every country has at least 20 of each source', () => {
  for (const rows of [contacts, registry]) near(rows.filter((row) => row.country === 'US').length / rows.length, 0.3);
  for (const rows of [crm, web, registry]) {
    const counts = new Map<unknown, number>();
    for (const { country } of rows) counts.set(country, (counts.get(country) ?? 0) + 1);
    for (const code of COUNTRY_CODES) assert.ok((counts.get(code) ?? 0) >= 20, code);
  }
});

test('the two sources share people by identity, and each knows of them what the other does not', () => {
  const keys = identities(crm);
  const shared = [...identities(web)].filter((key) => keys.has(key)).length;
  assert.ok(shared > SHARED_ROWS * 0.7 && shared <= SHARED_ROWS, `${shared} are shared`);
  const pairs = Array.from({ length: SHARED_ROWS }, (_, at) => [crm[CRM_ROWS - SHARED_ROWS + at]!, web[at]!] as const);
  assert.ok(pairs.some(([ours, theirs]) => ours.phone !== null && theirs.phone === null));
  assert.ok(pairs.some(([ours, theirs]) => ours.skills === null && theirs.skills !== null));
});

test('the fields are filled as in life, and hold what they promise', () => {
  near(share(contacts, 'email'), 0.72);
  near(share(contacts, 'phone'), 0.41);
  near(share(contacts, 'linkedin_url'), 0.83);
  for (const row of contacts) {
    assert.equal(row.email === null, row.email_status === null);
    assert.ok(row.seniority === null || (SENIORITIES as readonly string[]).includes(row.seniority as string));
    assert.ok((SIZES as readonly string[]).includes(row.company_size as string));
  }
  for (const row of contacts.filter((row, at) => at % 50 === 0 && row.phone !== null)) assert.equal(phoneOf(row.phone as string, null), row.phone);
  for (const row of registry.slice(0, 500)) assert.equal(domainOf(row.domain as string), row.domain);
  assert.equal(new Set(registry.map((row) => row.domain)).size, registry.length);
  for (const script of ['Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Han', 'Hiragana', 'Hangul', 'Thai', 'Georgian', 'Armenian', 'Ethiopic', 'Bengali']) {
    const written = new RegExp(`\\p{Script=${script}}`, 'u');
    assert.ok([...contacts, ...registry].some((row) => written.test((row.full_name ?? row.name) as string)), script);
  }
});

test('the demo is the same every time', () => {
  const again = new DemoPeople(demoCompanies());
  assert.deepEqual(again.crm(4_711), crm[4_711]);
  assert.equal(createHash('sha256').update(JSON.stringify([crm[1], web[1], registry[1]])).digest('hex').slice(0, 16), 'fe31f00f2b9e0aaa');
});

test('a wish to end is heard while rows are invented', async (t) => {
  const dataDir = folderOf(t);
  const stop = new AbortController();
  let invented = 0;
  const made = makeDemoLake({ dataDir, signal: stop.signal, stage: (_name, _extent, work) => work((rows) => {
    if (invented === 0) setImmediate(() => stop.abort());
    invented += rows;
  }) });
  await assert.rejects(made, { name: 'AbortError' });
  assert.ok(invented > 0 && invented < registry.length, `${invented}`);
});
