import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { badDay } from '../support/bad_sources.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { seeded } from '../support/figures.ts';
import { SOURCE } from '../support/lake.ts';
import { arrivals, type ArrivalsResult } from '../support/open_loop.ts';
import type { Report } from '../support/report.ts';

const RATE = 400;
const SMOKE_RATE = 40;
/** Sender and service alike. */
const WARM_SECONDS = 4;
const CONNECTIONS = 512;
const TIMEOUTS_MS = [20, 50, 100, 250];
const SEARCHES = 20_000;
/** Beside the lake. */
const ASKED = 1;

/** Whether an answer leaves on time, whatever its sources do. */
export const deadlineBench: Bench = {
  summary: 'calls over sources that hang, are slow, drip and reset: by how much timeout_ms is overrun, from the intended sending',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const { service, sources } = await badDay(options, opened);
  const bodiesFile = join(opened.folder, 'bodies.txt');
  writeFileSync(bodiesFile, `${bodies(sources, Math.min(SEARCHES, options.searches), options.seed).join('\n')}\n`);
  const order = {
    port: Number(new URL(service.find).port), path: '/v1/find', key: service.key, bodiesFile,
    connections: options.smoke ? 32 : CONNECTIONS, seconds: options.seconds, rate: options.smoke ? SMOKE_RATE : RATE,
    warmSeconds: options.smoke ? 0 : WARM_SECONDS,
  };
  const rounds = Array.from({ length: options.rounds }, () => arrivals(order));
  const of = (name: string, unit: string, read: (one: ArrivalsResult) => number) => ({ name, unit, figures: rounds.map(read) });
  return {
    figures: [
      of('calls', 'calls', ({ answered }) => answered),
      of('past timeout_ms: p99', 'ms', ({ over }) => over!.p99Ms),
      of('past timeout_ms: p99.9', 'ms', ({ over }) => over!.p999Ms),
      of('past timeout_ms: the latest', 'ms', ({ over }) => over!.mostMs),
      of('sent too late by at most', 'ms', ({ lateMsMax }) => lateMsMax),
    ],
    notes: [`${order.rate} calls a second; timeout_ms ${TIMEOUTS_MS.join(', ')}; the lake and ${ASKED} of ${sources.join(', ')} a call`],
  };
}

function bodies(sources: readonly string[], count: number, seed: number): string[] {
  const chance = seeded(seed);
  const one = <T>(all: readonly T[]): T => all[Math.floor(chance() * all.length)]!;
  return Array.from({ length: count }, () => {
    const asked = sources.toSorted(() => chance() - 0.5).slice(0, ASKED);
    const filters = chance() < 0.5 ? {} : { has_email: ['true'] };
    return JSON.stringify({
      type: 'contacts', filters, sources: { only: [SOURCE, ...asked] },
      limit: 1 + Math.floor(chance() * 50), dedupe: chance() < 0.5, count: one(['exact', 'none']), timeout_ms: one(TIMEOUTS_MS),
    });
  });
}
