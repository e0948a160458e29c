import type { SourceKind } from '../config/sources.ts';
import { newestMoment } from '../lib/moment.ts';
import { shareOf } from '../lib/rounding.ts';
import type { Dataset } from '../model/dataset.ts';
import type { FilterSpec } from '../model/filter.ts';
import { changedExtras, vocabulary, type ChangedExtra, type ExtraField, type Vocabulary } from '../model/vocabulary.ts';
import type { SegmentMount } from '../segment/mount.ts';
import type { Lake, LakesState } from '../sources/lake/lakes.ts';
import { rowsIn } from '../sources/lake/manifest.ts';
import type { Snapshot } from '../sources/lake/snapshot.ts';
import type { FilterSupport } from '../sources/source.ts';
import { lakeKey, retainedKey, type Catalog, type CatalogSource } from './catalog.ts';

/** How the lakes on disk become sources: those the operator declared come first, in his order. */
export type LakeSettings = {
  readonly declared: readonly { readonly name: string; readonly dataset: Dataset; readonly kind: SourceKind }[];
  readonly extras: Readonly<Record<Dataset, readonly ExtraField[]>>;
  /** False: a demonstration that was made before is not served either. */
  readonly demo?: boolean;
};

/**
 * `failing`: the lakes of which scans fail, by `lakeKey`. `before`: the catalog of the same settings whose place it takes; replaced snapshots are taken over
 * from there, since there may be hundreds of a source that changes often.
 */
export function catalogOf(state: LakesState, foreign: readonly CatalogSource[], failing: ReadonlySet<string>, settings: LakeSettings, before: Catalog | null): Catalog {
  const vocabularies = vocabulariesOf(settings);
  const describe = (lake: Lake): CatalogSource => describeLake(lake, vocabularies[lake.dataset], failing.has(lakeKey(lake.dataset, lake.name)));
  const lakes = served(state.lakes, settings, foreign.length > 0);
  // A demonstration that has left, or a lake that was replaced, is still there for the cursors that were cut from it.
  const unserved = state.lakes.filter((lake) => !lakes.includes(lake)).flatMap(({ snapshot }) => snapshot ?? []);
  const retained = [...state.retained, ...unserved].map((snapshot) => takenOver(before, snapshot, failing) ?? describe(lakeOf(snapshot)));
  return {
    version: before === null ? 0 : before.version + 1,
    demo: lakes.some(({ snapshot }) => snapshot?.manifest.demo === true),
    vocabularies,
    sources: inOrder([...lakes.map(describe), ...foreign], settings),
    retained: new Map(retained.map((source) => [retainedKey(source.dataset, source.name, source.snapshot), source])),
    restoring: new Set(state.restoring.map(({ dataset, name }) => lakeKey(dataset, name))),
  };
}

/** Of a snapshot that was replaced before nothing is to be told anew, but that scans of its lake fail now, or fail no more. */
function takenOver(before: Catalog | null, { manifest: { dataset, source, snapshot }, readers }: Snapshot, failing: ReadonlySet<string>): CatalogSource | null {
  const known = before?.retained.get(retainedKey(dataset, source, String(snapshot)));
  return known?.readers === readers && (known.trouble === SCANS_FAIL) === failing.has(lakeKey(dataset, source)) ? known : null;
}

export function vocabulariesOf({ extras }: Pick<LakeSettings, 'extras'>): Catalog['vocabularies'] {
  return { contacts: vocabulary('contacts', extras.contacts), companies: vocabulary('companies', extras.companies) };
}

/** Every segment that a scan may still be asked for, once; `deadOf` knows a segment by the place of its index, that very object. */
export function mountsOf(state: LakesState, { extras }: Pick<LakeSettings, 'extras'>, deadOf: (index: SegmentMount['index']) => SharedArrayBuffer | null): SegmentMount[] {
  const mounts = new Map<string, SegmentMount>();
  const current = state.lakes.flatMap(({ snapshot }) => snapshot ?? []);
  for (const [at, snapshot] of [...current, ...state.retained, ...state.held].entries()) {
    const changed = changedExtras(snapshot.manifest.extras, extras[snapshot.manifest.dataset]).map(({ name }) => name);
    for (const { id, gone: marked } of snapshot.manifest.segments) {
      const segment = segmentKey(snapshot, id);
      const mount = mountId(segment, marked);
      if (mounts.has(mount)) continue;
      const { index, rows, gone } = snapshot.segments.get(id)!;
      const told = { ...(changed.length > 0 ? { hidden: changed } : {}), ...(at < current.length ? {} : { replaced: true as const }) };
      mounts.set(mount, { id: mount, segment, index, rows, dead: deadOf(index), gone, ...told });
    }
  }
  return [...mounts.values()];
}

/** Whether the operator declared a source of another kind under the name of a lake, as who moved its rows elsewhere: that one is meant, or each walk would find two of the name. */
export function isReplaced({ name, dataset }: Pick<Lake, 'name' | 'dataset'>, { declared }: Pick<LakeSettings, 'declared'>): boolean {
  return declared.some((source) => source.kind !== 'lake' && source.name === name && source.dataset === dataset);
}

