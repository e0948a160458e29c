import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_FAULT, type Fault } from '../../test/support/fault_proxy.ts';
import { badDay, untilStatus } from '../support/bad_sources.ts';
import { withOpened, type Bench, type BenchOptions, type Opened } from '../support/bench.ts';
import { SOURCE } from '../support/lake.ts';
import { arrivalsBeside } from '../support/open_loop.ts';
import { ratio, type Report } from '../support/report.ts';

const RATE = 500;
const OTHERS_RATE = 50;
const CONNECTIONS = 64;
const TARGET = 'sound';
/** How the source is: the first is what the others are measured against. */
const STATES: Readonly<Record<string, Fault>> = {
  alive: NO_FAULT,
  hung: { kind: 'blackhole' },
  refused: { kind: 'refused' },
  dripping: { kind: 'slice', everyMs: 5 },
};

/** What the calls that do not ask a source notice of its being dead. */
export const isolationBench: Bench = {
  summary: 'p99 of calls to the lake alone, beside calls to a source that is alive, hung, refused or dripping',
  run: (options) => withOpened((opened) => run(options, opened)),
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const day = await badDay(options, opened);
  const bodies = (name: string, body: object): string => {
    const path = join(opened.folder, `${name}.txt`);
    writeFileSync(path, `${JSON.stringify(body)}\n`);
    return path;
  };
  const search = { type: 'contacts', filters: { has_email: ['true'] } };
  const order = { port: Number(new URL(day.service.find).port), path: '/v1/find', key: day.service.key, connections: CONNECTIONS, seconds: options.seconds };
  const own = { ...order, rate: RATE, bodiesFile: bodies('own', { ...search, sources: { only: [SOURCE] } }) };
  const others = { ...order, rate: OTHERS_RATE, bodiesFile: bodies('others', { ...search, sources: { only: [SOURCE, TARGET] }, timeout_ms: 200 }) };
  const p99 = new Map<string, number[]>(Object.keys(STATES).map((state) => [state, []]));
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [state, fault] of turned(Object.entries(STATES), round)) {
      await day.set(TARGET, NO_FAULT);
      await untilStatus(day, TARGET, 'ok');
      await day.set(TARGET, fault);
      const [measured] = await Promise.all([arrivalsBeside(own), arrivalsBeside(others)]);
      p99.get(state)!.push(measured.p99Ms);
    }
  }
  const [alive, ...dead] = [...p99];
  return {
    bench: 'isolation', rows: options.rows, seed: options.seed, rounds: options.rounds,
    figures: [
      ...[...p99].map(([state, figures]) => ({ name: `p99 beside a source that is ${state}`, unit: 'ms', figures })),
      ...dead.map(([state, figures]) => ratio(`${state} / ${alive![0]}`, figures, alive![1])),
    ],
    notes: [`${RATE} calls a second that do not ask the source, ${OTHERS_RATE} that do`],
  };
}

/** Each state has each place in turn. */
function turned<T>(all: readonly T[], by: number): T[] {
  const at = by % all.length;
  return [...all.slice(at), ...all.slice(0, at)];
}
