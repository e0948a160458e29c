import { contactFiles } from '../data/contacts.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { download } from '../support/curl.ts';
import { lakeOf, lakeOfTwoSources, startService, type Service } from '../support/lake.ts';
import { ratio, type Figures, type Report } from '../support/report.ts';
import { findSearches, sampleOf, wideSearches, wideTextSearches, type Search } from '../support/searches.ts';
import { load, postScript } from '../support/wrk.ts';

const CONNECTIONS = 32;
const SEARCHES_SEED = 19;
const SEARCHES_MAX = 20_000;
/** Before the first round: code of a service that has just begun is still to be compiled. */
const WARM_SECONDS = 4;
const STREAM = JSON.stringify({ type: 'contacts', filters: { country: ['US'], has_email: ['true'] }, dedupe: true });
const MIB = 1_048_576;

/** What it costs that rows of one person in two sources are to be told, filled and given once. */
export const sourcesBench: Bench = {
  summary: 'contacts in two sources, of which half are in both, given once each: against the same contacts in one',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const files = await contactFiles(options);
  const lake = await lakeOf(files);
  const one = opened.keep(await startService(lake), (service) => service.stop());
  const two = opened.keep(await startService(await lakeOfTwoSources(files)), (service) => service.stop());
  const sample = await sampleOf(lake.truth, files.folder);
  const count = Math.min(SEARCHES_MAX, options.searches);
  const kinds = [
    { name: 'a country, industries or levels, an email address', searches: findSearches(sample, count, SEARCHES_SEED) },
    { name: 'a level and an industry, all countries', searches: wideSearches(sample, count, SEARCHES_SEED) },
    { name: 'a word in an industry, all countries', searches: wideTextSearches(sample, count, SEARCHES_SEED) },
  ];
  const figures = kinds.flatMap((kind, at) => findsOf(kind, [one, two], { ...options, folder: opened.folder, script: `sources-${at}` }));
  return { figures: [...figures, ...streamed([one, two], options)], notes: [] };
}

type Kind = { readonly name: string; readonly searches: readonly Search[] };
type Finding = BenchOptions & { readonly folder: string; readonly script: string };

function findsOf({ name, searches }: Kind, services: readonly Service[], { rounds, seconds, smoke, folder, script }: Finding): Figures[] {
  const bodies = searches.map((search) => JSON.stringify(search));
  const targets = services.map(({ find, pid, key }, at) => ({
    url: find, pid, connections: CONNECTIONS, script: postScript({ folder, name: `${script}-${at}`, bodies, headers: { authorization: `Bearer ${key}` }, smoke }),
  }));
  if (!smoke) for (const target of targets) load({ ...target, seconds: WARM_SECONDS });
  const measured = Array.from({ length: rounds }, () => targets.map((target) => load({ ...target, seconds })));
  const perSecond = (at: number): number[] => measured.map((round) => round[at]!.requestsPerSecond);
  const cpu = (at: number): number[] => measured.map((round) => round[at]!.cpuUsPerRequest);
  return [
    { name: `${name}: one source`, unit: 'requests/s', figures: perSecond(0) },
    { name: `${name}: two`, unit: 'requests/s', figures: perSecond(1) },
    ratio(`${name}: two / one`, perSecond(1), perSecond(0)),
    ratio(`${name}: two / one, processor time of server and load`, cpu(1), cpu(0)),
  ];
}

function streamed(services: readonly Service[], { rounds }: BenchOptions): Figures[] {
  const measured = Array.from({ length: rounds }, () => services.map(({ find, pid, key }) => {
    const args = ['-H', `authorization: Bearer ${key}`, '-H', 'accept: application/x-ndjson', '--data-binary', STREAM];
    return download(find, pid, args).bytesPerSecond;
  }));
  const of = (at: number): number[] => measured.map((round) => round[at]!);
  return [
    { name: 'stream of the US with an email address: two', unit: 'MiB/s', figures: of(1).map((bytes) => bytes / MIB) },
    ratio('stream: two / one', of(1), of(0)),
  ];
}
