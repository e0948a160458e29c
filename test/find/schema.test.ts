import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lexicon } from '../../src/find/request/lexicon.ts';
import { readQuery } from '../../src/find/request/read_query.ts';
import { schemaDocument } from '../../src/find/schema.ts';
import { DATASETS } from '../../src/model/dataset.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';

const vocabularies = { contacts: vocabulary('contacts', [{ name: 'badge', type: 'integer', description: 'badge number' }]), companies: vocabulary('companies') };
const EMAIL = { stages: ['syntax'], codes: [{ code: 'SYNTAX_OK', status: 'unknown', description: 'well formed' }] };
const document = schemaDocument({
  vocabularies,
  sources: [
    { name: 'crm', dataset: 'contacts', filters: { country: 'pushed', has_email: 'residual', badge: 'unsupported' } },
    { name: 'files', dataset: 'companies', filters: { country: 'residual' } },
  ],
}, EMAIL, 300);
const filterOf = (type: 'contacts' | 'companies', name: string): (typeof document.types.contacts.filters)[number] => document.types[type].filters.find((filter) => filter.name === name)!;

test('each filter says its kind, the form of its values, and which sources have it', () => {
  assert.deepEqual(filterOf('contacts', 'has_email'), {
    name: 'has_email', kind: 'presence', values: 'boolean', description: 'whether the row has a value in email', example: ['true'], sources: ['crm'],
  });
  const { kind, values, sources, enum: codes } = filterOf('contacts', 'country');
  assert.deepEqual([kind, values, sources, codes?.length], ['narrowing', 'strings', ['crm'], 249]);
  assert.deepEqual(filterOf('contacts', 'badge'), { name: 'badge', kind: 'narrowing', values: 'range', description: 'badge number', example: { min: 1 }, sources: [] });
  assert.equal(filterOf('companies', 'updated_at').values, 'range');
  assert.deepEqual(filterOf('companies', 'country').sources, ['files']);
});

test('the narrowing and presence filters are those of the contract', () => {
  const named = (type: 'contacts' | 'companies', kind: string): string => document.types[type].filters.filter((filter) => filter.kind === kind).map(({ name }) => name).join(' ');
  assert.equal(named('contacts', 'narrowing'),
    'country region city industry seniority department job_title company_name company_domain company_size email email_domain linkedin_url updated_at id badge');
  assert.equal(named('companies', 'narrowing'), 'country region city industry name domain size founded_year employee_count linkedin_url updated_at id');
  assert.equal(named('contacts', 'presence'), 'has_email has_phone has_linkedin');
  assert.equal(named('companies', 'presence'), 'has_email has_phone has_linkedin has_website');
});

test('every example of a filter works when it is sent, and every listed value too', () => {
  const lexicons = { contacts: lexicon(vocabularies.contacts), companies: lexicon(vocabularies.companies) };
  const sources = { contacts: new Set<string>(), companies: new Set<string>() };
  for (const type of DATASETS) {
    for (const { name, example, enum: listed } of document.types[type].filters) {
      for (const value of listed === undefined ? [example] : [example, listed]) {
        assert.equal(readQuery({ type, filters: { [name]: value } }, 'page', lexicons, sources).filters.length, 1, name);
      }
    }
  }
});

test('fields, searchable fields, limits and the codes of validation are listed', () => {
  assert.deepEqual(document.types.companies.searchable, ['name', 'description', 'industry', 'city', 'keywords']);
  assert.deepEqual(document.types.contacts.fields.at(-1), { name: 'badge', type: 'integer', nullable: true, description: 'badge number' });
  assert.equal(document.limits.limit_max, 1_000);
  assert.deepEqual([document.limits.validate_emails, document.limits.validate_timeout_ms_max], [300, 60_000]);
  assert.deepEqual(document.email, EMAIL);
});
