import { LIMITS } from '../../config/limits.ts';
import { connectingOf } from '../connecting.ts';
import type { Figures, ForeignSettings, ForeignSource, FoundRow, RowsRequest, Search } from '../source.ts';
import type { Reading } from '../sql/columns.ts';
import type { Sql } from '../sql/dialect.ts';
import type { Counted } from '../sql/facet.ts';
import { TableSource, type TableEngine, type Tally } from '../sql/table_source.ts';
import { Connections, gathering } from './connect.ts';
import { readColumns, readFigures, readPartitions, tableName } from './describe.ts';
import { countStatement, facetStatement, readingOf, unsureStatement, type PostgresTable } from './query.ts';
import { scanTable } from './scan.ts';

type Settings = ForeignSettings & { readonly config: Extract<ForeignSettings['config'], { readonly kind: 'postgres' }> };

export function openPostgres(settings: Settings): ForeignSource {
  return new TableSource(settings, new PostgresEngine(settings));
}

/** A table or a view. */
class PostgresEngine implements TableEngine<PostgresTable> {
  readonly #settings: Settings;
  readonly #connections: Connections;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#connections = new Connections(connectingOf(settings.config));
  }

  async look(known: PostgresTable | null, signal: AbortSignal): Promise<PostgresTable> {
    const { config, vocabulary } = this.#settings;
    if (known !== null) return known;
    const columns = await readColumns(this.#connections, config.table, vocabulary, config, signal);
    return { source: config.name, table: tableName(config.table), columns, partitions: await readPartitions(this.#connections, config.table, signal) };
  }

  rows(table: PostgresTable, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
    return scanTable(this.#connections, table, request, signal);
  }

  reading(table: PostgresTable): Reading { return readingOf(table); }

  async count(table: PostgresTable, search: Search, signal: AbortSignal): Promise<Tally> {
    const [[sure, unsure]] = await this.#connections.all(countStatement(table, search), 1, 'long', signal) as [[string | null, string]];
    return sure === null ? this.count({ ...table, partitions: null }, search, signal) : { sure: Number(sure), unsure: Number(unsure), at: [] };
  }

  async *unsure(table: PostgresTable, search: Search, _at: Tally['at'], signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const statement = unsureStatement(table, search);
    const most = gathering(LIMITS.unsureRowsMax + 1, LIMITS.unsureBytesMax);
    for await (const batch of this.#connections.batches(statement, { haste: 'long', most }, signal)) yield (batch as [string][]).map(([json]) => json);
  }

  async values(table: PostgresTable, value: Sql, search: Search, signal: AbortSignal): Promise<Counted> {
    return await this.#connections.all(facetStatement(table, value, search), LIMITS.facetRowsMax + 1, 'long', signal) as [unknown, string][];
  }

  figures(table: PostgresTable, signal: AbortSignal): Promise<Figures> { return readFigures(this.#connections, table, signal); }
  close(): Promise<void> { return this.#connections.close(); }
}
