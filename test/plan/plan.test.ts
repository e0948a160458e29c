import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/model/errors.ts';
import type { Query } from '../../src/model/query.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { retainedKey, type Catalog, type CatalogSource } from '../../src/plan/catalog.ts';
import type { IndexPlace } from '../../src/segment/index_memory.ts';
import type { RowsPlace } from '../../src/segment/row_bytes.ts';
import type { Manifest } from '../../src/sources/lake/manifest.ts';
import { Readers } from '../../src/sources/lake/readers.ts';
import { catalogOf } from '../../src/plan/lake_sources.ts';
import { NOT_BEGUN, planFind, type Position } from '../../src/plan/plan.ts';
import { queryOf } from '../support/memory_lanes.ts';

function source(name: string, change: Partial<CatalogSource> = {}): CatalogSource {
  return {
    name, dataset: 'contacts', kind: 'lake', status: 'ok', trouble: null, snapshot: '3', readers: null, rows: 10, updatedAt: null, fill: {}, countries: {},
    segments: [{ id: `${name}-a`, mount: `contacts/${name}/${name}-a`, rows: 10, countries: { US: 10 }, rowBytes: null, stencils: null }],
    filters: { country: 'pushed', has_email: 'residual', industry: 'unsupported' }, fields: ['id'], rowFields: ['id'], ...change,
  };
}

function catalog(sources: readonly CatalogSource[], retained: readonly CatalogSource[] = []): Catalog {
  return {
    version: 1, demo: false, vocabularies: { contacts: vocabulary('contacts'), companies: vocabulary('companies') }, sources,
    retained: new Map(retained.map((one) => [retainedKey(one.dataset, one.name, one.snapshot), one])),
    restoring: new Set(),
  };
}

const COUNTRY = { kind: 'terms', name: 'country', include: ['US'], exclude: [] } as const;
const EMAIL = { kind: 'presence', name: 'has_email', present: true, absent: false } as const;
const INDUSTRY = { kind: 'terms', name: 'industry', include: ['x'], exclude: [] } as const;

