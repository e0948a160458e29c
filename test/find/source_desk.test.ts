import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceConfig } from '../../src/config/sources.ts';
import { makeSourceDesk } from '../../src/find/source_desk.ts';
import { foreignSource } from '../../src/plan/foreign_sources.ts';
import type { Catalog } from '../../src/plan/catalog.ts';
import type { ForeignSettings } from '../../src/sources/source.ts';
import { MEMORY_VOCABULARY } from '../support/memory_lanes.ts';

const base = { dataset: 'contacts', columns: {}, compared: {} } as const;
const CONFIGURED: readonly ForeignSettings['config'][] = [
  { ...base, name: 'registry', kind: 'postgres', table: 'people', url: 'postgres://lds:canary-1@db-1/leads?sslpassword=canary-2', replicas: ['postgres://lds:canary-3@db-2/leads?sslpassword=canary-4', 'postgres://db-3/leads'] },
  { ...base, name: 'partner', kind: 'http', url: 'https://lds:canary-5@partner.example/v1/find?key=canary-6', replicas: ['https://two.example/v1/find?key=canary-7'], headers: { 'X-Key': 'canary-8' } },
];

test('the operator is shown where a source is, and no secret of any of its servers', () => {
  const sources = CONFIGURED.map((config) => foreignSource({ config, vocabulary: MEMORY_VOCABULARY }, null, null, 'well'));
  const desk = makeSourceDesk(() => ({ sources }) as unknown as Catalog, CONFIGURED as readonly SourceConfig[], { look: () => Promise.resolve(), lastFailure: () => null });
  const shown = desk.list();
  assert.ok(!JSON.stringify(shown).includes('canary'), JSON.stringify(shown));
  assert.deepEqual(shown.map(({ config }) => [config!['url'], config!['replicas']]), [
    ['postgres://lds:***@db-1/leads?sslpassword=***', ['postgres://lds:***@db-2/leads?sslpassword=***', 'postgres://db-3/leads']],
    ['https://lds:***@partner.example/v1/find?key=***', ['https://two.example/v1/find?key=***']],
  ]);
});
