import { connectingOf } from '../connecting.ts';
import type { Figures, ForeignSettings, ForeignSource, FoundRow, RowsRequest, Search } from '../source.ts';
import type { Reading } from '../sql/columns.ts';
import { countedFields } from '../sql/counted_fields.ts';
import type { Sql } from '../sql/dialect.ts';
import type { Counted } from '../sql/facet.ts';
import { TableSource, type TableEngine, type Tally } from '../sql/table_source.ts';
import { Connections } from './connect.ts';
import { readFigures, readTable } from './describe.ts';
import { COUNTED, UNSURE, VALUE } from './own_names.ts';
import { countStatement, facetStatement, readingOf, unsureStatement, type ClickhouseTable } from './query.ts';
import { RowReader } from './rows.ts';
import { scanTable } from './scan.ts';

type Settings = ForeignSettings & { readonly config: Extract<ForeignSettings['config'], { readonly kind: 'clickhouse' }> };

export function openClickhouse(settings: Settings): ForeignSource {
  return new TableSource(settings, new ClickhouseEngine(settings));
}

/** A table, Distributed or not. */
class ClickhouseEngine implements TableEngine<ClickhouseTable> {
  readonly #settings: Settings;
  readonly #connections: Connections;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#connections = new Connections(connectingOf(settings.config));
  }

  async look(known: ClickhouseTable | null, signal: AbortSignal): Promise<ClickhouseTable> {
    const { config, vocabulary } = this.#settings;
    return known ?? readTable(this.#connections, config, vocabulary, signal);
  }

  rows(table: ClickhouseTable, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
    return scanTable(this.#connections, table, request, signal);
  }

  reading(table: ClickhouseTable): Reading { return readingOf(table); }

  async count(table: ClickhouseTable, search: Search, signal: AbortSignal): Promise<Tally> {
    const [counted] = await this.#connections.all(countStatement(table, search), 'long', signal);
    return { sure: Number(counted?.[COUNTED]), unsure: Number(counted?.[UNSURE] ?? 0), at: [] };
  }

  async *unsure(table: ClickhouseTable, search: Search, _at: Tally['at'], signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const statement = unsureStatement(table, search);
    const reader = new RowReader(table.columns.rowFields(countedFields(search, table.columns.vocabulary)), table.columns);
    for await (const lines of this.#connections.lines(statement, 'long', signal)) yield reader.texts(lines);
  }

  async values(table: ClickhouseTable, value: Sql, search: Search, signal: AbortSignal): Promise<Counted> {
    return (await this.#connections.all(facetStatement(table, value, search), 'long', signal)).map((row) => [row[VALUE], String(row[COUNTED])] as const);
  }

  figures(table: ClickhouseTable, signal: AbortSignal): Promise<Figures> { return readFigures(this.#connections, table, signal); }
  close(): Promise<void> { return this.#connections.close(); }
}
