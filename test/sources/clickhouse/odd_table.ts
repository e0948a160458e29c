import { vocabulary, type ExtraField } from '../../../src/model/vocabulary.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import type { ForeignSource } from '../../../src/sources/source.ts';

export type Server = { readonly url: string; query(statement: string): unknown; stop(): Promise<void> };

type OddTable = { readonly dataset: 'contacts' | 'companies'; readonly columns: string; readonly rows: string; readonly mapped: Record<string, string>; readonly extras?: readonly ExtraField[] };

type Read = Pick<OddTable, 'dataset' | 'mapped' | 'extras'> & { readonly table: string };

export function openOdd({ url }: Server, { dataset, mapped, extras = [], table }: Read): ForeignSource {
  return openClickhouse({
    vocabulary: vocabulary(dataset, extras),
    config: { name: 'odd', dataset, kind: 'clickhouse', url, table: `default.${table}`, columns: mapped, compared: {}, connect_timeout_ms: 10_000 },
  });
}

/** A source called `odd` over a table of that name, which is made anew. */
export async function withOddTable(server: Server, odd: OddTable, use: (source: ForeignSource) => Promise<void>): Promise<void> {
  await server.query('DROP TABLE IF EXISTS odd');
  await server.query(`CREATE TABLE odd (${odd.columns}) ENGINE = MergeTree ORDER BY tuple()`);
  await server.query(`INSERT INTO odd ${odd.rows}`);
  const source = openOdd(server, { ...odd, table: 'odd' });
  try {
    await use(source);
  } finally {
    await source.close();
  }
}
