import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthOfSources } from '../../src/find/sources.ts';
import type { CatalogSource } from '../../src/plan/catalog.ts';

function source(dataset: CatalogSource['dataset'], status: CatalogSource['status'], trouble: string | null): CatalogSource {
  return {
    name: 'crm', dataset, kind: 'lake', status, trouble, snapshot: '1', readers: null, segments: [], rows: 10, updatedAt: null, fill: {}, countries: {},
    filters: {}, fields: [], rowFields: [],
  };
}

test('contacts and companies of one name are as well as the worse of them, whichever comes first', () => {
  const pair = [source('contacts', 'down', 'unreadable'), source('companies', 'ok', null)];
  for (const sources of [pair, pair.toReversed()]) assert.deepEqual(healthOfSources({ sources }, true), [{ name: 'crm', status: 'down', detail: 'unreadable' }]);
  assert.deepEqual(healthOfSources({ sources: [source('contacts', 'ok', null)] }, true), [{ name: 'crm', status: 'ok', detail: '10 rows' }]);
});

test('before the sources were looked at one that is down is told as not loaded yet, and not by what is guessed of it', () => {
  const sources = [source('contacts', 'down', 'nothing was ingested yet')];
  assert.deepEqual(healthOfSources({ sources }, false), [{ name: 'crm', status: 'down', detail: 'not loaded yet' }]);
  assert.equal(healthOfSources({ sources }, true)[0]!.detail, 'nothing was ingested yet');
  assert.equal(healthOfSources({ sources: [source('contacts', 'ok', null)] }, false)[0]!.detail, '10 rows');
});
