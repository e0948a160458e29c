import { LIMITS } from '../../config/limits.ts';
import { shareOf } from '../../lib/rounding.ts';
import type { FacetCounts } from '../../model/answer.ts';
import { SourceFailure, type Count, type Description, type Figures, type ForeignSettings, type ForeignSource, type FoundRow, type RowsRequest, type Search } from '../source.ts';
import { supportOf } from './condition.ts';
import type { Dialect, Sql } from './dialect.ts';
import { facetOf, type Counted } from './facet.ts';
import { isGiven, type MappedColumns, type Mapping } from './mapped_columns.ts';

/** One table as it was last looked at: `table` is how statements call it. */
export type Table<Columns extends MappedColumns<{ readonly name: string }> = MappedColumns<{ readonly name: string }>> =
  { readonly source: string; readonly table: Sql; readonly columns: Columns };

/** What an engine does with its one table. */
export interface TableEngine<Known extends Table> {
  readonly dialect: Dialect;
  /** The table to search: `known`, as it was last looked at, or a fresh look where that is null or no longer true. */
  look(known: Known | null, signal: AbortSignal): Promise<Known>;
  rows(table: Known, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]>;
  /** How many match for sure. */
  count(table: Known, search: Search, signal: AbortSignal): Promise<number>;
  /** The rows of which it cannot tell, one more than `LIMITS.unsureRowsMax` at most. */
  unsure(table: Known, search: Search, signal: AbortSignal): Promise<readonly string[]>;
  /** Values with their counts, the most frequent first; null where it cannot tell which rows match. */
  values(table: Known, value: Sql, search: Search, signal: AbortSignal): Promise<Counted | null>;
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

  constructor(settings: Settings, engine: TableEngine<Known>) {
    this.#settings = settings;
    this.#engine = engine;
  }

  async describe(signal: AbortSignal): Promise<Description> {
    const table = (this.#known = await this.#engine.look(null, signal));
    const { columns } = table;
    const missing = Object.keys(this.#settings.config.columns).filter((field) => !columns.hasColumn(field));
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
    const [sure, unsure] = await Promise.all([this.#engine.count(table, search, signal), this.#engine.unsure(table, search, signal)]);
    // Nothing that is no number may come to be added up.
    if (!Number.isSafeInteger(sure) || sure < 0) throw new SourceFailure('malformed', 'the count is no number');
    return { sure, unsure: unsure.length > LIMITS.unsureRowsMax ? null : unsure };
  }

  async facet(name: string, search: Search, signal: AbortSignal): Promise<FacetCounts | null> {
    const table = await this.#table(signal);
    return facetOf(name, table.columns, this.#engine.dialect, (value) => this.#engine.values(table, value, search, signal));
  }

  close(): Promise<void> { return this.#engine.close(); }

  /** A column that has gone since makes searches fail until the table is looked at anew. */
  async #table(signal: AbortSignal): Promise<Known> {
    return (this.#known = await this.#engine.look(this.#known, signal));
  }
}

/** Figures from what an engine counted by country: of each group its code, its newest time, its rows, and how many of them have each of the fields. */
export function figuresOf(fields: readonly string[], groups: readonly { readonly code: string | null; readonly latest: string | null; readonly rows: number; readonly having: readonly number[] }[]): Figures {
  const rows = groups.reduce((total, group) => total + group.rows, 0);
  const having = (at: number): number => groups.reduce((total, group) => total + group.having[at]!, 0);
  return {
    rows,
    updatedAt: groups.map(({ latest }) => latest).filter((latest) => latest !== null).toSorted().at(-1) ?? null,
    fill: Object.fromEntries(fields.map((field, at) => [field, shareOf(having(at), rows)])),
    countries: Object.fromEntries(groups.flatMap(({ code, rows: count }) => (code === null ? [] : [[code, count] as const]))),
  };
}