describe('a plan', () => {
  it('asks every source of the dataset, in the order of the catalog, each segment a lane from its start', () => {
    const { lanes, sources } = planFind(queryOf({}), catalog([source('b'), source('a'), source('c', { dataset: 'companies' })]), null);
    assert.deepEqual(sources.map(({ name }) => name), ['b', 'a']);
    assert.deepEqual(lanes.map(({ source: name, priority, after, done }) => [name, priority, after, done]), [['b', 0, -1, false], ['a', 1, -1, false]]);
  });

  it('gives a source no precedence for its name, which one of the other dataset may have too', () => {
    const declared = [{ name: 'crm', dataset: 'contacts', kind: 'lake' }, { name: 'web', dataset: 'companies', kind: 'postgres' }] as const;
    const lakes = (['contacts', 'companies'] as const).map((dataset) => ({ name: 'crm', dataset, snapshot: null, trouble: null }));
    const { sources } = catalogOf({ lakes, retained: [], held: [], restoring: [] },
      [source('web', { dataset: 'companies', kind: 'postgres' })], new Set(), { declared, extras: { contacts: [], companies: [] } }, null);
    assert.deepEqual(sources.map(({ name, dataset }) => `${dataset}/${name}`), ['contacts/crm', 'companies/web', 'companies/crm']);
    const { lanes } = planFind(queryOf({ type: 'companies' }), catalog([source('crm'), source('web', { dataset: 'companies' }), source('crm', { dataset: 'companies' })]), null);
    assert.deepEqual(lanes.map(({ source: name, priority }) => [name, priority]), [['web', 1], ['crm', 2]]);
  });

  it('takes a column of one value among a million for one that the source has', () => {
    const rows = 3_000_000;
    const manifest: Manifest = {
      format: 1, snapshot: 1, dataset: 'contacts', source: 'crm', createdAt: '2026-01-01T00:00:00Z', demo: false, extras: [],
      segments: [{ id: 'a', rows, indexBytes: 1, rowsBytes: 1, fill: { industry: 1 / rows, city: 0, email: 1 }, countries: {}, updatedAt: null }],
    };
    const segments = new Map([['a', { ok: true, index: {} as IndexPlace, rows: {} as RowsPlace, stencils: null, seen: null, gone: new Uint32Array() }]] as const);
    const lake = { name: 'crm', dataset: 'contacts', trouble: null, snapshot: { dir: '', manifest, segments, readers: new Readers() } } as const;
    const { sources: [crm] } = catalogOf({ lakes: [lake], retained: [], held: [], restoring: [] }, [], new Set(), { declared: [], extras: { contacts: [], companies: [] } }, null);
    assert.deepEqual([crm!.filters['industry'], crm!.filters['city'], crm!.filters['email']], ['pushed', 'unsupported', 'pushed']);
    assert.deepEqual(['industry', 'city', 'email'].filter((field) => crm!.fields.includes(field)), ['industry', 'email']);
    assert.deepEqual(crm!.fill, { industry: 0.000_1, city: 0, email: 1 });
  });

  it('names the readers of the snapshots that it reads, retained ones too, and of no others', () => {
    const [old, present, other] = [new Readers(), new Readers(), new Readers()];
    const all = catalog([source('a', { snapshot: '4', readers: present }), source('b', { readers: other }), source('c', { kind: 'postgres', segments: [] })], [source('a', { readers: old })]);
    assert.deepEqual(planFind(queryOf({ ignore: ['b'] }), all, null).reads.map((one) => one === present), [true]);
    const position: Position = { order: 'stored', lanes: [{ source: 'a', snapshot: '3', segment: 'a-a', after: 1, done: false }] };
    assert.deepEqual(planFind(queryOf({}), all, position).reads.map((one) => one === old), [true]);
    assert.deepEqual(planFind(queryOf({}), catalog([source('a', { status: 'down', readers: present })]), null).reads, []);
  });

  it('asks only the sources named, less those ignored', () => {
    const all = catalog([source('a'), source('b'), source('c')]);
    assert.deepEqual(planFind(queryOf({ only: ['c', 'a'] }), all, null).sources.map(({ name }) => name), ['a', 'c']);
    assert.deepEqual(planFind(queryOf({ ignore: ['b'] }), all, null).sources.map(({ name }) => name), ['a', 'c']);
  });

  it('takes the order of identity only where two sources may hold the same person', () => {
    const two = catalog([source('a'), source('b')]);
    assert.equal(planFind(queryOf({}), two, null).order, 'identity');
    assert.equal(planFind(queryOf({ dedupe: false }), two, null).order, 'stored');
    assert.equal(planFind(queryOf({ only: ['a'] }), two, null).order, 'stored');
  });

  it('tells which filters a source takes, which are left to the workers, and warns of those it lacks', () => {
    const { sources, warnings } = planFind(queryOf({ filters: [COUNTRY, EMAIL, INDUSTRY] }), catalog([source('a')]), null);
    assert.deepEqual(sources[0]!.filters, { pushed: ['country'], residual: ['has_email'], unsupported: ['industry'] });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /^a .*industry/);
  });

  it('refuses strictly, naming the sources that lack a filtered column, and what each of them lacks', () => {
    const sources = [source('a'), source('b', { filters: { industry: 'pushed' } }), source('c', { filters: {} })];
    const plan = (): unknown => planFind(queryOf({ filters: [COUNTRY, EMAIL, INDUSTRY], strict: true }), catalog(sources), null);
    assert.throws(plan, (error) => error instanceof AppError && error.code === 'unsupported_filter'
      && error.message.includes(': a (industry), b (country, has_email), c (country, has_email, industry).'));
  });

  it('asks no part of a lake for countries that it has no row of, and holds its place as done', () => {
    const parts = ['DE', 'US'].map((country) => ({ id: `a-${country}`, mount: `contacts/a/a-${country}`, rows: 10, countries: { [country]: 10 }, rowBytes: null, stencils: null }));
    const parted = catalog([source('a', { segments: parts })]);
    const asked = (filters: Query['filters']): unknown => {
      const { lanes, held } = planFind(queryOf({ filters }), parted, null);
      return [lanes.map((lane) => (lane.kind === 'lake' ? lane.segment.id : '')), held.map(({ segment, done }) => [segment, done])];
    };
    assert.deepEqual(asked([COUNTRY]), [['a-US'], [['a-DE', true]]]);
    assert.deepEqual(asked([{ ...COUNTRY, include: ['DE', 'US'] }]), [['a-DE', 'a-US'], []]);
    assert.deepEqual(asked([{ ...COUNTRY, include: ['FR'] }]), [[], [['a-DE', true], ['a-US', true]]]);
    assert.deepEqual(asked([{ ...COUNTRY, include: null, exclude: ['US'] }]), [['a-DE', 'a-US'], []]);
    assert.deepEqual(asked([EMAIL]), [['a-DE', 'a-US'], []]);
  });

  it('skips a source that is down, with its reason', () => {
    const { sources, lanes } = planFind(queryOf({}), catalog([source('a', { status: 'down', trouble: 'gone', segments: [] }), source('b')]), null);
    assert.deepEqual(sources.map(({ skip }) => skip), ['gone', null]);
    assert.deepEqual(lanes.map((lane) => lane.source), ['b']);
  });
});

