import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LIMITS } from '../../src/config/limits.ts';
import { emailTerms } from '../../src/model/suppression/term.ts';
import { openStore } from '../../src/store/open.ts';
import { contactFiles, withDuck } from '../data/contacts.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { costsInTurn, findCost, type FindCost, type Standing } from '../support/find_cost.ts';
import { keyOf, lakeOf, startService, type BenchLake } from '../support/lake.ts';
import { ratio, type Figures, type Report } from '../support/report.ts';
import { findSearches, sampleOf } from '../support/searches.ts';
import { ownBytes } from '../support/usage.ts';
import { postScript } from '../support/wrk.ts';

const ENTRIES = 10_000_000;
const SMOKE_ENTRIES = 6_000;
/** Of the rows with an address: one in so many is suppressed. */
const ONE_IN = 100;
const SEARCHES_SEED = 19;
/** The file of the embedded store, which holds all of it once it is closed. */
const STORE = 'store.sqlite';
/** Until garbage of the start is collected. */
const SETTLED_MS = 3_000;
const MIB = 1_048_576;

/** What is suppressed beside ten million addresses of nobody: nothing at all, no row, and one row in a hundred of those with an address. */
const STATES = ['nothing', 'strangers', 'rows too'] as const;
type State = (typeof STATES)[number];
type Started = Standing<State> & { readonly startMs: number };

/** What a list of ten million suppressed addresses costs searches, memory and the start. */
export const suppressionBench: Bench = {
  summary: 'ten million suppressed addresses, of strangers and of one row in a hundred: processor time of a find, memory, start, with and without',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const files = await contactFiles(options);
  const lake = await lakeOf(files);
  const entries = options.smoke ? SMOKE_ENTRIES : ENTRIES;
  const bodies = findSearches(await sampleOf(lake.truth, files.folder), options.searches, SEARCHES_SEED).map((search) => JSON.stringify(search));
  const standing: Started[] = [];
  for (const state of STATES) {
    const suppressed = await suppressedLake(lake, files.folder, state, entries);
    const begun = performance.now();
    const service = opened.keep(await startService(suppressed), (one) => one.stop());
    const script = postScript({ folder: opened.folder, name: `suppression-${state}`, bodies, headers: { authorization: `Bearer ${suppressed.key}` }, smoke: options.smoke });
    standing.push({ state, service, startMs: performance.now() - begun, script });
  }
  if (!options.smoke) for (const one of standing) findCost(one, 2);
  await new Promise((done) => { setTimeout(done, options.smoke ? 0 : SETTLED_MS); });
  const memory = standing.map(({ service }) => ownBytes(service.pid) / MIB);
  const rounds = Array.from({ length: options.rounds }, (_, round) => costsInTurn(standing, round, options.seconds));
  const of = (state: State, read: (one: FindCost) => number): number[] => rounds.map((round) => read(round.get(state)!));
  return {
    figures: [
      ...STATES.flatMap((state): Figures[] => [
        { name: `${state}: processor time of the service`, unit: 'us/find', figures: of(state, ({ cpuUs }) => cpuUs) },
        { name: `${state}: finds`, unit: 'requests/s', figures: of(state, ({ requestsPerSecond }) => requestsPerSecond) },
      ]),
      ...STATES.slice(1).map((state) => ratio(`processor time, ${state} / nothing`, of(state, ({ cpuUs }) => cpuUs), of('nothing', ({ cpuUs }) => cpuUs))),
      ...STATES.slice(1).map((state, at): Figures => ({ name: `memory, ${state} less nothing`, unit: 'MiB', figures: [memory[at + 1]! - memory[0]!] })),
      ...standing.map(({ state, startMs }): Figures => ({ name: `${state}: start`, unit: 'ms', figures: [startMs] })),
    ],
    notes: [`${entries.toLocaleString('en')} addresses; pages of 25 with an exact total`],
  };
}

/** The lake beside a store of its own; the list of ten million is made once and kept. */
async function suppressedLake(lake: BenchLake, folder: string, state: State, entries: number): Promise<Pick<BenchLake, 'dataDir' | 'key'>> {
  const dataDir = join(folder, `suppressed-${state.replace(' ', '-')}-${entries}`);
  const stamp = `${dataDir}.done`;
  if (!existsSync(stamp)) {
    rmSync(dataDir, { recursive: true, force: true });
    mkdirSync(dataDir, { recursive: true });
    symlinkSync(resolve(lake.dataDir, 'lake'), join(dataDir, 'lake'));
    if (state === 'strangers') await fill(dataDir, entries, (at) => `stranger${at}@example.com`);
    if (state === 'rows too') {
      copyFileSync(join((await suppressedLake(lake, folder, 'strangers', entries)).dataDir, STORE), join(dataDir, STORE));
      const emails = await someEmails(lake.truth, folder);
      await fill(dataDir, emails.length, (at) => emails[at]!);
    }
    writeFileSync(stamp, '');
  }
  return { dataDir, key: keyOf(dataDir) };
}

async function fill(dataDir: string, entries: number, emailAt: (at: number) => string): Promise<void> {
  const store = await openStore({ dataDir });
  try {
    for (let at = 0; at < entries; at += LIMITS.suppressionTermsInWrite) {
      const many = Math.min(LIMITS.suppressionTermsInWrite, entries - at);
      await store.addSuppressions(Array.from({ length: many }, (_, more) => emailTerms(emailAt(at + more))!).flat(), Date.now());
    }
  } finally {
    await store.close();
  }
}

function someEmails(truth: string, folder: string): Promise<string[]> {
  return withDuck(folder, async (connection) => {
    const found = await connection.runAndReadAll(`SELECT DISTINCT email FROM read_parquet('${truth}') WHERE email IS NOT NULL AND hash(email) % ${ONE_IN} = 0`);
    return found.getRowObjectsJS().map(({ email }) => String(email));
  });
}
