import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstCallTo, requestsSection } from '../../src/web/pages/dashboard/requests_section.ts';
import { beginningOf } from '../../src/web/parts/beginning.ts';

const source = (dataset: 'contacts' | 'companies', countries: Record<string, number>, filters: Record<string, 'pushed' | 'unsupported'> = { country: 'pushed' }) => ({ dataset, countries, filters });

test('the playground begins with the country of most rows of all sources of a type', () => {
  const sources = [source('contacts', { US: 5, DE: 4 }), source('contacts', { DE: 2 }), source('companies', { FR: 1 })];
  assert.deepEqual(beginningOf({ sources }), { type: 'contacts', countries: { contacts: 'DE', companies: 'FR' }, words: 'manager' });
});

test('it begins without words where no country could narrow them, and with companies where there is nothing else', () => {
  assert.deepEqual(beginningOf({ sources: [source('contacts', {}, { country: 'unsupported' }), source('companies', { FR: 1 })] }), { type: 'contacts', countries: { contacts: '', companies: 'FR' }, words: '' });
  assert.deepEqual(beginningOf({ sources: [source('companies', { FR: 1 })] }), { type: 'companies', countries: { contacts: '', companies: 'FR' }, words: 'manager' });
  assert.deepEqual(beginningOf({ sources: [] }), { type: 'contacts', countries: { contacts: '', companies: '' }, words: '' });
});

test('a source that has not told of its countries yet is asked for one that most have', () => {
  assert.equal(beginningOf({ sources: [source('contacts', {})] }).countries.contacts, 'US');
});

test('the first call of the dashboard is one that the data can answer, and is not looked for once there were others', () => {
  const bodyOf = (known: Parameters<typeof beginningOf>[0]): unknown => {
    const { text } = requestsSection([], new Map(), () => firstCallTo('https://gateway.example', beginningOf(known)));
    return JSON.parse(/-d &#39;(.*)&#39;<\/code>/.exec(text)![1]!.replaceAll('&quot;', '"'));
  };
  assert.deepEqual(bodyOf({ sources: [source('contacts', { DE: 3, US: 1 })] }), { type: 'contacts', filters: { country: ['DE'] } });
  assert.deepEqual(bodyOf({ sources: [source('companies', { FR: 1 })] }), { type: 'companies', filters: { country: ['FR'] } });
  assert.deepEqual(bodyOf({ sources: [source('contacts', {}, { country: 'unsupported' })] }), { type: 'contacts' });
  const made = { id: 'r', unixMs: 0, keyId: 'k', method: 'POST', route: '/v1/find', status: 200, error: null, ms: 1, rows: 0, units: 1 };
  requestsSection([made], new Map(), () => assert.fail('looked for'));
});
