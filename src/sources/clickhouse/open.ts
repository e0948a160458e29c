import { LIMITS } from '../../config/limits.ts';
import type { FacetCounts } from '../../model/answer.ts';
import type { Count, Description, Figures, ForeignSettings, ForeignSource, FoundRow, RowsRequest, Search } from '../source.ts';
import { facetOf } from '../sql/facet.ts';
import { Connections } from './connect.ts';
import { describeTable, readColumns, readFigures, tableName } from './describe.ts';
import { CLICKHOUSE } from './dialect.ts';
import { countStatement, facetStatement, unsureStatement, type Table } from './query.ts';
import { blankListsOf, rowOf } from './rows.ts';
import { scanTable } from './scan.ts';

type Settings = ForeignSettings & { readonly config: Extract<ForeignSettings['config'], { readonly kind: 'clickhouse' }> };

export function openClickhouse(settings: Settings): ForeignSource {
  const { url, connect_timeout_ms: connectMs, concurrency } = settings.config;
  return new ClickhouseSource(settings, new Connections({
    url,
    connectMs: connectMs ?? LIMITS.connectMsDefault,
    // Each scan may count beside its rows.
    connections: 2 * (concurrency ?? LIMITS.sourceConcurrencyDefault),
  }));
}

/** A table, Distributed or not, read as it is now. */
class ClickhouseSource implements ForeignSource {
  readonly #settings: Settings;
  readonly #connections: Connections;
  /** As last described; a column that has gone since makes searches fail until it is described anew. */
  #table: Table | null = null;

  constructor(settings: Settings, connections: Connections) {
    this.#settings = settings;
    this.#connections = connections;
  }

  async describe(signal: AbortSignal): Promise<Description> {
    const table = await this.#describeColumns(signal);
    const missing = Object.keys(this.#settings.config.columns).filter((field) => !table.columns.hasColumn(field));
    return describeTable(table, missing);
  }

  async figures(signal: AbortSignal): Promise<Figures> {
    return readFigures(this.#connections, await this.#known(signal), signal);
  }

  async *rows(request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
    yield* scanTable(this.#connections, await this.#known(signal), request, signal);
  }

  async count(search: Search, signal: AbortSignal): Promise<Count> {
    const table = await this.#known(signal);
    const [[sure], unsure] = await Promise.all([this.#connections.all(countStatement(table, search), signal), this.#unsure(table, search, signal)]);
    return { sure: Number(sure!['rows']), unsure: unsure.length > LIMITS.unsureRowsMax ? null : unsure };
  }

  async facet(name: string, search: Search, signal: AbortSignal): Promise<FacetCounts | null> {
    const table = await this.#known(signal);
    return facetOf(name, { vocabulary: table.columns.vocabulary, value: (field) => table.columns.value(field) }, CLICKHOUSE, async (value) => {
      const statement = facetStatement(table, value, search);
      if (statement === null) return null;
      return (await this.#connections.all(statement, signal)).map((row) => [row['value'], String(row['rows'])] as const);
    });
  }

  close(): Promise<void> { return this.#connections.close(); }

  async #unsure(table: Table, search: Search, signal: AbortSignal): Promise<string[]> {
    const statement = unsureStatement(table, search);
    const blankLists = blankListsOf(table.columns.vocabulary.fields);
    const rows: string[] = [];
    if (statement === null) return rows;
    for await (const lines of this.#connections.lines(statement, signal)) rows.push(...lines.map((line) => rowOf(line, blankLists)));
    return rows;
  }

  async #known(signal: AbortSignal): Promise<Table> { return this.#table ?? this.#describeColumns(signal); }

  async #describeColumns(signal: AbortSignal): Promise<Table> {
    const { config, vocabulary } = this.#settings;
    const columns = await readColumns(this.#connections, config.table, vocabulary, config, signal);
    return (this.#table = { source: config.name, table: tableName(config.table), columns });
  }
}
