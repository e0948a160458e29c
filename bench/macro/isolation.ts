import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_FAULT, type Fault } from '../../test/support/fault_proxy.ts';
import { badDay, untilStatus, type BadDay } from '../support/bad_sources.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { quantile, seeded } from '../support/figures.ts';
import { SOURCE } from '../support/lake.ts';
import { beginArrivals, type Sample } from '../support/open_loop.ts';
import { pooledRatio } from '../support/pooled.ts';
import { ratio, type Report } from '../support/report.ts';
import { cpuSeconds } from '../support/usage.ts';

/** So low that two cores are idle most of the time: what is told is what calls wait for each other, not for a processor. */
const RATE = 200;
const OTHERS_RATE = 40;
/** Where only a run is wanted. */
const SMOKE_PART = 0.2;
const CONNECTIONS = 64;
const WARM_MS = 4_000;
/** After a fault has set in, before anything is measured under it. */
const SETTLED_MS = 300;
const TARGET = 'sound';
const SHARE = 0.99;
/** Less than after which a hung source is left out: all the time, its calls wait for it. */
const OTHERS_TIMEOUT_MS = 200;
/** How the source is. What the others are measured against is measured against itself as well: a bench tells nothing finer than that. */
const STATES: Readonly<Record<string, Fault>> = {
  alive: NO_FAULT,
  'alive again': NO_FAULT,
  hung: { kind: 'blackhole' },
  refused: { kind: 'refused' },
  dripping: { kind: 'slice', everyMs: 5 },
};

type Stay = { readonly state: string; readonly fromMs: number; readonly toMs: number; readonly cpuShare: number };

/** What the calls that do not ask a source notice of its being dead. */
export const isolationBench: Bench = {
  summary: 'p99 of calls to the lake alone, beside calls to a source that is alive, hung, refused or dripping by turns',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const day = await badDay(options, opened);
  const search = { type: 'contacts', filters: { has_email: ['true'] } };
  const begin = (name: string, rate: number, body: object) => {
    const bodiesFile = join(opened.folder, `${name}.txt`);
    writeFileSync(bodiesFile, `${JSON.stringify(body)}\n`);
    const order = {
      port: Number(new URL(day.service.find).port), path: '/v1/find', key: day.service.key, connections: CONNECTIONS,
      rate, bodiesFile, samplesFile: join(opened.folder, `${name}.samples`),
    };
    return opened.keep(beginArrivals(order), ({ stop }) => stop().catch(() => {}));
  };
  const part = options.smoke ? SMOKE_PART : 1;
  const own = begin('own', RATE * part, { ...search, sources: { only: [SOURCE] } });
  const others = begin('others', OTHERS_RATE * part, { ...search, sources: { only: [SOURCE, TARGET] }, timeout_ms: OTHERS_TIMEOUT_MS });
  if (!options.smoke) await sleep(WARM_MS);
  const stays = await stayInEach(day, options);
  const [samples] = await Promise.all([own.stop(), others.stop()]);
  return reportOf(options, stays, samples);
}

/** Every state once a round, in an order of its own. */
async function stayInEach(day: BadDay, { rounds, seconds, seed }: BenchOptions): Promise<Stay[]> {
  const chance = seeded(seed);
  const stays: Stay[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [state, fault] of Object.entries(STATES).map((one) => [chance(), one] as const).toSorted(([a], [b]) => a - b).map(([, one]) => one)) {
      await day.set(TARGET, NO_FAULT);
      await untilStatus(day.service, TARGET, 'ok');
      await day.set(TARGET, fault);
      await sleep(SETTLED_MS);
      const [fromMs, cpuBefore] = [nowMs(), cpuSeconds(day.service.pid)];
      await sleep(seconds * 1_000);
      const toMs = nowMs();
      stays.push({ state, fromMs, toMs, cpuShare: ((cpuSeconds(day.service.pid) - cpuBefore) * 1_000) / (toMs - fromMs) });
    }
  }
  return stays;
}

/** As the sender writes it: since 1970, with fractions. */
function nowMs(): number { return performance.timeOrigin + performance.now(); }

function reportOf({ seed }: BenchOptions, stays: readonly Stay[], samples: readonly Sample[]): Report {
  const [alive, ...others] = Object.keys(STATES).map((state) => {
    const own = stays.filter((stay) => stay.state === state);
    const latencies = own.map(({ fromMs, toMs }) => samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map(({ latencyMs }) => latencyMs));
    return { state, latencies, p99: latencies.map((some) => quantile(Float64Array.from(some).sort(), SHARE)), cpuPercent: own.map(({ cpuShare }) => 100 * cpuShare) };
  });
  const all = [alive!, ...others];
  return {
    figures: [
      ...all.map(({ state, p99 }) => ({ name: `p99 beside a source that is ${state}`, unit: 'ms', figures: p99 })),
      ...others.map(({ state, latencies }) => pooledRatio(`p99 of all rounds: ${state} / alive`, SHARE, latencies, alive!.latencies, seed)),
      ...all.map(({ state, cpuPercent }) => ({ name: `processor, ${state}`, unit: '% of one', figures: cpuPercent })),
      ...others.map(({ state, cpuPercent }) => ratio(`processor: ${state} / alive`, cpuPercent, alive!.cpuPercent)),
    ],
    notes: [
      `${RATE} calls a second that do not ask the source, ${OTHERS_RATE} that do, of ${OTHERS_TIMEOUT_MS} ms at most; ${samples.length} of the former`,
      'the ratios of all rounds stand with the interval in which 95 of 100 such runs would find them; a source that is alive is measured against itself, too',
    ],
  };
}
