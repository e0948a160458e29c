import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { retire } from '../../src/store/sqlite/retired.ts';
import { withDuck } from '../data/contacts.ts';
import type { Search } from '../support/searches.ts';
import { conditionsOf, type Conditions, type Peer, type PeerAnswer } from './peer.ts';

const CACHE_KIB = 1_048_576;
const MAPPED_BYTES = 16 * 1_073_741_824;

/** SQLite with the indexes that answer these searches by themselves, and FTS5 over the words. */
export async function openSqlite(table: string, folder: string): Promise<Peer> {
  const path = join(folder, 'peer.sqlite');
  if (!existsSync(path)) await fill(`${path}.part`, path, table, folder);
  const database = new Database(path, { readonly: true });
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA mmap_size = ${MAPPED_BYTES}`);
  return new SqlitePeer(database);
}

async function fill(part: string, path: string, table: string, folder: string): Promise<void> {
  rmSync(part, { force: true });
  const database = new Database(part);
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  database.exec('CREATE TABLE contacts (n INTEGER PRIMARY KEY, country TEXT, industry TEXT, seniority TEXT, has_email INTEGER, row TEXT)');
  database.exec("CREATE VIRTUAL TABLE texts USING fts5(country, words, content = '', detail = full)");
  const contact = database.prepare('INSERT INTO contacts VALUES (?, ?, ?, ?, ?, ?)');
  const text = database.prepare('INSERT INTO texts (rowid, country, words) VALUES (?, ?, ?)');
  await withDuck(folder, async (connection) => {
    const result = await connection.stream(`SELECT n::INTEGER, country, industry, seniority, has_email::INTEGER, row, words FROM read_parquet('${table}')`);
    database.exec('BEGIN');
    for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      for (const [n, country, industry, seniority, hasEmail, row, words] of chunk.getRows()) {
        contact.run(n, country, industry, seniority, hasEmail, row);
        text.run(n, country, words);
      }
    }
    database.exec('COMMIT');
  });
  for (const column of ['industry', 'seniority']) database.exec(`CREATE INDEX by_${column} ON contacts (country, ${column}, has_email, n)`);
  database.exec('CREATE INDEX by_both ON contacts (country, seniority, industry, has_email, n)');
  database.exec("INSERT INTO texts (texts) VALUES ('optimize')");
  database.exec('ANALYZE');
  retire(database, contact, text);
  database.close();
  renameSync(part, path);
}

class SqlitePeer implements Peer {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Database.Statement<unknown[]>>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  async find(search: Search): Promise<PeerAnswer> {
    if (search.facets !== undefined) throw new Error('facets are not asked of SQLite');
    const { key, sql, values } = fromWhere(conditionsOf(search));
    // The index alone tells which rows: only those of the page are fetched.
    const rows = this.#statement(`SELECT row FROM contacts WHERE n IN (SELECT ${key} ${sql} ORDER BY ${key} LIMIT ${search.limit}) ORDER BY n`).all(...values) as string[];
    const total = this.#statement(`SELECT count(*) ${sql}`).get(...values) as number;
    return { total, rows, facets: null };
  }

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): Database.Statement<unknown[]> {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare<unknown[]>(sql).pluck();
    this.#prepared.set(sql, made);
    return made;
  }
}

/** A search with words is answered by the full-text index alone, which holds the country too. */
function fromWhere(conditions: Conditions): { key: string; sql: string; values: unknown[] } {
  const { columns, hasEmail, terms } = conditions;
  if (terms.length > 0) return { key: 'rowid', sql: 'FROM texts WHERE texts MATCH ?', values: [matchText(conditions)] };
  const parts = columns.map(({ column, values }) => `${column} IN (${values.map(() => '?').join(', ')})`);
  if (hasEmail) parts.push('has_email = 1');
  return { key: 'n', sql: `FROM contacts WHERE ${parts.join(' AND ')}`, values: columns.flatMap(({ values }) => values) };
}

function matchText({ columns, hasEmail, terms }: Conditions): string {
  if (hasEmail || columns.some(({ column }) => column !== 'country')) throw new Error('words are asked of SQLite in a country alone');
  const countries = columns.flatMap(({ values }) => values).map((country) => `"${country}"`);
  const texts = terms.map(({ kind, words }) => `words : "${words.join(' ')}"${kind === 'prefix' ? ' *' : ''}`);
  return [`country : (${countries.join(' OR ')})`, ...texts].join(' AND ');
}
