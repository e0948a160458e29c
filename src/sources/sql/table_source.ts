import { LIMITS } from '../../config/limits.ts';
import { matches } from '../../filter/matches.ts';
import { newestMoment } from '../../lib/moment.ts';
import { shareOf } from '../../lib/rounding.ts';
import type { FacetCounts } from '../../model/answer.ts';
import type { Row } from '../../model/field.ts';
import { isCount } from '../../model/json.ts';
import { SourceFailure, type Count, type Description, type Figures, type ForeignSettings, type ForeignSource, type FoundRow, type RowsRequest, type Search } from '../source.ts';
import { isExact } from './bounds.ts';
import type { Reading } from './columns.ts';
import { conditionOf, supportOf } from './condition.ts';
import type { Sql } from './dialect.ts';
import { addUp, countedValue, type Counted } from './facet.ts';
import { isGiven, type MappedColumns, type Mapping } from './mapped_columns.ts';

/** One table as it was last looked at: `table` is how statements call it. */
export type Table<Columns extends MappedColumns<{ readonly name: string }> = MappedColumns<{ readonly name: string }>> =
  { readonly source: string; readonly table: Sql; readonly columns: Columns };

/** Where a row stands, to an engine that can be asked for it by that. */
export type Where = readonly [file: string, row: string];

/** How many match for sure, and of how many the engine cannot tell. `at`: where those stand, one more than are looked at at the most, of an engine that tells so while it counts. */
export type Tally = { readonly sure: number; readonly unsure: number; readonly at: readonly Where[] };

/** What an engine does with its one table. */
export interface TableEngine<Known extends Table> {
  /** The table to search: `known`, as it was last looked at, or a fresh look where that is null or no longer true. */
  look(known: Known | null, signal: AbortSignal): Promise<Known>;
  rows(table: Known, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]>;
  /** How its conditions are written. */
  reading(table: Known): Reading;
  count(table: Known, search: Search, signal: AbortSignal): Promise<Tally>;
  /** The rows of which it cannot tell, with all that they are counted by, as they come; one more than `LIMITS.unsureRowsMax` at most. `at`: as the tally has it. */
  unsure(table: Known, search: Search, at: Tally['at'], signal: AbortSignal): AsyncIterable<readonly string[]>;
  /** Values with their counts, the most frequent first, over the rows that match for sure. */
  values(table: Known, value: Sql, search: Search, signal: AbortSignal): Promise<Counted>;
  figures(table: Known, signal: AbortSignal): Promise<Figures>;
  /** What the operator should mend beside the columns, in words that may leave the house. */
  trouble?(table: Known): string | null;
  close(): Promise<void>;
}

type Settings = Pick<ForeignSettings, 'vocabulary'> & { readonly config: Mapping };

/** A source that is one table of an engine, read as it is now. */
export class TableSource<Known extends Table> implements ForeignSource {
  readonly #settings: Settings;
  readonly #engine: TableEngine<Known>;
  #known: Known | null = null;
  /** By search: its count and its facets look at the same rows. */
  readonly #tallies = new WeakMap<Search, Promise<Tally>>();
  readonly #unsure = new WeakMap<Search, Promise<readonly string[] | null>>();

  constructor(settings: Settings, engine: TableEngine<Known>) {
    this.#settings = settings;
    this.#engine = engine;
  }

