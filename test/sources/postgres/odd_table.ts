import assert from 'node:assert/strict';
import type { Row } from '../../../src/model/field.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import type { ForeignSource } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { rowsOf, walkedOf } from '../../contract/sources/odd_texts.ts';
import type { PostgresServer } from '../../support/servers/postgres.ts';

export const CONTACTS = vocabulary('contacts');

/** The source of a table called odd, which the definition makes anew. */
export async function withOddTable(server: PostgresServer, definition: string, columns: Record<string, string>, use: (source: ForeignSource) => Promise<void>): Promise<void> {
  await server.query(`DROP TABLE IF EXISTS odd CASCADE; ${definition}`);
  const source = openPostgres({
    vocabulary: CONTACTS,
    config: { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'public.odd', columns, compared: {}, connect_timeout_ms: 10_000 },
  });
  try {
    await use(source);
  } finally {
    await source.close();
  }
}

export async function shown(source: ForeignSource): Promise<Row[]> {
  return (await rowsOf(source)).map(({ json }) => readRow(json));
}

/** Page by page come the rows that come at once. */
export async function assertWalks(source: ForeignSource): Promise<void> {
  for (const order of ['stored', 'identity'] as const) {
    const whole = (await rowsOf(source, { order })).map(({ json }) => json);
    assert.deepEqual((await walkedOf(source, order)).map(({ json }) => json), whole, order);
  }
}
