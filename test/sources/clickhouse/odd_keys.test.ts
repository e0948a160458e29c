import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ForeignSource } from '../../../src/sources/source.ts';
import { rowsOf, walkedOf } from '../../contract/sources/odd_texts.ts';
import { ChdbServer } from '../../support/servers/chdb.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { withOddTable, type Server } from './odd_table.ts';

async function assertWalks(source: ForeignSource): Promise<void> {
  for (const order of ['stored', 'identity'] as const) {
    const [whole, walked] = [await rowsOf(source, { order }), await walkedOf(source, order)].map((rows) => rows.map(({ json }) => json.toString()));
    assert.deepEqual(walked, whole, order);
  }
}

function oddKeys(start: () => Promise<Server>): void {
  let server: Server;
  before(async () => { server = await start(); }, { timeout: 180_000 });
  after(() => server.stop());

  const withTable = (columns: string, rows: string, mapped: Record<string, string>, use: (source: ForeignSource) => Promise<void>): Promise<void> =>
    withOddTable(server, { dataset: 'companies', columns, rows, mapped }, use);

  it('walks rows whose keys differ in a NUL at their ends', { timeout: 30_000 }, async () => {
    const rows = "SELECT number, arrayElement(['a', 'a\\0', 'a\\0b', 'a\\0\\0', 'aa', '\\0', '\\0\\0'], number % 7 + 1), 'Ulm' FROM (SELECT number FROM system.numbers LIMIT 21)";
    const mappings: readonly Record<string, string>[] = [{ id: 'key', domain: 'text' }, { id: 'text' }];
    for (const mapped of mappings) await withTable('key UInt32, text String, city String', rows, mapped, assertWalks);
  });
}

describe('odd keys of clickhouse', { skip: NO_CLICKHOUSE }, () => oddKeys(() => ClickhouseServer.start()));
describe('odd keys of clickhouse 26', () => oddKeys(() => ChdbServer.start()));
