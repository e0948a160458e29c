import { openClickhouse } from './clickhouse.ts';
import { openDuckdb } from './duckdb.ts';
import type { Peer, PeerName } from './peer.ts';
import { openSqlite } from './sqlite.ts';

/** Opens a peer over the table of `table.ts`, filled first where it never was. */
export function openPeer(name: PeerName, table: string, folder: string): Promise<Peer> {
  switch (name) {
    case 'duckdb': return openDuckdb(table, folder);
    case 'sqlite': return openSqlite(table, folder);
    case 'clickhouse': return openClickhouse(table, folder);
    default: return name satisfies never;
  }
}
