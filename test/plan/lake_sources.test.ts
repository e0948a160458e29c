import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceKind } from '../../src/config/sources.ts';
import type { Catalog } from '../../src/plan/catalog.ts';
import { catalogOf, lakeKeyOf, mountsOf } from '../../src/plan/lake_sources.ts';
import type { IndexPlace } from '../../src/segment/index_memory.ts';
import type { RowsPlace } from '../../src/segment/row_bytes.ts';
import type { Lake, LakesState } from '../../src/sources/lake/lakes.ts';
import { Readers } from '../../src/sources/lake/readers.ts';
import type { Snapshot } from '../../src/sources/lake/snapshot.ts';

const EXTRAS = { contacts: [], companies: [] };

function lakeOf(name: string, dataset: 'contacts' | 'companies', demo = false): Lake {
  const manifest = { format: 1, snapshot: 7, dataset, source: name, createdAt: '2024-01-01T00:00:00.000Z', demo, extras: [], segments: [] } as const;
  return { name, dataset, snapshot: { dir: name, manifest: { ...manifest, extras: [], segments: [] }, segments: new Map(), readers: new Readers() }, trouble: null };
}

function catalog(lakes: readonly Lake[], kind: SourceKind) {
  const state: LakesState = { lakes, retained: [], held: [], restoring: [] };
  const [model] = catalogOf({ ...state, lakes: [lakeOf('crm', 'contacts')] }, [], new Set(), { declared: [], extras: EXTRAS }, null).sources;
  return catalogOf(state, kind === 'lake' ? [] : [{ ...model!, kind, snapshot: '' }], new Set(), { declared: [{ name: 'crm', dataset: 'contacts', kind }], extras: EXTRAS }, null);
}

test('a source of another kind takes the place of the lake of its name, which the cursors of before still find', () => {
  const lakes = [lakeOf('crm', 'contacts'), lakeOf('web', 'contacts')];
  const { sources, retained } = catalog(lakes, 'postgres');
  assert.deepEqual(sources.map(({ name, kind }) => [name, kind]), [['crm', 'postgres'], ['web', 'lake']]);
  assert.deepEqual([...retained.keys()], ['contacts/crm@7']);
  assert.deepEqual(catalog(lakes, 'lake').sources.map(({ name, kind }) => [name, kind]), [['crm', 'lake'], ['web', 'lake']]);
});

test('a demonstration that was made before is not served where none is wanted, also where nothing else is there', () => {
  const state: LakesState = { lakes: [lakeOf('demo-crm', 'contacts', true)], retained: [], held: [], restoring: [] };
  const served = (demo: boolean) => {
    const { sources, retained, demo: shown } = catalogOf(state, [], new Set(), { declared: [], extras: EXTRAS, demo }, null);
    return [sources.map(({ name }) => name), [...retained.keys()], shown];
  };
  assert.deepEqual(served(true), [['demo-crm'], [], true]);
  assert.deepEqual(served(false), [[], ['contacts/demo-crm@7'], false]);
});

test('a lake of which scans fail is degraded, and one of the same name of the other dataset is not', () => {
  const state: LakesState = { lakes: [lakeOf('crm', 'contacts'), lakeOf('crm', 'companies')], retained: [], held: [], restoring: [] };
  const { sources } = catalogOf(state, [], new Set([lakeKeyOf('contacts/crm/000001-0000-ab')]), { declared: [], extras: EXTRAS }, null);
  assert.deepEqual(sources.map(({ dataset, status, trouble }) => [dataset, status, trouble]), [['contacts', 'degraded', 'searches of it fail, the log tells why'], ['companies', 'ok', null]]);
});

test('a replaced snapshot is told of once, and anew where scans of its lake fail, or another snapshot has its number', () => {
  const state: LakesState = { lakes: [], retained: [lakeOf('crm', 'contacts').snapshot!], held: [], restoring: [] };
  const next = (before: Catalog | null, failing: readonly string[] = [], { retained } = state) =>
    catalogOf({ ...state, retained }, [], new Set(failing), { declared: [], extras: EXTRAS }, before);
  const told = ({ retained }: Catalog) => retained.get('contacts/crm@7')!;
  const first = next(null);
  const second = next(first);
  assert.equal(told(second), told(first));
  assert.deepEqual([first.version, second.version], [0, 1]);
  const failing = next(second, ['contacts/crm']);
  assert.deepEqual([told(failing).status, told(next(failing)).status], ['degraded', 'ok']);
  const another = lakeOf('crm', 'contacts').snapshot!;
  assert.equal(told(next(second, [], { ...state, retained: [another] })).readers, another.readers);
});

test('a segment is mounted once with the same rows gone, as of a replaced snapshot where no current one has it', () => {
  const snapshotOf = (number: number, segments: readonly (readonly [id: string, gone: string | null])[]): Snapshot => {
    const { snapshot } = lakeOf('crm', 'contacts');
    const blank = { rows: 1, indexBytes: 1, rowsBytes: 1, fill: {}, countries: {}, updatedAt: null };
    const entries = segments.map(([id, gone]) => ({ ...blank, id, ...(gone === null ? {} : { gone: { id: gone, rows: 1, seal: 0 } }) }));
    return {
      ...snapshot!, manifest: { ...snapshot!.manifest, snapshot: number, segments: entries },
      segments: new Map(segments.map(([id]) => [id, { ok: true, index: {} as IndexPlace, rows: {} as RowsPlace, stencils: null, seen: null, gone: new Uint32Array() }])),
    };
  };
  const lake = { ...lakeOf('crm', 'contacts'), snapshot: snapshotOf(3, [['a', 'g3'], ['c', null]]) };
  const state: LakesState = { lakes: [lake], retained: [snapshotOf(2, [['a', 'g2'], ['b', null]]), snapshotOf(1, [['a', 'g2'], ['c', null]])], held: [], restoring: [] };
  assert.deepEqual(mountsOf(state, { extras: EXTRAS }, () => null).map(({ id, segment, replaced }) => [id.slice(13), segment.slice(13), replaced ?? false]), [
    ['a@g3', 'a', false], ['c', 'c', false], ['a@g2', 'a', true], ['b', 'b', true],
  ]);
});
