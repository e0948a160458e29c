import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ClickhouseCluster } from '../../test/support/servers/clickhouse_cluster.ts';
import { PSQL } from '../../test/support/servers/postgres.ts';
import { PostgresShards } from '../../test/support/servers/postgres_shards.ts';
import { withDuck, type ContactFiles } from '../data/contacts.ts';
import type { Opened } from './bench.ts';
import type { Figures } from './report.ts';
import { familyCpuSeconds } from './usage.ts';

/** The contacts of a bench in a table over several servers, as docs/scale-out.md has it: how the service is told of it, what it takes on disk, and its servers. */
export type Sharded = { readonly name: string; readonly source: Readonly<Record<string, unknown>>; readonly disk: readonly Figures[]; readonly shards: number; cpuSeconds(): number };

const CLICKHOUSE_SHARDS = 3;
const POSTGRES_SHARDS = 2;

/** What a row holds, in this order: all that a contact has, and what an industry is compared by. Blank where it has none. */
const TEXTS = ['full_name', 'first_name', 'last_name', 'headline', 'job_title', 'seniority', 'department', 'email', 'email_status', 'phone', 'linkedin_url', 'country', 'region', 'city', 'postal_code',
  'company_name', 'company_domain', 'company_linkedin_url', 'industry', 'company_size', 'skills'];
const COMPARED = { country: 'country', industry: 'industry_folded', seniority: 'seniority', email: 'email' };
const BYTEWISE = new Set(Object.values(COMPARED));

/** The rows that `share` says, as CSV; each row's number is its key. */
async function csvOf({ parquet, folder }: ContactFiles, share: string, path: string): Promise<void> {
  const columns = ["substr(id, 2)::BIGINT AS id", ...TEXTS, 'lower(industry) AS industry_folded', "strftime(updated_at::TIMESTAMP, '%Y-%m-%d %H:%M:%S') AS updated_at"];
  await withDuck(folder, async (connection) => {
    await connection.run(`COPY (SELECT * FROM (SELECT ${columns.join(', ')} FROM read_parquet('${parquet}')) WHERE ${share}) TO '${path}' (FORMAT csv, HEADER false)`);
  });
}

export async function clickhouseOf(files: ContactFiles, opened: Opened): Promise<Sharded> {
  const cluster = opened.keep(await ClickhouseCluster.start(CLICKHOUSE_SHARDS), (one) => one.stop());
  await cluster.create('people', `id UInt64, ${[...TEXTS, 'industry_folded'].map((column) => `${column} String`).join(', ')}, updated_at DateTime('UTC')`, '(country, id)');
  const path = join(opened.folder, 'part.csv');
  for (const [at, server] of cluster.servers.entries()) {
    await csvOf(files, `id % ${CLICKHOUSE_SHARDS} = ${at}`, path);
    const insert = new URL('/', server.url);
    [insert.username, insert.password] = ['', ''];
    insert.searchParams.set('query', 'INSERT INTO people_local FORMAT CSV');
    execFileSync('curl', ['-sS', '--fail', '-u', 'default:secret', '-X', 'POST', '-T', path, insert.href]);
    await server.query('OPTIMIZE TABLE people_local FINAL');
    rmSync(path);
  }
  const sizes = await Promise.all(cluster.servers.map(async (server) =>
    (await server.query("SELECT sum(bytes_on_disk), sum(rows), sum(data_uncompressed_bytes) FROM system.parts WHERE active AND table = 'people_local'")).split('\t').map(Number)
  ));
  const [disk, rows, plain] = [0, 1, 2].map((at) => sizes.reduce((sum, size) => sum + size[at]!, 0)) as [number, number, number];
  assertAll(rows, files);
  return {
    name: 'ClickHouse', shards: CLICKHOUSE_SHARDS, cpuSeconds: () => sum(cluster.servers.map(({ pid }) => familyCpuSeconds(pid))),
    source: { name: 'warehouse', dataset: 'contacts', kind: 'clickhouse', url: cluster.front.url, table: 'people', compared: COMPARED },
    disk: [{ name: 'ClickHouse: on disk', unit: 'bytes/row', figures: [disk / rows] }, { name: 'ClickHouse: before it is compressed', unit: 'bytes/row', figures: [plain / rows] }],
  };
}

export async function postgresOf(files: ContactFiles, opened: Opened): Promise<Sharded> {
  const shards = opened.keep(await PostgresShards.start(POSTGRES_SHARDS, ['shared_buffers=256MB', 'max_wal_size=8GB', 'maintenance_work_mem=256MB']), (one) => one.stop());
  const typed = (column: string): string => `${column} text${BYTEWISE.has(column) ? ' COLLATE "C"' : ''}`;
  const columns = `id bigint NOT NULL, ${[...TEXTS, 'industry_folded'].map(typed).join(', ')}, updated_at timestamptz`;
  await shards.create('people', columns, []);
  await shards.front.query(`CREATE UNLOGGED TABLE loaded (${columns}); ALTER DATABASE postgres SET TimeZone = 'UTC'`);
  const path = join(opened.folder, 'all.csv');
  await csvOf(files, 'TRUE', path);
  chmodSync(opened.folder, 0o755);
  execFileSync(PSQL, ['-qc', `\\copy loaded FROM '${path}' (FORMAT csv)`, shards.front.url]);
  rmSync(path);
  for (const [at, server] of shards.servers.entries()) {
    const share = `SELECT * FROM loaded WHERE satisfies_hash_partition('people'::regclass, ${POSTGRES_SHARDS}, ${at}, id) ORDER BY id`;
    execFileSync('sh', ['-c', '"$0" -qc "COPY ($1) TO STDOUT" "$2" | "$0" -qc "COPY people FROM STDIN" "$3"', PSQL, share, shards.front.url, server.url]);
    for (const on of ['country, id', 'email, id']) await server.query(`CREATE INDEX ON people (${on})`);
    await server.query('VACUUM ANALYZE people');
  }
  await shards.front.query('DROP TABLE loaded');
  await shards.front.query('ANALYZE people');
  const sizes = await Promise.all(shards.servers.map(async (server) =>
    Object.values((await server.query("SELECT count(*)::float8, pg_table_size('people')::float8, pg_indexes_size('people')::float8 FROM people"))[0]!) as number[]
  ));
  const [rows, table, indexes] = [0, 1, 2].map((at) => sum(sizes.map((size) => size[at]!))) as [number, number, number];
  assertAll(rows, files);
  return {
    name: 'PostgreSQL', shards: POSTGRES_SHARDS, cpuSeconds: () => sum([shards.front, ...shards.servers].map(({ pid }) => familyCpuSeconds(pid))),
    source: { name: 'registry', dataset: 'contacts', kind: 'postgres', url: shards.front.url, table: 'public.people', compared: COMPARED },
    disk: [{ name: 'PostgreSQL: table', unit: 'bytes/row', figures: [table / rows] }, { name: 'PostgreSQL: its three indexes', unit: 'bytes/row', figures: [indexes / rows] }],
  };
}

function assertAll(rows: number, files: ContactFiles): void {
  if (rows !== files.rows) throw new Error(`${rows} rows came of ${files.rows}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