  async describe(signal: AbortSignal): Promise<Description> {
    const table = (this.#known = await this.#engine.look(null, signal));
    const { columns } = table;
    const { config } = this.#settings;
    const missing = [
      ...Object.keys(config.columns).filter((field) => !columns.hasColumn(field)),
      // Without it the filter works all the same, and looks at every row.
      ...Object.keys(config.compared).filter((filter) => columns.compared(filter) === null).map((filter) => `${filter} (compared)`),
    ];
    const troubles = [missing.length === 0 ? null : `columns that the configuration names are missing: those of ${missing.join(', ')}`, this.#engine.trouble?.(table) ?? null];
    return {
      fields: columns.vocabulary.fields.map(({ name }) => name).filter((field) => isGiven(field) || columns.has(field)),
      filters: Object.fromEntries(columns.vocabulary.filters.map((spec) => [spec.name, supportOf(spec, columns)])),
      trouble: troubles.filter((trouble) => trouble !== null).join('; ') || null,
    };
  }

  async figures(signal: AbortSignal): Promise<Figures> {
    return this.#engine.figures(await this.#table(signal), signal);
  }

  async *rows(request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
    yield* this.#engine.rows(await this.#table(signal), request, signal);
  }

  async count(search: Search, signal: AbortSignal): Promise<Count> {
    const table = await this.#table(signal);
    const [{ sure }, unsure] = await Promise.all([this.#tallyOf(table, search, signal), this.#unsureOf(table, search, signal)]);
    return { sure, unsure };
  }

  /** Of the rows of which the engine cannot tell the values are counted here. */
  async facet(name: string, search: Search, signal: AbortSignal): Promise<FacetCounts | null> {
    const table = await this.#table(signal);
    const { vocabulary } = table.columns;
    const spec = vocabulary.filters.find((each) => each.name === name)!;
    // Where there is no column no row has a value.
    if (spec.compares !== 'presence' && !table.columns.has(spec.field)) return { name, values: [] };
    const value = countedValue(spec, this.#engine.reading(table));
    const unsure = value === null ? [] : await this.#unsureOf(table, search, signal);
    if (value === null || unsure === null) return null;
    const rows = unsure.map((json) => JSON.parse(json) as Row).filter(matches(search.filters, search.terms, vocabulary));
    const counted = await this.#engine.values(table, value, search, signal);
    const untold = counted.length < LIMITS.facetRowsMax ? {} : { untoldMax: Number(counted.at(-1)![1]) };
    return { name, values: addUp(spec, counted, rows), ...untold };
  }

  close(): Promise<void> { return this.#engine.close(); }

  async #count(table: Known, search: Search, signal: AbortSignal): Promise<Tally> {
    const tally = await this.#engine.count(table, search, signal);
    // Nothing that is no number may come to be added up.
    if (![tally.sure, tally.unsure].every(isCount)) throw new SourceFailure('malformed', 'the count is no number');
    return tally;
  }

  #tallyOf(table: Known, search: Search, signal: AbortSignal): Promise<Tally> {
    return once(this.#tallies, search, () => this.#count(table, search, signal));
  }

  /** Null where there are too many: they are counted first, since most searches have none, and those that have too many are not read for nothing. */
  #unsureOf(table: Known, search: Search, signal: AbortSignal): Promise<readonly string[] | null> {
    return once(this.#unsure, search, async () => {
      if (isExact(conditionOf(search, 'asked', this.#engine.reading(table)))) return [];
      const { unsure, at } = await this.#tallyOf(table, search, signal);
      if (unsure > LIMITS.unsureRowsMax) return null;
      return unsure === 0 ? [] : gathered(this.#engine.unsure(table, search, at, signal));
    });
  }

  /** A column that has gone since makes searches fail until the table is looked at anew. */
  async #table(signal: AbortSignal): Promise<Known> {
    return (this.#known = await this.#engine.look(this.#known, signal));
  }
}

/** What failed is asked anew: the same search may come again. */
function once<T>(known: WeakMap<Search, Promise<T>>, search: Search, ask: () => Promise<T>): Promise<T> {
  const asked = known.get(search) ?? ask();
  known.set(search, asked);
  asked.catch(() => { known.delete(search); });
  return asked;
}

async function gathered(batches: AsyncIterable<readonly string[]>): Promise<readonly string[] | null> {
  const rows: string[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    for (const json of batch) {
      rows.push(json);
      bytes += json.length;
    }
    if (bytes > LIMITS.unsureBytesMax) return null;
  }
  return rows.length > LIMITS.unsureRowsMax ? null : rows;
}

function counted(groups: readonly { readonly code: string | null; readonly rows: number }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, rows } of groups) if (code !== null) counts[code] = (counts[code] ?? 0) + rows;
  return counts;
}

/** Figures from what an engine counted by country: of each group its code, its newest time, its rows, and how many of them have each of the fields. */
export function figuresOf(
  fields: readonly string[],
  groups: readonly { readonly code: string | null; readonly latest: string | null; readonly rows: number; readonly having: readonly number[] }[],
): Figures {
  const rows = groups.reduce((total, group) => total + group.rows, 0);
  const having = (at: number): number => groups.reduce((total, group) => total + group.having[at]!, 0);
  return {
    rows,
    updatedAt: newestMoment(groups.map(({ latest }) => latest)),
    fill: Object.fromEntries(fields.map((field, at) => [field, shareOf(having(at), rows)])),
    countries: counted(groups),
  };
}
