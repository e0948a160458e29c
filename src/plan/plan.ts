import { AppError } from '../model/errors.ts';
import type { Mark } from '../model/chunk.ts';
import type { FilterUse } from '../model/outcome.ts';
import type { Query } from '../model/query.ts';
import type { Readers } from '../sources/lake/readers.ts';
import { retainedKey, type Catalog, type CatalogSegment, type CatalogSource, type FilterSupport } from './catalog.ts';

/** A place to go on from, as a cursor holds it. */
export type LanePosition = { readonly source: string; readonly snapshot: string; readonly segment: string; readonly after: Mark; readonly done: boolean };
/** The snapshot of a source that could not be asked yet. */
export const NOT_BEGUN = '';

export type Position = { readonly order: RowOrder; readonly lanes: readonly LanePosition[] };

/** `stored` needs no look at keys, and streams runs of rows; `identity` lets the same person of several sources meet. */
export type RowOrder = 'stored' | 'identity';

/** One scan, from a mark on. `priority` is its source's place in the catalog: the lower fills first. */
type LaneOf<K, M> = {
  readonly kind: K;
  readonly source: string;
  readonly snapshot: string;
  readonly priority: number;
  readonly after: M;
  readonly done: boolean;
};
/** A sealed part of a lake. */
export type LakeLane = LaneOf<'lake', number> & { readonly segment: CatalogSegment };
/** Any other source, as a whole. */
export type ForeignLane = LaneOf<'foreign', string>;
export type Lane = LakeLane | ForeignLane;

export type PlannedSource = {
  readonly name: string;
  readonly filters: FilterUse;
  /** Set where the source is not asked: it is down. */
  readonly skip: string | null;
};

export type Plan = {
  readonly order: RowOrder;
  readonly dedupe: boolean;
  readonly sources: readonly PlannedSource[];
  readonly lanes: readonly Lane[];
  /** The snapshots that the lanes read: whoever carries the plan out counts there, so that they stay until it is done. */
  readonly reads: readonly Readers[];
  /** Places that this page does not move: of sources that are not asked, where they stand; of sources that hold nothing. */
  readonly held: readonly LanePosition[];
  /** Conditions known before the scan, as the caller reads them. */
  readonly warnings: readonly string[];
};

/** Decides what is asked of whom; touches nothing. Throws what the caller did wrong. */
export function planFind(query: Query, catalog: Catalog, position: Position | null): Plan {
  const asked = chooseSources(query, catalog, position);
  if (asked.length > 1) asked.sort((a, b) => priorityOf(catalog, a) - priorityOf(catalog, b));
  const sources: PlannedSource[] = [];
  const lanes: Lane[] = [];
  const reads: Readers[] = [];
  const held: LanePosition[] = [];
  const warnings: string[] = [];
  for (const source of asked) {
    const { name, status, trouble, readers } = source;
    const filters = useFilters(source, query);
    sources.push({ name, filters, skip: status === 'down' ? trouble ?? 'unavailable' : null });
    if (status !== 'down') lanes.push(...lanesOf(source, query, priorityOf(catalog, source), position));
    if (status !== 'down' && readers !== null) reads.push(readers);
    held.push(...heldOf(source, query, position));
    for (const lacking of filters.unsupported) warnings.push(`${name} has no ${lacking}: its rows count as having none`);
  }
  if (query.strict) refuseUnsupported(sources);
  const dedupe = query.dedupe && asked.length > 1;
  // Another gateway merges what it is given, and goes on from a key.
  const order = position?.order ?? (dedupe || query.hops !== undefined ? 'identity' : 'stored');
  return { order, dedupe, sources, lanes, reads, held, warnings };
}

function chooseSources(query: Query, catalog: Catalog, position: Position | null): CatalogSource[] {
  if (position !== null) return chooseAgain(query, catalog, position);
  return catalog.sources.filter(({ name, dataset }) =>
    dataset === query.type && (query.only === null || query.only.includes(name)) && !query.ignore.includes(name));
}

/**
 * A walk goes on over the very snapshots it began on, even where newer ones are served by now. A source that was down when it
 * began has no snapshot yet, and is begun when it is back.
 */
function chooseAgain(query: Query, catalog: Catalog, position: Position): CatalogSource[] {
  const begun = new Map(position.lanes.map(({ source, snapshot }) => [source, snapshot]));
  return [...begun].map(([name, snapshot]) => {
    const current = catalog.sources.find((source) => source.name === name && source.dataset === query.type);
    if (current !== undefined && (snapshot === NOT_BEGUN || current.snapshot === snapshot || current.status === 'down')) return current;
    const source = catalog.retained.get(retainedKey(query.type, name, snapshot));
    if (source === undefined) throw new AppError('stale_cursor', 'the data this cursor was cut from has been replaced: start the search again without a cursor');
    return source;
  });
}

function lanesOf(source: CatalogSource, query: Query, priority: number, position: Position | null): Lane[] {
  const before = (segment: string): LanePosition | undefined => position?.lanes.find((lane) => lane.source === source.name && lane.segment === segment);
  const { name, snapshot } = source;
  if (source.kind !== 'lake') {
    const stood = before('');
    return [{ kind: 'foreign', source: name, snapshot, priority, after: typeof stood?.after === 'string' ? stood.after : '', done: stood?.done ?? false }];
  }
  return source.segments.filter((segment) => mayMatch(segment, query)).map((segment) => {
    const stood = before(segment.id);
    return { kind: 'lake', source: name, snapshot, priority, after: typeof stood?.after === 'number' ? stood.after : -1, done: stood?.done ?? false, segment };
  });
}

/** Whether a sealed part has rows in one of the countries that are asked for: a lake of many rows is cut along countries. */
function mayMatch({ countries }: CatalogSegment, { filters }: Query): boolean {
  const asked = filters.find(({ name }) => name === 'country');
  return asked?.kind !== 'terms' || asked.include === null || asked.include.some((country) => Object.hasOwn(countries, country));
}

/** A source that goes down amid a walk keeps its places; one that was down from the start has none yet, and what can match nothing is done. */
function heldOf(source: CatalogSource, query: Query, position: Position | null): LanePosition[] {
  if (source.status === 'down') {
    const stood = position?.lanes.filter((lane) => lane.source === source.name) ?? [];
    return stood.length > 0 ? stood : [{ source: source.name, snapshot: NOT_BEGUN, segment: '', after: -1, done: false }];
  }
  if (source.kind !== 'lake') return [];
  const done = (segment: string): LanePosition => ({ source: source.name, snapshot: source.snapshot, segment, after: -1, done: true });
  return source.segments.length === 0 ? [done('')] : source.segments.filter((segment) => !mayMatch(segment, query)).map(({ id }) => done(id));
}

function priorityOf(catalog: Catalog, source: CatalogSource): number {
  const place = catalog.sources.findIndex(({ name }) => name === source.name);
  return place === -1 ? catalog.sources.length : place;
}

function useFilters(source: CatalogSource, query: Query): FilterUse {
  const use: Record<FilterSupport, string[]> = { pushed: [], residual: [], unsupported: [] };
  for (const { name } of query.filters) use[source.filters[name] ?? 'unsupported'].push(name);
  return use;
}

function refuseUnsupported(sources: readonly PlannedSource[]): void {
  const lacking = sources.filter(({ filters }) => filters.unsupported.length > 0).map(({ name }) => name);
  if (lacking.length === 0) return;
  throw new AppError('unsupported_filter', `these sources lack a column that is filtered: ${lacking.join(', ')}. Leave them out with "sources", or drop "strict".`);
}
