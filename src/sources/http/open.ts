import { LIMITS } from '../../config/limits.ts';
import { fieldsRead, matches } from '../../filter/matches.ts';
import type { FacetCounts } from '../../model/answer.ts';
import { comparable } from '../../model/compare.ts';
import type { Row } from '../../model/field.ts';
import type { FilterSpec } from '../../model/filter.ts';
import { IDENTITY_FIELDS } from '../../model/identity.ts';
import { isCount, isObject, type JsonObject } from '../../model/json.ts';
import type { TotalRelation } from '../../model/outcome.ts';
import { connectingOf } from '../connecting.ts';
import { SourceFailure, type Count, type Description, type Figures, type ForeignSettings, type ForeignSource, type FoundRow, type RowsRequest, type Search } from '../source.ts';
import { stopped } from '../stopped.ts';
import type { Haste } from '../turns.ts';
import type { End } from './answer.ts';
import { Connections, type Answer } from './connect.ts';
import { countedFigures, describeRemote, gatewayOf, isRenamed, lacks, NO_FIGURES, SAMPLE, sampledRemote, takesFilter, type Remote } from './describe.ts';
import { countValues } from '../facet.ts';
import { endOf, readAnswer } from './read.ts';
import { RowReader, type ReadRow } from './rows.ts';
import { readAll, walkOrdered, walkSorted, type Walk } from './scan.ts';
import { askedOf, type Asked, type Target } from './search.ts';
import { begunNow, phaseNumber, readPhase } from './walk_phase.ts';
import { Walks, type KeyPlace } from './walks.ts';

/** Where a walk goes on, null from the start, and when it was begun. */
type Begin = { readonly place: KeyPlace | null; readonly begun: number };

type Settings = ForeignSettings & { readonly config: Extract<ForeignSettings['config'], { readonly kind: 'http' }> };

export function openHttp(settings: Settings): ForeignSource {
  return new HttpSource(settings, new Connections(connectingOf(settings.config), settings.config.headers));
}

/** Names this gateway to the other one where no search is passed on. */
const NOBODY = ['-'];
const NOTHING: Search = { filters: [], terms: [] };

/** Another gateway, or an API that takes the same questions. Nothing that it says is taken on trust but its totals. */
class HttpSource implements ForeignSource {
  readonly #settings: Settings;
  readonly #connections: Connections;
  readonly #reader: RowReader;
  readonly #walks = new Walks();
  /** As last described. */
  #remote: Remote | null = null;
  /** Whether it answers in the order of identity; null until it has answered. */
  #ordered: boolean | null = null;
  /** It has sent rows that did not match, though it was asked exactly: its totals count too many. */
  #overclaims = false;

  constructor(settings: Settings, connections: Connections) {
    this.#settings = settings;
    this.#connections = connections;
    this.#reader = new RowReader(settings.config.name, settings.vocabulary, settings.config.columns);
  }

