import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../../src/config/limits.ts';
import { contactFiles } from '../data/contacts.ts';
import { withOpened, type Bench, type BenchOptions, type Opened } from '../support/bench.ts';
import { download } from '../support/curl.ts';
import { keyOf, startService, type Service } from '../support/lake.ts';
import { arrivals } from '../support/open_loop.ts';
import type { Figures, Report } from '../support/report.ts';
import { findSearches, PAGE_ROWS, sampleOf } from '../support/searches.ts';
import { clickhouseOf, postgresOf, type Sharded } from '../support/sharded.ts';
import { cpuSeconds } from '../support/usage.ts';

const SEARCHES = 20_000;
const SEARCHES_SEED = 23;
/** One caller alone tells the time of a search, several how many there can be. */
const ALONE = 1;
const MANY = 8;
const POLL_MS = 100;
const WARM_SECONDS = 5;
const SMOKE_RATE = 40;
/** What each search is asked for: rows without a total, rows with it. */
const COUNTS = ['none', 'exact'] as const;
type Counted = (typeof COUNTS)[number];

type Measured = { readonly p50Ms: number; readonly p99Ms: number; readonly perSecond: number; readonly gatewayMs: number; readonly engineMs: number };
type Round = { readonly alone: Readonly<Record<Counted, Measured>>; readonly many: Measured; readonly rowsPerSecond: number };
/** A table behind the service: the searches of it lie in a file for each way of counting. */
type Standing = { readonly sharded: Sharded; readonly service: Service; readonly bodies: Readonly<Record<Counted, string>> };

/** What a machine of a cluster holds and does: the figures that docs/scale-out.md sizes by. */
export const scaleoutBench: Bench = {
  summary: 'contacts over three ClickHouse and over two PostgreSQL servers, each read as one source: bytes a row, pages, counts, NDJSON, processor time of gateway and engine',
  run,
};

async function run(options: BenchOptions): Promise<Report> {
  const files = await contactFiles(options);
  const searches = findSearches(await sampleOf(files.parquet, files.folder), Math.min(SEARCHES, options.searches), SEARCHES_SEED);
  const figures: Figures[] = [];
  // One engine after the other: what one caches is not taken from the other.
  for (const make of [clickhouseOf, postgresOf]) {
    await withOpened(async (own) => {
      const sharded = await make(files, own);
      const standing = await stand(sharded, searches, options, own);
      if (!options.smoke) measure(standing, MANY, 'exact', WARM_SECONDS, 0);
      const rounds = Array.from({ length: options.rounds }, () => oneRound(standing, options));
      figures.push(...sharded.disk, ...figuresOf(sharded, rounds));
    });
  }
  return {
    figures,
    notes: [`a country, industries or levels, an email address; pages of ${PAGE_ROWS} rows; all servers, the gateway and the load on one machine`],
  };
}

async function stand(sharded: Sharded, searches: readonly object[], { rows, smoke }: BenchOptions, opened: Opened): Promise<Standing> {
  const dataDir = join(opened.folder, 'data');
  mkdirSync(dataDir);
  const key = keyOf(dataDir);
  const service = opened.keep(await startService({ dataDir, key }, { sources: [sharded.source] }), (one) => one.stop());
  const bodies = Object.fromEntries(COUNTS.map((count) => {
    const file = join(opened.folder, `${count}.txt`);
    writeFileSync(file, searches.map((search) => `${JSON.stringify({ ...search, count, timeout_ms: LIMITS.pageTimeoutMsMax })}\n`).join(''));
    return [count, file];
  })) as Standing['bodies'];
  await untilWhole(service, rows, smoke ? 0 : LIMITS.figuresMs);
  return { sharded, service, bodies };
}

/** Until the source answers for all of its rows, and the service has given up looking at each of them for what it tells of a source. */
async function untilWhole({ find, key }: Service, rows: number, settleMs: number): Promise<void> {
  for (;;) {
    const answer = await fetch(find, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: '{"type":"contacts","limit":1,"timeout_ms":30000}' });
    const { total, partial } = await answer.json() as { total?: number; partial?: boolean };
    if (partial === false && total === rows) break;
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
  }
  await new Promise((resolve) => { setTimeout(resolve, settleMs); });
}

function oneRound(standing: Standing, { seconds, rows, smoke }: BenchOptions): Round {
  const rate = smoke ? SMOKE_RATE : 0;
  return {
    alone: { none: measure(standing, ALONE, 'none', seconds, rate), exact: measure(standing, ALONE, 'exact', seconds, rate) },
    many: measure(standing, MANY, 'exact', seconds, rate),
    rowsPerSecond: streamed(standing, rows),
  };
}

/** `rate` 0 is as many as it answers. */
function measure({ sharded, service, bodies }: Standing, connections: number, count: Counted, seconds: number, rate: number): Measured {
  const before = { gateway: cpuSeconds(service.pid), engine: sharded.cpuSeconds() };
  const { answered, p50Ms, p99Ms, requestsPerSecond } = arrivals({
    port: Number(new URL(service.find).port), path: '/v1/find', key: service.key, bodiesFile: bodies[count], connections, seconds, rate,
  });
  const msEach = (spent: number): number => (spent * 1_000) / answered;
  return { p50Ms, p99Ms, perSecond: requestsPerSecond, gatewayMs: msEach(cpuSeconds(service.pid) - before.gateway), engineMs: msEach(sharded.cpuSeconds() - before.engine) };
}

/** All rows, as lines. */
function streamed({ service }: Standing, rows: number): number {
  const args = ['-H', `authorization: Bearer ${service.key}`, '-H', 'accept: application/x-ndjson', '--data-binary', '{"type":"contacts"}'];
  return rows / download(service.find, service.pid, args).seconds;
}

function figuresOf({ name, shards }: Sharded, rounds: readonly Round[]): Figures[] {
  const of = (what: string, unit: string, read: (round: Round) => number): Figures => ({ name: `${name}: ${what}`, unit, figures: rounds.map(read) });
  return [
    ...COUNTS.flatMap((count) => {
      const page = count === 'none' ? 'page' : 'page and total';
      return [of(`${page}, p50`, 'ms', ({ alone }) => alone[count].p50Ms), of(`${page}, p99`, 'ms', ({ alone }) => alone[count].p99Ms)];
    }),
    of('the total, beside the page', 'ms', ({ alone }) => alone.exact.p50Ms - alone.none.p50Ms),
    of(`page and total, ${MANY} callers`, 'requests/s', ({ many }) => many.perSecond),
    of('processor time of the gateway', 'ms/request', ({ many }) => many.gatewayMs),
    of('processor time of a shard, page', 'ms/request', ({ alone }) => alone.none.engineMs / shards),
    of('processor time of a shard, page and total', 'ms/request', ({ many }) => many.engineMs / shards),
    of('all rows as NDJSON', 'rows/s', ({ rowsPerSecond }) => rowsPerSecond),
  ];
}
