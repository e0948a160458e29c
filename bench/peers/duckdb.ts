import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection, type DuckDBPreparedStatement } from '@duckdb/node-api';
import { withDuck } from '../data/contacts.ts';
import type { Search } from '../support/searches.ts';
import { conditionsOf, FACET_VALUES, partOfText, type Conditions, type Facets, type Peer, type PeerAnswer } from './peer.ts';

/** DuckDB with a table of its own, in the order of the file, by country as the lake is, so that its zone maps skip what is not asked for. */
export async function openDuckdb(table: string, folder: string): Promise<Peer> {
  const path = join(folder, 'peer.duckdb');
  if (!existsSync(path)) {
    await withDuck(folder, async (connection) => {
      await connection.run(`CREATE TABLE contacts AS SELECT * FROM read_parquet('${table}')`);
    }, `${path}.part`);
    renameSync(`${path}.part`, path);
  }
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  return new DuckdbPeer(instance, await instance.connect());
}

class DuckdbPeer implements Peer {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #prepared = new Map<string, Promise<DuckDBPreparedStatement>>();
  /** A prepared statement holds its values: one search at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  find(search: Search): Promise<PeerAnswer> {
    const answer = this.#turn.then(() => this.#find(search));
    this.#turn = answer.catch(() => null);
    return answer;
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async #find(search: Search): Promise<PeerAnswer> {
    const conditions = conditionsOf(search);
    const where = whereSql(conditions);
    const rows = search.limit === 0 ? [] : await this.#run(`SELECT row FROM contacts WHERE ${where} LIMIT ${search.limit}`, conditions);
    const facets = search.facets === undefined ? null : await this.#facets(search.facets, where, conditions);
    const [counted] = await this.#run(`SELECT count(*) FROM contacts WHERE ${where}`, conditions);
    return { total: Number(counted![0]), rows: rows.map(([row]) => row as string), facets };
  }

  /** All facets in one scan. */
  async #facets(names: readonly string[], where: string, conditions: Conditions): Promise<Facets> {
    const found = await this.#run(
      `SELECT grouping(${names.join(', ')}), ${names.join(', ')}, count(*) FROM contacts
      WHERE ${where} GROUP BY GROUPING SETS (${names.map((name) => `(${name})`).join(', ')})`,
      conditions,
    );
    return Object.fromEntries(names.map((name, at) => {
      // A facet's own bit of the grouping is the one that is not set.
      const bit = 1 << (names.length - 1 - at);
      const own = found.filter(([grouping]) => (Number(grouping) & bit) === 0).map((row) => ({ value: row[at + 1] as string | null, count: Number(row.at(-1)) }));
      const known = own.filter((one): one is { value: string; count: number } => one.value !== null);
      return [name, known.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, FACET_VALUES)];
    }));
  }

  async #run(sql: string, { columns, terms }: Conditions): Promise<readonly (readonly unknown[])[]> {
    if (!this.#prepared.has(sql)) this.#prepared.set(sql, this.#connection.prepare(sql));
    const statement = await this.#prepared.get(sql)!;
    [...columns.flatMap(({ values }) => values), ...terms.map(partOfText)].forEach((value, at) => statement.bindVarchar(at + 1, value));
    return (await statement.runAndReadAll()).getRows();
  }
}

/** Alternatives, for a long `IN` becomes a join, which is slower and gives up the order of the rows. */
function whereSql({ columns, hasEmail, terms }: Conditions): string {
  const parts = columns.map(({ column, values }) => `(${values.map(() => `${column} = ?`).join(' OR ')})`);
  if (hasEmail) parts.push('has_email');
  parts.push(...terms.map(() => 'contains(words, ?)'));
  return parts.join(' AND ');
}
