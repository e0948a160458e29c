import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginningOf } from '../../src/web/pages/playground.ts';

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
