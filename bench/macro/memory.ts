import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { contactFiles } from '../data/contacts.ts';
import { ask } from '../support/agreement.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { keyOf, lakeOf, startService, type BenchLake } from '../support/lake.ts';
import type { Figures, Report } from '../support/report.ts';
import { findSearches, sampleOf, type Search } from '../support/searches.ts';
import { ownBytes } from '../support/usage.ts';

const SEARCHES = 2_000;
const SEARCHES_SEED = 13;
/** Until garbage of the start is collected. */
const SETTLED_MS = 2_000;

/** How lakes are kept: as by default, and where files are not mapped. */
const SETTINGS = [['files mapped, the default', {}], ['indexes in memory, rows on disk', { map_files: false, rows_memory_mb: 0 }]] as const;

/**
 * `RssAnon` + `RssShmem` of the service's process after some searches, less those of a service without data after its start. Pages of
 * files, which the kernel takes back when it needs them, are not in it.
 */
export const memoryBench: Bench = {
  summary: 'resident memory a row beyond the page cache, after searches, less what a service without data takes',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const files = await contactFiles(options);
  const lake = await lakeOf(files);
  const searches = findSearches(await sampleOf(lake.truth, files.folder), Math.min(options.smoke ? 20 : SEARCHES, options.searches), SEARCHES_SEED);
  const empty = join(opened.folder, 'empty');
  mkdirSync(empty);
  const none = { dataDir: empty, key: keyOf(empty) };
  const settledMs = options.smoke ? 0 : SETTLED_MS;
  const figures: Figures[] = [];
  for (const [name, settings] of SETTINGS) {
    const rounds: number[] = [];
    for (let round = 0; round < options.rounds; round += 1) rounds.push((await residentBytes(lake, settings, searches, settledMs) - await residentBytes(none, settings, [], settledMs)) / options.rows);
    figures.push({ name, unit: 'bytes/row', figures: rounds });
  }
  return { figures, notes: [`after ${searches.length} searches`] };
}

async function residentBytes(lake: Pick<BenchLake, 'dataDir' | 'key'>, settings: Readonly<Record<string, unknown>>, searches: readonly Search[], settledMs: number): Promise<number> {
  const service = await startService(lake, settings);
  try {
    for (const search of searches) await ask(service, search);
    await new Promise((resolve) => { setTimeout(resolve, settledMs); });
    return ownBytes(service.pid);
  } finally {
    await service.stop();
  }
}
