import { existsSync, rmSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from 'chdb';
import type { Search } from '../support/searches.ts';
import { conditionsOf, partOfText, type Conditions, type Peer, type PeerAnswer } from './peer.ts';

/** Half a gigabyte of engine: loaded by who asks for it, and never by accident. */
export async function openSession(path: string): Promise<Session> {
  try {
    const { Session: Opened } = await import('chdb');
    return new Opened(path);
  } catch (error) {
    throw new Error('the peer clickhouse needs the package chdb, an engine for Linux and macOS: npm install chdb@3.4.0', { cause: error });
  }
}

/** ClickHouse in process, its table by country as the lake is: it reads no other, and in order. */
export async function openClickhouse(table: string, folder: string): Promise<Peer> {
  const path = join(folder, 'peer.clickhouse');
  if (!existsSync(path)) {
    rmSync(`${path}.part`, { recursive: true, force: true });
    const session = await openSession(`${path}.part`);
    session.query('CREATE DATABASE bench ENGINE = Atomic');
    session.query(`CREATE TABLE bench.contacts (n UInt32, country LowCardinality(String), industry LowCardinality(Nullable(String)), seniority LowCardinality(Nullable(String)),
      company_size LowCardinality(Nullable(String)), has_email Bool, row String, words String) ENGINE = MergeTree ORDER BY (country, n)`);
    session.query(`INSERT INTO bench.contacts SELECT n, ifNull(country, '~'), industry, seniority, company_size, has_email, row, words FROM file('${table}', Parquet)`);
    session.query('OPTIMIZE TABLE bench.contacts FINAL');
    session.close();
    renameSync(`${path}.part`, path);
  }
  return new ClickhousePeer(await openSession(path));
}

class ClickhousePeer implements Peer {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async find(search: Search): Promise<PeerAnswer> {
    if (search.facets !== undefined) throw new Error('facets are not asked of ClickHouse');
    const { where, values } = whereOf(conditionsOf(search));
    const rows = await this.#run(`SELECT row FROM bench.contacts WHERE ${where} ORDER BY country, n LIMIT ${search.limit}`, values);
    const [counted] = await this.#run(`SELECT count() AS total FROM bench.contacts WHERE ${where}`, values);
    return { total: Number(counted!['total']), rows: rows.map(({ row }) => row as string), facets: null };
  }

  close(): void {
    this.#session.close();
  }

  async #run(sql: string, values: Readonly<Record<string, string>>): Promise<readonly Record<string, unknown>[]> {
    const result = await this.#session.queryBindAsync(sql, values, { format: 'JSONEachRow' });
    const text = result.text();
    return text === '' ? [] : text.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

function whereOf({ columns, hasEmail, terms }: Conditions): { where: string; values: Record<string, string> } {
  const values: Record<string, string> = {};
  const bind = (value: string): string => {
    const name = `v${Object.keys(values).length}`;
    values[name] = value;
    return `{${name}:String}`;
  };
  const parts = columns.map(({ column, values: wanted }) => `${column} IN (${wanted.map(bind).join(', ')})`);
  if (hasEmail) parts.push('has_email');
  parts.push(...terms.map((term) => `position(words, ${bind(partOfText(term))}) > 0`));
  return { where: parts.join(' AND '), values };
}
