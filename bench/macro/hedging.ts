import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/ports.ts';
import { contactFiles } from '../data/contacts.ts';
import { untilStatus } from '../support/bad_sources.ts';
import { withOpened, type Bench, type BenchOptions, type Opened } from '../support/bench.ts';
import { lakeOf, startService } from '../support/lake.ts';
import { arrivals, type ArrivalsResult } from '../support/open_loop.ts';
import { startScript } from '../support/processes.ts';
import { ratio, type Report } from '../support/report.ts';

const SCRIPT = join(import.meta.dirname, '../servers/replicas.js');
const ROWS_EACH = 1_000;
const SLOW_SHARES = [0.02, 0.05, 0.1];
const USUAL_MS = 10;
const SLOW_MS = 300;
const RATE = 100;
const CONNECTIONS = 64;
/** So long that a server is not left out where the machine itself is slow. */
const PATIENCE_MS = 10_000;
/** At first, so that what is compiled meanwhile is forgotten of what is usual for the source; and before each later turn. */
const FIRST_WARM_SECONDS = 20;
const WARM_SECONDS = 1;

type Turn = { readonly alone: ArrivalsResult; readonly pair: ArrivalsResult; /** Requests to the two servers, more than to the one. */ readonly morePercent: number };

/** What a second server is worth where the first is now and then slow, and what it costs. */
export const hedgingBench: Bench = {
  summary: 'a source of which one server is slow for a few of its answers, with a second one that is not and without: p99, and what was asked twice',
  async run(options) {
    const shares = options.smoke ? SLOW_SHARES.slice(1, 2) : SLOW_SHARES;
    const figures: Report['figures'][number][] = [];
    for (const share of shares) figures.push(...await withOpened((opened) => figuresOf(options, opened, share)));
    return {
      figures,
      notes: [`${RATE} pages a second, not counted; answers take ${USUAL_MS} ms, slow ones ${SLOW_MS} ms. A source of one server is asked as one of two would be if nothing were asked twice`],
    };
  },
};

async function figuresOf(options: BenchOptions, opened: Opened, slowShare: number): Promise<Report['figures']> {
  const control = `http://127.0.0.1:${await freePort()}/`;
  opened.keep(await startScript(SCRIPT, [new URL(control).port, ...[options.seed, ROWS_EACH, slowShare, USUAL_MS, SLOW_MS].map(String)], {}, control), ({ stop }) => stop());
  // A load holds this process up: a connection that was closed meanwhile must not be used again.
  const tell = async (path: string) => await (await fetch(new URL(path, control), { headers: { connection: 'close' } })).json() as Record<'alone' | 'first' | 'second', number>;
  const ports = await tell('/');
  const source = (name: string, ...[port, ...others]: number[]) => ({
    name, dataset: 'contacts', kind: 'clickhouse',
    url: `http://127.0.0.1:${port}`, replicas: others.map((other) => `http://127.0.0.1:${other}`),
    table: 'people', concurrency: CONNECTIONS, connect_timeout_ms: PATIENCE_MS,
  });
  const service = opened.keep(
    await startService(await lakeOf(await contactFiles(options)), { sources: [source('alone', ports.alone), source('pair', ports.first, ports.second)] }),
    (one) => one.stop(),
  );
  const ask = (name: string, round: number): ArrivalsResult => {
    const bodiesFile = join(opened.folder, `${name}.txt`);
    writeFileSync(bodiesFile, `${JSON.stringify({ type: 'contacts', sources: { only: [name] }, count: 'none', timeout_ms: PATIENCE_MS })}\n`);
    return arrivals({
      port: Number(new URL(service.find).port), path: '/v1/find', key: service.key, connections: CONNECTIONS, rate: RATE,
      bodiesFile, seconds: options.seconds, warmSeconds: options.smoke ? 0 : round > 0 ? WARM_SECONDS : FIRST_WARM_SECONDS,
    });
  };
  for (const name of ['alone', 'pair']) await untilStatus(service, name, 'ok');
  const turns: Turn[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const before = await tell('/asked');
    const [alone, pair] = [ask('alone', round), ask('pair', round)];
    const after = await tell('/asked');
    turns.push({ alone, pair, morePercent: 100 * ((after.first + after.second - before.first - before.second) / (after.alone - before.alone) - 1) });
  }
  const of = (name: string, unit: string, read: (turn: Turn) => number) => ({ name: `${100 * slowShare} % slow: ${name}`, unit, figures: turns.map(read) });
  return [
    of('p50, one server', 'ms', ({ alone }) => alone.p50Ms), of('p50, two', 'ms', ({ pair }) => pair.p50Ms),
    of('p99, one server', 'ms', ({ alone }) => alone.p99Ms), of('p99, two', 'ms', ({ pair }) => pair.p99Ms),
    ratio(`${100 * slowShare} % slow: p99, two / one`, turns.map(({ pair }) => pair.p99Ms), turns.map(({ alone }) => alone.p99Ms)),
    of('requests, two / one', '% more', ({ morePercent }) => morePercent),
  ];
}