  async describe(signal: AbortSignal): Promise<Description> {
    const overclaims = this.#overclaims;
    this.#overclaims = false;
    const { vocabulary, config } = this.#settings;
    return describeRemote(await this.#look(signal), vocabulary, config.columns, overclaims);
  }

  async figures(signal: AbortSignal): Promise<Figures> {
    const { figures } = await this.#known(signal);
    if (figures !== null) return figures;
    const rows = await this.#few(NOTHING, {}, 'short', signal);
    return rows === null ? NO_FIGURES : countedFigures(rows, this.#settings.vocabulary);
  }

  async *rows(request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
    const asked = askedOf(request, this.#target(await this.#known(signal)));
    if (asked === null) return;
    const { from } = request;
    const place = from === null ? null : { ...readPhase(from.phase), key: from.key };
    const begun = place?.begun ?? begunNow();
    const walk = this.#walk(asked, request, { place, begun }, signal);
    const batches = this.#batches(walk, request.rowsWanted === null ? LIMITS.httpStreamBytesMax : LIMITS.httpPageBytesMax);
    const keeps = this.#test(asked, request);
    const names = request.fields === null ? null : this.#settings.vocabulary.fields.map(({ name }) => name).filter((name) => name === 'id' || name === 'source' || request.fields!.includes(name));
    for await (const rows of batches) {
      yield rows.filter(keeps).map((row) => foundRow(row, names, begun));
      // Rows that were put in order here have no connection that would be cut.
      if (signal.aborted) throw stopped();
    }
  }

  async count(search: Search, signal: AbortSignal): Promise<Count> {
    const asked = askedOf(search, this.#target(await this.#known(signal)));
    if (asked === null) return { sure: 0, unsure: [] };
    if (asked.exact) {
      const { total, relation, partial } = await this.#counted(asked, search, signal);
      if (partial) throw new SourceFailure('partial', 'it could not count all of its rows');
      if (total !== null) return { sure: total, unsure: [], relation: this.#overclaims ? ATMOST[relation] : relation };
    }
    const rows = await this.#few(search, asked.body, 'long', signal);
    return rows === null ? { sure: 0, unsure: null } : { sure: rows.length, unsure: [] };
  }

  async facet(name: string, search: Search, signal: AbortSignal): Promise<FacetCounts | null> {
    const remote = await this.#known(signal);
    const asked = askedOf(search, this.#target(remote));
    if (asked === null) return { name, values: [] };
    const spec = this.#settings.vocabulary.filters.find((each) => each.name === name)!;
    const isAsked = remote.filters !== null && name !== 'id' && takesFilter(spec, this.#settings.config.columns, remote, this.#settings.vocabulary);
    if (asked.exact && !this.#overclaims && isAsked) {
      const { facets, uncounted, partial } = await endOf(await this.#find(asked, search, { limit: 1, count: 'none', facets: [name] }, 'long', signal), this.#reader);
      const values = partial || uncounted.includes(name) ? null : wholeFacet(facets[name]);
      if (values !== null) return { name, values: spec.compares === 'enum' ? listedAlone(spec, values) : values };
      const { total, relation } = await this.#counted(asked, search, signal);
      if (total !== null && total > LIMITS.unsureRowsMax && ATLEAST.has(relation)) return null;
    }
    const rows = await this.#few(search, asked.body, 'long', signal);
    return rows && { name, values: countValues(spec, rows) };
  }

  close(): Promise<void> { return this.#connections.close(); }

  /** What the other side orders its rows by is what they are ordered by here. */
  get #sharesIdentity(): boolean {
    const { vocabulary: { dataset }, config: { columns } } = this.#settings;
    return !['id', ...IDENTITY_FIELDS[dataset]].some((field) => isRenamed(field, columns));
  }

  async *#batches(walk: (bytesMax: number) => Walk, bytesMax: number): AsyncGenerator<readonly ReadRow[]> {
    if (this.#ordered !== false && this.#sharesIdentity) {
      this.#ordered = yield* walkOrdered(walk(bytesMax), this.#walks);
      if (this.#ordered) return;
    }
    yield* walkSorted(walk(LIMITS.httpPageBytesMax));
  }

  #walk(asked: NonNullable<Asked>, request: RowsRequest, { place, begun }: Begin, signal: AbortSignal): (bytesMax: number) => Walk {
    return (bytesMax) => ({
      search: JSON.stringify(asked.body),
      from: place,
      begun,
      rowsWanted: request.rowsWanted,
      rowsEnough: request.rowsEnough ?? null,
      reader: this.#reader,
      dropped: request.dropped ?? (() => {}),
      incomplete: request.incomplete ?? (() => {}),
      find: (page) => this.#find(asked, request, { count: 'none', ...page, ...this.#fields(request) }, 'short', signal, bytesMax),
    });
  }

  async #counted(asked: NonNullable<Asked>, search: Search, signal: AbortSignal): Promise<End> {
    return endOf(await this.#find(asked, search, { limit: 1, count: 'exact' }, 'long', signal), this.#reader);
  }

  /** All that match, where they are few; else null. Many are read in vain, and billed. */
  async #few(search: Search, body: JsonObject, haste: Haste, signal: AbortSignal): Promise<Row[] | null> {
    const asked = { body, exact: false };
    const rows: ReadRow[] = [];
    const find = (page: JsonObject): Promise<Answer> => this.#find(asked, search, { limit: LIMITS.unsureRowsMax + 1, count: 'none', ...page }, haste, signal);
    try {
      if (await readAll({ find, reader: this.#reader, dropped: () => {} }, rows, LIMITS.unsureRowsMax)) return null;
    } catch (error) {
      if (error instanceof SourceFailure && error.code === 'too_many') return null;
      throw error;
    }
    return rows.filter(this.#test(asked, search)).map(({ row }) => row);
  }

  #find({ body }: NonNullable<Asked>, { hops }: Search, page: JsonObject, haste: Haste, signal: AbortSignal, bytesMax: number = LIMITS.httpPageBytesMax): Promise<Answer> {
    const asked = { type: this.#settings.vocabulary.dataset, ...body, dedupe: false, timeout_ms: LIMITS.streamTimeoutMsMax, ...page };
    return this.#connections.find(asked, { hops: hops ?? NOBODY, haste, bytesMax }, signal);
  }

  /** Every row is tested, whatever the other side was asked for. */
  #test({ exact }: NonNullable<Asked>, { filters, terms }: Search): (row: ReadRow) => boolean {
    const test = matches(filters, terms, this.#settings.vocabulary);
    return ({ row }) => {
      if (test(row)) return true;
      if (exact) this.#overclaims = true;
      return false;
    };
  }

  /** What the rows must bring beside the fields that are wanted: what they are tested and ordered by. Only of a gateway, whose fields are known. */
  #fields(request: RowsRequest): { readonly fields?: readonly string[] } {
    const { vocabulary, config: { columns } } = this.#settings;
    const { fields } = request;
    if (fields === null || this.#remote?.filters == null || Object.keys(columns).length > 0) return {};
    const read = new Set([...fields, ...fieldsRead(request, vocabulary), 'email', 'linkedin_url', 'domain']);
    return { fields: vocabulary.fields.map(({ name }) => name).filter((name) => read.has(name) && this.#remote!.fields!.has(name)) };
  }

  #target(remote: Remote): Target {
    const { vocabulary, config: { name, columns } } = this.#settings;
    return {
      source: name,
      specs: new Map(vocabulary.filters.map((spec) => [spec.name, spec])),
      takes: (spec: FilterSpec) => takesFilter(spec, columns, remote, vocabulary),
      // Any other API is taken to search what it has, whatever it calls that.
      searches: remote.filters === null || !vocabulary.searchable.some((field) => isRenamed(field, columns)),
      lacks: (spec: FilterSpec) => lacks(spec, columns, remote),
      isGateway: remote.filters !== null,
    };
  }

  async #known(signal: AbortSignal): Promise<Remote> { return this.#remote ?? this.#look(signal); }

  async #look(signal: AbortSignal): Promise<Remote> {
    const { vocabulary, config: { columns } } = this.#settings;
    const remote = gatewayOf(await this.#connections.document('sources', signal), vocabulary, columns) ?? sampledRemote(await this.#sample(signal), columns);
    // Another version may have come.
    if (this.#ordered === false) this.#ordered = null;
    return (this.#remote = remote);
  }

  async #sample(signal: AbortSignal): Promise<JsonObject[]> {
    const rows: JsonObject[] = [];
    const spy = { read: (row: JsonObject) => { rows.push(row); return this.#reader.read(row); } };
    const parts = readAnswer(await this.#find({ body: {}, exact: true }, NOTHING, SAMPLE, 'short', signal), spy, () => {});
    while (rows.length < LIMITS.httpSampleRows && (await parts.next()).done !== true);
    await parts.return(undefined as never);
    return rows;
  }
}

const ATMOST: Readonly<Record<TotalRelation, TotalRelation>> = { eq: 'lte', lte: 'lte', gte: 'approx', approx: 'approx' };

/** No fewer match than such a total tells. */
const ATLEAST: ReadonlySet<TotalRelation> = new Set(['eq', 'gte']);

function foundRow({ row, key, keyClass }: ReadRow, names: string[] | null, begun: number): FoundRow {
  return { json: names === null ? JSON.stringify(row) : JSON.stringify(row, names), phase: phaseNumber({ keyClass, begun }), key, keyClass, sure: true, row };
}

/** Null where there may be more values than are told. */
function wholeFacet(told: unknown): [string, number][] | null {
  if (!Array.isArray(told) || told.length >= LIMITS.facetValuesMax) return null;
  const values = told.filter(isObject).map(({ value, count }): [unknown, unknown] => [value, count]);
  const whole = values.length === told.length && values.every(([value, count]) => typeof value === 'string' && isCount(count));
  return whole ? values as [string, number][] : null;
}

/** Rows show a value of a closed list as it is listed, and null for any other. */
function listedAlone({ values: listed = [] }: FilterSpec, values: readonly [string, number][]): [string, number][] {
  const shown = new Map(listed.map((value) => [comparable('enum', value), value]));
  return values.flatMap(([value, count]): [string, number][] => { const known = shown.get(comparable('enum', value)); return known === undefined ? [] : [[known, count]]; });
}