describe('a walk by cursor', () => {
  const at = (snapshot: string): Position => ({ order: 'stored', lanes: [{ source: 'a', snapshot, segment: 'a-a', after: 7, done: false }] });

  it('goes on where it stood, over the sources it began on', () => {
    const { lanes, order } = planFind(queryOf({}), catalog([source('a'), source('new')]), at('3'));
    assert.equal(order, 'stored');
    assert.deepEqual(lanes.map(({ source: name, after }) => [name, after]), [['a', 7]]);
  });

  it('reads the snapshot it was cut from after that was replaced', () => {
    const { lanes } = planFind(queryOf({}), catalog([source('a', { snapshot: '4' })], [source('a', { snapshot: '3' })]), at('3'));
    assert.deepEqual(lanes.map(({ snapshot, after }) => [snapshot, after]), [['3', 7]]);
  });

  it('is stale once that snapshot is gone', () => {
    assert.throws(() => planFind(queryOf({}), catalog([source('a', { snapshot: '5' })]), at('3')), (error) => error instanceof AppError && error.code === 'stale_cursor');
  });

  it('waits for a snapshot that is newer than what is served, as long as that may come', () => {
    const behind = catalog([source('a', { snapshot: '9' })]);
    const asked: string[] = [];
    const code = (mayCome: boolean) => (error: unknown) => error instanceof AppError && error.code === (mayCome ? 'starting' : 'stale_cursor');
    for (const mayCome of [true, false]) {
      assert.throws(() => planFind(queryOf({}), behind, at('10'), (snapshot) => { asked.push(snapshot); return mayCome; }), code(mayCome));
    }
    assert.deepEqual(asked, ['contacts/a@10', 'contacts/a@10']);
    assert.throws(() => planFind(queryOf({}), behind, at('8'), () => assert.fail('it was replaced')), code(false));
  });

  it('waits so for a lake of which there is nothing yet, and not for what is no lake', () => {
    const code = (wanted: string) => (error: unknown) => error instanceof AppError && error.code === wanted;
    const without = catalog([source('b')]);
    assert.throws(() => planFind(queryOf({}), without, at('1'), (snapshot) => snapshot === 'contacts/a@1'), code('starting'));
    assert.throws(() => planFind(queryOf({}), without, at('1'), () => false), code('stale_cursor'));
    assert.throws(() => planFind(queryOf({}), without, at('fTz0qA'), () => assert.fail('of a table no snapshot comes')), code('stale_cursor'));
  });

  it('is stale over a snapshot of the same number whose parts are others, and does not begin again', () => {
    const segments = [{ id: 'a-b', mount: 'contacts/a/a-b', rows: 10, countries: { US: 10 }, rowBytes: null, stencils: null }];
    const isStale = (error: unknown): boolean => error instanceof AppError && error.code === 'stale_cursor';
    assert.throws(() => planFind(queryOf({}), catalog([source('a', { segments })]), at('3')), isStale);
    assert.throws(() => planFind(queryOf({}), catalog([source('a', { snapshot: '4' })], [source('a', { segments })]), at('3')), isStale);
    const anew = planFind(queryOf({}), catalog([source('a', { segments })], [source('a')]), at('3'));
    assert.deepEqual(anew.lanes, planFind(queryOf({}), catalog([source('a')]), at('3')).lanes, 'what was removed lately is still there for its cursors');
  });

  it('keeps the place of a source that went down on the way, and the order of precedence', () => {
    const position: Position = { order: 'stored', lanes: [...at('3').lanes, { source: 'b', snapshot: '3', segment: 'b-a', after: 4, done: false }].toReversed() };
    const down = planFind(queryOf({}), catalog([source('a', { status: 'down', trouble: 'gone', segments: [], snapshot: '' }), source('b')]), position);
    assert.deepEqual(down.sources.map(({ name }) => name), ['a', 'b']);
    assert.deepEqual(down.held, at('3').lanes);
    assert.deepEqual(down.lanes.map(({ source: name, after }) => [name, after]), [['b', 4]]);
  });

  it('misses a source that is down, and has given all its rows before, for its count alone', () => {
    const position: Position = { order: 'stored', lanes: [{ ...at('3').lanes[0]!, done: true }, { source: 'b', snapshot: '3', segment: 'b-a', after: 4, done: false }] };
    const down = catalog([source('a', { status: 'down', trouble: 'gone', segments: [], snapshot: '' }), source('b')]);
    const planned = (query: Partial<Query>, from: Position): unknown => planFind(queryOf(query), down, from).sources.map(({ skip, given }) => [skip, given]);
    assert.deepEqual(planned({ count: 'none' }, position), [[null, true], [null, false]]);
    assert.deepEqual(planned({ count: 'exact' }, position), [['gone', true], [null, false]]);
    assert.deepEqual(planned({ count: 'none', facets: ['country'] }, position), [['gone', true], [null, false]]);
    const amid = { ...position, lanes: [...position.lanes, { ...at('3').lanes[0]!, segment: 'a-b' }] };
    assert.deepEqual(planned({ count: 'none' }, amid), [['gone', false], [null, false]]);
  });

  it('says that nothing is searched, where no source has the dataset', () => {
    assert.deepEqual(planFind(queryOf({ type: 'companies' }), catalog([source('a')]), null).warnings, ['nothing was searched: there is no source of companies yet']);
    assert.deepEqual(planFind(queryOf({}), catalog([source('a')]), null).warnings, []);
  });

  it('keeps a source that holds nothing among those asked', () => {
    const { held, lanes } = planFind(queryOf({}), catalog([source('a', { segments: [] })]), null);
    assert.deepEqual([lanes.length, held.map(({ done }) => done)], [0, [true]]);
  });

  it('begins a source that was down before and is back', () => {
    const position: Position = { order: 'stored', lanes: [{ source: 'a', snapshot: NOT_BEGUN, segment: '', after: -1, done: false }] };
    assert.deepEqual(planFind(queryOf({}), catalog([source('a')]), position).lanes.map(({ after, snapshot }) => [after, snapshot]), [[-1, '3']]);
  });

  it('goes on in a source that is no lake by its text mark, and keeps the place of one that went down amid the walk', () => {
    const registry = source('registry', { kind: 'postgres', segments: [], snapshot: 'p1' });
    const position: Position = { order: 'identity', lanes: [{ source: 'registry', snapshot: 'p1', segment: '', after: '0.1.x@y.z', done: false }] };
    assert.deepEqual(planFind(queryOf({}), catalog([registry]), position).lanes.map(({ kind, after }) => [kind, after]), [['foreign', '0.1.x@y.z']]);
    const { lanes, held } = planFind(queryOf({}), catalog([{ ...registry, status: 'down', trouble: 'unreachable' }]), position);
    assert.deepEqual([lanes, held], [[], position.lanes]);
  });

  it('is stale once the operator has pointed the source elsewhere', () => {
    const position: Position = { order: 'identity', lanes: [{ source: 'registry', snapshot: 'p1', segment: '', after: '', done: false }] };
    assert.throws(() => planFind(queryOf({}), catalog([source('registry', { kind: 'postgres', snapshot: 'p2' })]), position), (error) => error instanceof AppError && error.code === 'stale_cursor');
  });
});
