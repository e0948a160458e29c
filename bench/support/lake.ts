import { freePort } from '../../test/support/ports.ts';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { lakeDir, segmentFiles, type SegmentFiles } from '../../src/sources/lake/paths.ts';
import type { RowStorage } from '../../src/sources/lake/row_storage.ts';
import { withDuck, type ContactFiles } from '../data/contacts.ts';
import type { MemoryGroup } from './memory_group.ts';
import { capture, startScript, type Running } from './processes.ts';

export const MAIN = join(import.meta.dirname, '../../src/main.js');
const SRC = join(import.meta.dirname, '../../src');
export const SOURCE = 'bench';
/** Rooms whose code decides what a lake on disk looks like. */
const MAKERS = ['ingest', 'segment', 'sources', 'model', 'lib'];

export type BenchLake = {
  readonly dataDir: string;
  readonly key: string;
  /** The Parquet of all segments, as a pattern: the names stand in serving order. */
  readonly truth: string;
  readonly files: readonly SegmentFiles[];
};
export type Service = Running & { readonly find: string; readonly key: string };

/** The contacts as a lake, ingested as a user would, and kept until the code that makes lakes changes. */
export async function lakeOf(files: ContactFiles, rows: RowStorage = 'balanced'): Promise<BenchLake> {
  const dataDir = madeOnce(files, rows, (dir) => { ingest(dir, files.parquet, SOURCE, rows); });
  return { dataDir, key: keyOf(dataDir), ...await filesOf(dataDir) };
}

/** The same contacts, and every second one once more in a source of its own, under another id; a third of those lack their phone number there. */
export async function lakeOfTwoSources(files: ContactFiles): Promise<Pick<BenchLake, 'dataDir' | 'key'>> {
  const others = join(files.folder, 'others.parquet');
  if (!existsSync(others)) await writeOthers(files, others);
  const dataDir = madeOnce(files, 'two', (dir) => {
    ingest(dir, files.parquet, SOURCE);
    ingest(dir, others, 'others');
  });
  return { dataDir, key: keyOf(dataDir) };
}

async function writeOthers({ folder, parquet }: ContactFiles, path: string): Promise<void> {
  await withDuck(folder, async (connection) => {
    await connection.run(`COPY (
      SELECT * EXCLUDE (number) REPLACE ('other-' || id AS id, CASE WHEN number % 3 = 0 THEN NULL ELSE phone END AS phone)
      FROM (SELECT *, CAST(substr(id, 2) AS BIGINT) // 2 AS number FROM read_parquet('${parquet}') WHERE CAST(substr(id, 2) AS BIGINT) % 2 = 0)
    ) TO '${path}.part' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`);
  });
  renameSync(`${path}.part`, path);
}

/** The data folder of a lake that is made anew when the code that makes lakes has changed. */
function madeOnce({ folder }: ContactFiles, name: string, make: (dataDir: string) => void): string {
  const dataDir = join(folder, `data-${name}`);
  const kept = `lake-${name}-`;
  const stamp = join(folder, `${kept}${makersHash()}`);
  if (existsSync(stamp)) return dataDir;
  for (const one of readdirSync(folder)) if (one.startsWith(kept)) rmSync(join(folder, one));
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  make(dataDir);
  writeFileSync(stamp, '');
  return dataDir;
}

function ingest(dataDir: string, file: string, source: string, rows: RowStorage = 'balanced'): void {
  capture(MAIN, ['ingest', file, '--dataset', 'contacts', '--source', source, '--mode', 'replace', '--rows', rows, '--json'], { LDS_DATA_DIR: dataDir });
}

/** Made for the first bench over the data, and kept beside it. */
export function keyOf(dataDir: string): string {
  const file = join(dataDir, 'bench.key');
  if (!existsSync(file)) writeFileSync(file, capture(MAIN, ['keys', 'create', '--account', 'bench@localhost', '--plan', 'unlimited'], { LDS_DATA_DIR: dataDir }), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

async function filesOf(dataDir: string): Promise<Pick<BenchLake, 'truth' | 'files'>> {
  const dir = lakeDir(dataDir, 'contacts', SOURCE);
  const current = await readCurrent(dir);
  if (current === null || current.snapshot !== 1) throw new Error('the lake of a bench is one snapshot, of which all its files are');
  return { truth: segmentFiles(dir, '*').truth, files: current.segments.map(({ id }) => segmentFiles(dir, id)) };
}

/** The service over a lake, ready to answer, as it is by default but for what `settings` of the configuration file say. */
export async function startService(lake: Pick<BenchLake, 'dataDir' | 'key'>, settings: Readonly<Record<string, unknown>> = {}, group: MemoryGroup | null = null): Promise<Service> {
  const port = await freePort();
  const config = join(lake.dataDir, `bench-${port}.yaml`);
  writeFileSync(config, `${JSON.stringify({ demo: false, ...settings })}\n`);
  const running = await startScript(MAIN, ['serve'], { LDS_DATA_DIR: lake.dataDir, LDS_PORT: String(port), LDS_CONFIG: config }, `http://127.0.0.1:${port}/health`, group);
  rmSync(config);
  return { ...running, find: `http://127.0.0.1:${port}/v1/find`, key: lake.key };
}

function makersHash(): string {
  const hash = createHash('sha256');
  for (const room of MAKERS) {
    for (const file of readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' }).sort()) {
      if (file.endsWith('.js')) hash.update(readFileSync(join(SRC, room, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
