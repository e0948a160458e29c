import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatalogSource } from '../../src/plan/catalog.ts';
import { LiveCatalog } from '../../src/plan/live_catalog.ts';
import { sourceNews } from '../../src/plan/source_news.ts';

function source(name: string, change: Partial<CatalogSource> = {}): CatalogSource {
  return {
    name, dataset: 'contacts', kind: 'lake', status: 'ok', trouble: null, snapshot: '1', readers: null, segments: [], rows: 10, updatedAt: null, fill: {}, countries: {},
    filters: {}, fields: [], rowFields: [], ...change,
  };
}

const told = (before: readonly CatalogSource[], after: readonly CatalogSource[]): string[] => sourceNews(before, after).map(({ what, source: { dataset, name } }) => `${dataset}/${name} ${what}`);

test('a source is told when it comes, becomes another and goes, and not again meanwhile', () => {
  const [crm, web] = [source('crm'), source('web')];
  assert.deepEqual(told([], [crm]), ['contacts/crm mounted']);
  assert.deepEqual(told([crm], [source('crm', { rows: 11 }), web]), ['contacts/web mounted']);
  assert.deepEqual(told([crm, web], [source('crm', { snapshot: '2' }), source('web', { status: 'degraded', trouble: 'a segment was refused' })]), ['contacts/crm mounted', 'contacts/web degraded']);
  assert.deepEqual(told([crm, web], [source('crm', { status: 'down', trouble: 'unreachable' })]), ['contacts/crm down', 'contacts/web gone']);
  const down = (trouble: string): CatalogSource => source('crm', { status: 'down', trouble });
  assert.deepEqual([told([down('a')], [down('a')]), told([down('a')], [down('b')]), told([down('a')], [crm])], [[], ['contacts/crm down'], ['contacts/crm mounted']]);
});

test('sources of one name and two datasets are two', () => {
  assert.deepEqual(told([source('crm')], [source('crm', { dataset: 'companies' })]), ['companies/crm mounted', 'contacts/crm gone']);
});

test('a live catalog is another one after each change, and tells of nothing before it is asked to, and of every change from then on', () => {
  const news: string[][] = [];
  const live = new LiveCatalog(
    { declared: [{ name: 'crm', dataset: 'contacts', kind: 'lake' }], extras: { contacts: [], companies: [] } },
    (all) => news.push(all.map(({ what, source: { name } }) => `${name} ${what}`)),
  );
  const first = live.current;
  live.takeForeign([source('web', { kind: 'postgres', status: 'down', trouble: 'unreachable' })]);
  assert.deepEqual([first.sources.map(({ name }) => name), live.current.sources.map(({ name }) => name), live.current.version], [['crm'], ['crm', 'web'], first.version + 1]);
  assert.deepEqual([news, live.looked], [[], false]);
  live.tellNews();
  assert.equal(live.looked, true);
  live.takeForeign([source('web', { kind: 'postgres' })]);
  live.takeLakes({ lakes: [], retained: [], held: [], restoring: [] });
  assert.deepEqual(news, [['crm down', 'web down'], ['web mounted'], []]);
  assert.deepEqual(live.current.sources.map(({ name }) => name), ['crm', 'web']);
});
