import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { contactFiles } from '../data/contacts.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { MAIN, SOURCE } from '../support/lake.ts';
import { capture } from '../support/processes.ts';
import { ratio, type Figures, type Report } from '../support/report.ts';
import { timed, type Timed } from '../support/timed.ts';
import { FIELDS } from '../../src/model/field.ts';

const SORTING = join(import.meta.dirname, '../processes/sort_with_duckdb.js');
const FORMATS = ['parquet', 'csv'] as const;

/** Files to a published lake, a process each time, as users run it. */
export const ingestBench: Bench = {
  summary: 'files to a published lake, from Parquet and from CSV: against DuckDB reading, sorting and writing Parquet of the same columns',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const files = await contactFiles(options);
  const figures: Figures[] = [];
  for (const format of FORMATS) {
    const rounds = Array.from({ length: options.rounds }, () => ({ lake: ingest(files[format], opened.folder), duckdb: sortWithDuckdb(files[format], opened.folder) }));
    const seconds = (who: 'lake' | 'duckdb'): number[] => rounds.map((round) => round[who].seconds);
    const cpuSeconds = (who: 'lake' | 'duckdb'): number[] => rounds.map((round) => round[who].cpuSeconds);
    figures.push(
      { name: `${format}: lake`, unit: 's', figures: seconds('lake') },
      { name: `${format}: lake, processor time`, unit: 's', figures: cpuSeconds('lake') },
      { name: `${format}: DuckDB`, unit: 's', figures: seconds('duckdb') },
      { name: `${format}: DuckDB, processor time`, unit: 's', figures: cpuSeconds('duckdb') },
      ratio(`${format}: lake / DuckDB, time`, seconds('lake'), seconds('duckdb')),
      ratio(`${format}: lake / DuckDB, processor time`, cpuSeconds('lake'), cpuSeconds('duckdb')),
    );
  }
  const notes = FORMATS.map((format) => `${format}: ${(statSync(files[format]).size / 1_048_576).toFixed(0)} MiB`);
  return { figures, notes: [notes.join(', ')] };
}

function ingest(file: string, folder: string): Timed {
  const dataDir = join(folder, 'data');
  try {
    return timed(() => capture(MAIN, ['ingest', file, '--dataset', 'contacts', '--source', SOURCE, '--json'], { LDS_DATA_DIR: dataDir }));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function sortWithDuckdb(file: string, folder: string): Timed {
  const columns = FIELDS.contacts.map(({ name }) => name).filter((name) => name !== 'source' && name !== 'sources');
  return timed(() => capture(SORTING, [file, join(folder, 'sorted.parquet'), columns.join()], {}));
}
