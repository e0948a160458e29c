import { contactFiles } from '../data/contacts.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { download } from '../support/curl.ts';
import { lakeOf, startService, type BenchLake, type Service } from '../support/lake.ts';
import { ratio, type Report } from '../support/report.ts';
import { findSearches, sampleOf } from '../support/searches.ts';
import { ownBytes } from '../support/usage.ts';
import { load, postScript } from '../support/wrk.ts';

const SMALLER = 10;
/** One at a time: the time of a page, not of a queue. */
const CONNECTIONS = 1;
const SEARCHES_SEED = 17;
const STREAM = JSON.stringify({ type: 'contacts', filters: { country: ['US'], has_email: ['true'] } });
const MIB = 1_048_576;

type Lake = { readonly lake: BenchLake; readonly service: Service; readonly script: string };
type Measured = { readonly p50Ms: number; readonly streamed: number };

/** The same work on a tenth of the rows. */
export const growthBench: Bench = {
  summary: 'page p50, stream speed and memory of all rows against a tenth of them',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const small = await open({ ...options, rows: Math.floor(options.rows / SMALLER) }, opened);
  const large = await open(options, opened);
  if (!options.smoke) for (const one of [small, large]) measure(one, { ...options, seconds: 1 });
  const rounds = Array.from({ length: options.rounds }, () => ({ small: measure(small, options), large: measure(large, options) }));
  const of = (which: 'small' | 'large', read: (one: Measured) => number): number[] => rounds.map((round) => read(round[which]));
  const memory = [small, large].map(({ service }) => ownBytes(service.pid) / MIB);
  return {
    figures: [
      { name: 'page p50, a tenth', unit: 'ms', figures: of('small', ({ p50Ms }) => p50Ms) }, { name: 'page p50, all', unit: 'ms', figures: of('large', ({ p50Ms }) => p50Ms) },
      ratio('page p50, all / a tenth', of('large', ({ p50Ms }) => p50Ms), of('small', ({ p50Ms }) => p50Ms)),
      { name: 'stream, a tenth', unit: 'MiB/s', figures: of('small', ({ streamed }) => streamed / MIB) },
      { name: 'stream, all', unit: 'MiB/s', figures: of('large', ({ streamed }) => streamed / MIB) },
      ratio('stream, all / a tenth', of('large', ({ streamed }) => streamed), of('small', ({ streamed }) => streamed)),
      { name: 'memory of the process, a tenth', unit: 'MiB', figures: [memory[0]!] }, { name: 'memory of the process, all', unit: 'MiB', figures: [memory[1]!] },
    ],
    notes: [],
  };
}

async function open(options: BenchOptions, opened: Opened): Promise<Lake> {
  const files = await contactFiles(options);
  const lake = await lakeOf(files);
  const service = opened.keep(await startService(lake), (one) => one.stop());
  const searches = findSearches(await sampleOf(lake.truth, files.folder), Math.min(20_000, options.searches), SEARCHES_SEED);
  const script = postScript({
    folder: opened.folder, name: `growth-${options.rows}`, bodies: searches.map((search) => JSON.stringify(search)), headers: { authorization: `Bearer ${lake.key}` }, smoke: options.smoke,
  });
  return { lake, service, script };
}

function measure({ lake, service, script }: Lake, { seconds }: BenchOptions): Measured {
  const { p50Ms } = load({ url: service.find, pid: service.pid, connections: CONNECTIONS, seconds, script });
  const args = ['-H', `authorization: Bearer ${lake.key}`, '-H', 'accept: application/x-ndjson', '--data-binary', STREAM];
  return { p50Ms, streamed: download(service.find, service.pid, args).bytesPerSecond };
}
