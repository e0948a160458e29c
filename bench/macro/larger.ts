import { deepStrictEqual } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { contactFiles } from '../data/contacts.ts';
import { ask } from '../support/agreement.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { download } from '../support/curl.ts';
import { lakeOf, startService, type BenchLake, type Service } from '../support/lake.ts';
import { memoryGroup, type MemoryGroup } from '../support/memory_group.ts';
import type { Figures, Report } from '../support/report.ts';
import { findSearches, sampleOf, type Search } from '../support/searches.ts';
import { ownBytes } from '../support/usage.ts';

const SEARCHES = 3_000;
const SEARCHES_SEED = 19;
const MIB = 1_048_576;
/** What the service takes without any data, and some room. A lake that is not twice of it says so in the table. */
const ALLOWED_MIN = 400 * MIB;

type Answer = { readonly ids: readonly string[]; readonly total: number };
type Served = {
  readonly answers: readonly Answer[]; readonly askedMs: readonly number[];
  /** Checksum and bytes of all rows. */
  readonly streamed: string; readonly streamedPerSecond: number; readonly ownMib: number;
};

/**
 * The same searches and the stream of everything, first with all the machine's memory and then with half of what the files of the lake
 * take, page cache included: the answers must be the same, and the kernel, which ends a process that needs more, must have no cause to.
 */
export const largerBench: Bench = {
  summary: 'a lake of twice the memory that the service is allowed: the same answers, and what they cost',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const files = await contactFiles(options);
  const lake = await lakeOf(files);
  const searches = findSearches(await sampleOf(lake.truth, files.folder), Math.min(options.smoke ? 20 : SEARCHES, options.searches), SEARCHES_SEED);
  const served = lake.files.flatMap(({ index, rows }) => [index, rows]);
  const lakeBytes = served.reduce((sum, path) => sum + statSync(path).size, 0);
  const allowed = Math.max(ALLOWED_MIN, Math.floor(lakeBytes / 2));

  const free = await serve(lake, searches, null);
  // What is in the cache belongs to whoever read it first, and would cost the service nothing.
  for (const path of served) spawnSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
  const group = memoryGroup(allowed);
  if (group === null) throw new Error('the memory of a process cannot be limited here: run as root, outside of a container or in one that may make cgroups');
  opened.keep(group, (one) => one.close());
  const bound = await serve(lake, searches, group);
  deepStrictEqual(bound.answers, free.answers, 'the answers are the same');
  deepStrictEqual(bound.streamed, free.streamed, 'and so is the stream of everything');

  const one = (name: string, unit: string, figure: number): Figures => ({ name, unit, figures: [figure] });
  return {
    rounds: 1,
    figures: [
      one('rows and indexes', 'MiB', lakeBytes / MIB), one('allowed to the service, page cache included', 'MiB', allowed / MIB), one('rows and indexes / allowed', 'times', lakeBytes / allowed),
      one('taken at most', 'MiB', group.peakBytes() / MIB), one('of which no file backs, after all', 'MiB', bound.ownMib), one('times that pages were taken back at the bound', '', group.metBound()),
      { name: 'page, all memory', unit: 'ms', figures: free.askedMs }, { name: 'page, bound', unit: 'ms', figures: bound.askedMs },
      one('99 of 100 pages within, all memory', 'ms', percentile(free.askedMs, 0.99)), one('99 of 100 pages within, bound', 'ms', percentile(bound.askedMs, 0.99)),
      one('stream of everything, all memory', 'MiB/s', free.streamedPerSecond / MIB), one('stream of everything, bound', 'MiB/s', bound.streamedPerSecond / MIB),
    ],
    notes: [`${searches.length} searches one at a time, all answered alike; the spread of a page is over them`],
  };
}

async function serve(lake: BenchLake, searches: readonly Search[], group: MemoryGroup | null): Promise<Served> {
  const service = await startService(lake, {}, group);
  try {
    return { ...await askAll(service, searches), ...streamAll(service), ownMib: ownBytes(service.pid) / MIB };
  } finally {
    await service.stop();
  }
}

async function askAll(service: Service, searches: readonly Search[]): Promise<Pick<Served, 'answers' | 'askedMs'>> {
  const answers: Answer[] = [];
  const askedMs: number[] = [];
  for (const search of searches) {
    const begunMs = performance.now();
    const { found } = await ask(service, search);
    askedMs.push(performance.now() - begunMs);
    answers.push({ ids: found.results.map(({ id }) => id), total: found.total });
  }
  return { answers, askedMs };
}

function streamAll({ find, pid, key }: Service): Pick<Served, 'streamed' | 'streamedPerSecond'> {
  const lines = spawnSync('sh', ['-c', `curl -sS --fail -H "authorization: Bearer $KEY" -H "accept: application/x-ndjson" --data-binary '{"type":"contacts"}' "$URL" | grep -v '^{"@' | cksum`], { env: { ...process.env, KEY: key, URL: find }, encoding: 'utf8' });
  const { bytesPerSecond } = download(find, pid, ['-H', `authorization: Bearer ${key}`, '-H', 'accept: application/x-ndjson', '--data-binary', '{"type":"contacts"}']);
  return { streamed: lines.stdout.trim(), streamedPerSecond: bytesPerSecond };
}

function percentile(figures: readonly number[], share: number): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length * share)]!;
}
