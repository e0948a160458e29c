import type { Dataset } from '../model/dataset.ts';
import { AppError, restoringCursor, staleCursor } from '../model/errors.ts';
import type { Mark } from '../model/chunk.ts';
import type { FilterUse } from '../model/outcome.ts';
import { isUncounted, type Query, type RowOrder } from '../model/query.ts';
import type { Readers } from '../sources/lake/readers.ts';
import { lakeKey, retainedKey, type Catalog, type CatalogSegment, type CatalogSource } from './catalog.ts';

/** A place to go on from, as a cursor holds it. */
export type LanePosition = { readonly source: string; readonly snapshot: string; readonly segment: string; readonly after: Mark; readonly done: boolean };
/** The snapshot of a source that could not be asked yet. */
export const NOT_BEGUN = '';

export type Position = { readonly order: RowOrder; readonly lanes: readonly LanePosition[] };

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

type PlannedSource = {
  readonly name: string;
  readonly filters: FilterUse;
  /** Set where the source is not asked, though it had more to say: it is down. */
  readonly skip: string | null;
  /** It is not asked, but all its rows were given on the pages before. */
  readonly given: boolean;
};

export type Plan = {
  readonly order: RowOrder;
  readonly dedupe: boolean;
  /** Whether nothing was given before. */
  readonly fromStart: boolean;
  readonly sources: readonly PlannedSource[];
  readonly lanes: readonly Lane[];
  /** The snapshots that the lanes read: whoever carries the plan out counts there, so that they stay until it is done. */
  readonly reads: readonly Readers[];
  /** Places that this page does not move: of sources that are not asked, where they stand; of sources that hold nothing. */
  readonly held: readonly LanePosition[];
  /** Conditions known before the scan, as the caller reads them. */
  readonly warnings: readonly string[];
};

/** Decides what is asked of whom; touches nothing. Throws what the caller did wrong. `mayCome` tells whether a snapshot that is newer than what is served is still waited for. */
export function planFind(query: Query, catalog: Catalog, position: Position | null, mayCome: MayCome = () => true): Plan {
  const asked = chooseSources(query, catalog, position, mayCome);
  if (asked.length > 1) asked.sort((a, b) => priorityOf(catalog, a) - priorityOf(catalog, b));
  const countries = countriesAsked(query);
  const sources: PlannedSource[] = [];
  const lanes: Lane[] = [];
  const reads: Readers[] = [];
  const held: LanePosition[] = [];
  // An empty answer would look like a search that found nothing. Who leaves out all that there are is refused before.
  const warnings = asked.length === 0 ? [`nothing was searched: there is no source of ${query.type} yet`] : [];
  for (const source of asked) {
    const { name, status, trouble, readers } = source;
    const filters = useFilters(source, query);
    if (status === 'down') {
      const places = placesOf(name, position);
      const given = places.every(({ done }) => done);
      sources.push({ name, filters, skip: given && isUncounted(query) ? null : trouble ?? 'unavailable', given });
      held.push(...places);
    } else {
      sources.push({ name, filters, skip: null, given: false });
      addLanes(source, countries, priorityOf(catalog, source), position, lanes, held);
      if (readers !== null) reads.push(readers);
    }
    for (const lacking of filters.unsupported) warnings.push(`${name} has no ${lacking}: its rows count as having none`);
  }
  if (query.strict) refuseUnsupported(sources);
  const dedupe = query.dedupe && asked.length > 1;
  // Another gateway merges what it is given, and goes on from a key.
  const order = position?.order ?? (dedupe || query.hops !== undefined ? 'identity' : 'stored');
  return { order, dedupe, fromStart: position === null, sources, lanes, reads, held, warnings };
}

/** By the key that a retained one would have. */
type MayCome = (snapshot: string) => boolean;

function chooseSources({ type, only, ignore }: Query, catalog: Catalog, position: Position | null, mayCome: MayCome): CatalogSource[] {
  if (position !== null) return chooseAgain(type, catalog, position, mayCome);
  const chosen: CatalogSource[] = [];
  for (const source of catalog.sources) {
    if (source.dataset === type && (only === null || only.includes(source.name)) && !ignore.includes(source.name)) chosen.push(source);
  }
  return chosen;
}

/**
 * A walk goes on over the very snapshots it began on, even where newer ones are served by now. A source that was down when it
 * began has no snapshot yet, and is begun when it is back.
 */
