import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import type { ForeignSource } from '../../../src/sources/source.ts';

export type Server = { readonly url: string; query(statement: string): unknown; stop(): Promise<void> };

type OddTable = { readonly dataset: 'contacts' | 'companies'; readonly columns: string; readonly rows: string; readonly mapped: Record<string, string> };

/** A source called `odd` over a table of that name, which is made anew. */
export async function withOddTable(server: Server, { dataset, columns, rows, mapped }: OddTable, use: (source: ForeignSource) => Promise<void>): Promise<void> {
  await server.query('DROP TABLE IF EXISTS odd');
  await server.query(`CREATE TABLE odd (${columns}) ENGINE = MergeTree ORDER BY tuple()`);
  await server.query(`INSERT INTO odd ${rows}`);
  const source = openClickhouse({
    vocabulary: vocabulary(dataset),
    config: { name: 'odd', dataset, kind: 'clickhouse', url: server.url, table: 'default.odd', columns: mapped, compared: {}, connect_timeout_ms: 10_000 },
  });
  try {
    await use(source);
  } finally {
    await source.close();
  }
}