/** The demonstration leaves once anything real is there, or the operator wants none; a declared lake that nothing was ingested into is down, and says so. */
function served(all: readonly Lake[], { declared, demo }: LakeSettings, others: boolean): readonly Lake[] {
  const lakes = all.filter((lake) => !isReplaced(lake, { declared }));
  const missing = declared
    .filter(({ name, dataset, kind }) => kind === 'lake' && !lakes.some((lake) => lake.name === name && lake.dataset === dataset))
    .map(({ name, dataset }): Lake => ({ name, dataset, snapshot: null, trouble: 'nothing was ingested yet' }));
  const real = [...lakes.filter(({ snapshot }) => snapshot?.manifest.demo !== true), ...missing];
  return real.length > 0 || others || demo === false ? real : lakes;
}

/** As the operator declared them, then the other lakes by name. */
function inOrder(sources: readonly CatalogSource[], { declared }: LakeSettings): CatalogSource[] {
  const place = ({ name, dataset }: CatalogSource): number => {
    const at = declared.findIndex((one) => one.name === name && one.dataset === dataset);
    return at === -1 ? declared.length : at;
  };
  return sources.toSorted((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));
}

const SCANS_FAIL = 'searches of it fail, the log tells why';

function describeLake(lake: Lake, words: Vocabulary, isFailing: boolean): CatalogSource {
  const segments = lake.snapshot?.manifest.segments ?? [];
  const rows = rowsIn(segments);
  const changed = changedExtras(lake.snapshot?.manifest.extras ?? [], words.extras);
  const known = words.fields.filter((field) => !changed.some(({ name }) => name === field.name));
  const fill = Object.fromEntries(Object.entries(fillOf(segments, rows)).filter(([name]) => known.some((field) => field.name === name)));
  const trouble = lake.trouble ?? (isFailing ? SCANS_FAIL : changed.length > 0 ? changedTrouble(changed) : null);
  return {
    name: lake.name,
    dataset: lake.dataset,
    kind: 'lake',
    status: lake.snapshot === null ? 'down' : trouble === null ? 'ok' : 'degraded',
    trouble,
    snapshot: lake.snapshot === null ? '' : String(lake.snapshot.manifest.snapshot),
    readers: lake.snapshot?.readers ?? null,
    segments: segments.map(({ id, gone, rows: segmentRows, countries }) => {
      const { seen, stencils } = lake.snapshot!.segments.get(id)!;
      return { id, mount: mountId(segmentKey(lake.snapshot!, id), gone), rows: segmentRows, countries, rowBytes: seen, stencils };
    }),
    rows: lake.snapshot === null ? null : rows,
    updatedAt: newestMoment(segments.map(({ updatedAt }) => updatedAt)),
    fill,
    countries: sumBy(segments.map(({ countries }) => countries)),
    filters: Object.fromEntries(words.filters.map((spec) => [spec.name, supportOf(spec, fill)])),
    rowFields: vocabulary(lake.dataset, lake.snapshot?.manifest.extras).fields.map(({ name }) => name),
    fields: words.fields.filter(({ name, nullable }) => !nullable || (fill[name] ?? 0) > 0).map(({ name }) => name),
  };
}

/** A column that is blank throughout is one the source does not have. Presence is left to the workers, as the contract says. */
function supportOf(spec: FilterSpec, fill: Readonly<Record<string, number>>): FilterSupport {
  if (spec.field !== 'id' && (fill[spec.field] ?? 0) === 0) return 'unsupported';
  return spec.compares === 'presence' ? 'residual' : 'pushed';
}

/** What such an extra holds is shown as it is, and found by nobody. */
function changedTrouble(changed: readonly ChangedExtra[]): string {
  return changed.map(({ name, had, declared }) => `its ${name} is of the type ${had}, and is declared as ${declared}: no filter finds it`).join('; ');
}

function fillOf(segments: Snapshot['manifest']['segments'], rows: number): Record<string, number> {
  const filled = sumBy(segments.map(({ fill, rows: own }) => Object.fromEntries(Object.entries(fill).map(([name, share]) => [name, share * own]))));
  return Object.fromEntries(Object.entries(filled).map(([name, count]) => [name, shareOf(count, rows)]));
}

function sumBy(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const one of counts) for (const [name, count] of Object.entries(one)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

function segmentKey({ manifest }: Snapshot, segment: string): string {
  return `${lakeKey(manifest.dataset, manifest.source)}/${segment}`;
}

/** Snapshots that share a segment may differ in its rows that are gone. */
function mountId(segment: string, gone: Snapshot['manifest']['segments'][number]['gone']): string {
  return gone === undefined ? segment : `${segment}@${gone.id}`;
}

/** The key of the lake that a mounted segment is of. */
export function lakeKeyOf(mount: string): string {
  return mount.slice(0, mount.lastIndexOf('/'));
}

function lakeOf(snapshot: Snapshot): Lake {
  return { name: snapshot.manifest.source, dataset: snapshot.manifest.dataset, snapshot, trouble: null };
}