function chooseAgain(type: Dataset, catalog: Catalog, position: Position, mayCome: MayCome): CatalogSource[] {
  const begun = new Map(position.lanes.map(({ source, snapshot }) => [source, snapshot]));
  return [...begun].map(([name, snapshot]) => {
    const current = catalog.sources.find((source) => source.name === name && source.dataset === type);
    if (current !== undefined && (snapshot === NOT_BEGUN || current.status === 'down')) return current;
    const key = retainedKey(type, name, snapshot);
    const source = [current, catalog.retained.get(key)].find((one) => one?.snapshot === snapshot && hasAllParts(one, position));
    if (source !== undefined) return source;
    throw catalog.restoring.has(lakeKey(type, name)) || (isNewer(snapshot, current) && mayCome(key)) ? restoringCursor() : staleCursor();
  });
}

/** A cursor of another gateway, which has taken up what was published since, or a lake of which there is nothing here yet. */
function isNewer(snapshot: string, current: CatalogSource | undefined): boolean {
  return (current === undefined || current.kind === 'lake') && Number(snapshot) > Number(current?.snapshot ?? 0);
}

/** A lake that was ingested elsewhere, or anew in an empty folder, may have a snapshot of the same number: in its parts the walk never stood, and would begin again and again. */
function hasAllParts({ name, kind, segments }: CatalogSource, { lanes }: Position): boolean {
  if (kind !== 'lake') return true;
  return lanes.every(({ source, segment }) => source !== name || (segment === '' ? segments.length === 0 : segments.some(({ id }) => id === segment)));
}

/** What can match nothing is done; so is a lake that has no parts. */
function addLanes(source: CatalogSource, countries: readonly string[] | null, priority: number, position: Position | null, lanes: Lane[], held: LanePosition[]): void {
  const { name, snapshot, segments } = source;
  if (source.kind !== 'lake') {
    const stood = placeIn(position, name, '');
    lanes.push({ kind: 'foreign', source: name, snapshot, priority, after: typeof stood?.after === 'string' ? stood.after : '', done: stood?.done ?? false });
    return;
  }
  if (segments.length === 0) held.push({ source: name, snapshot, segment: '', after: -1, done: true });
  for (const segment of segments) {
    if (!mayMatch(segment, countries)) {
      held.push({ source: name, snapshot, segment: segment.id, after: -1, done: true });
      continue;
    }
    const stood = placeIn(position, name, segment.id);
    lanes.push({ kind: 'lake', source: name, snapshot, priority, after: typeof stood?.after === 'number' ? stood.after : -1, done: stood?.done ?? false, segment });
  }
}

function placeIn(position: Position | null, source: string, segment: string): LanePosition | undefined {
  return position?.lanes.find((lane) => lane.source === source && lane.segment === segment);
}

/** The countries without which no row can match; null where there is no such bound. */
function countriesAsked({ filters }: Query): readonly string[] | null {
  for (const filter of filters) if (filter.name === 'country' && filter.kind === 'terms') return filter.include;
  return null;
}

/** Whether a sealed part has rows in one of the countries that are asked for: a lake of many rows is cut along countries. */
function mayMatch({ countries }: CatalogSegment, asked: readonly string[] | null): boolean {
  if (asked === null) return true;
  for (const country of asked) if (Object.hasOwn(countries, country)) return true;
  return false;
}

/** A source that goes down amid a walk keeps its places; one that was down from the start has none yet. */
function placesOf(source: string, position: Position | null): readonly LanePosition[] {
  const stood = position?.lanes.filter((lane) => lane.source === source) ?? [];
  return stood.length > 0 ? stood : [{ source, snapshot: NOT_BEGUN, segment: '', after: -1, done: false }];
}

function priorityOf({ sources }: Catalog, { name, dataset }: CatalogSource): number {
  for (let place = 0; place < sources.length; place += 1) if (sources[place]!.name === name && sources[place]!.dataset === dataset) return place;
  return sources.length;
}

function useFilters({ filters: support }: CatalogSource, { filters }: Query): FilterUse {
  const pushed: string[] = [];
  const residual: string[] = [];
  const unsupported: string[] = [];
  for (const { name } of filters) {
    const how = support[name] ?? 'unsupported';
    if (how === 'pushed') pushed.push(name);
    else if (how === 'residual') residual.push(name);
    else unsupported.push(name);
  }
  return { pushed, residual, unsupported };
}

function refuseUnsupported(sources: readonly PlannedSource[]): void {
  const lacking = sources.filter(({ filters }) => filters.unsupported.length > 0).map(({ name, filters }) => `${name} (${filters.unsupported.join(', ')})`);
  if (lacking.length === 0) return;
  throw new AppError('unsupported_filter', `These sources lack a column that is filtered: ${lacking.join(', ')}. Leave them out with "sources", or drop "strict".`);
}
