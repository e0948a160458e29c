import { Members } from '../../src/accounts/members.ts';
import { makePasswords } from '../../src/accounts/password.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { openStore } from '../../src/store/open.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { seeded, spreadOf } from '../support/figures.ts';
import type { Report } from '../support/report.ts';

/** The password's hash costs 300 ms and its spread hides everything else: beside it the rest is timed with a hash that costs nothing. */
const CHEAP = { logN: 1, r: 8, p: 1 };
const KNOWN = 'correct horse battery';
const WRONG = 'another password';
const TRIALS = { 'sign-in': 10_000, 'sign-up': 2_000 };
const SMOKE_TRIALS = { 'sign-in': 100, 'sign-up': 50 };
const REAL_HASHES = 24;
const SMOKE_HASHES = 3;
/** Trials of the text-book test by which a leak in time is called one when t is larger than 4.5. */
const TEST_TRIALS = 10_000;

type Times = { readonly known: number[]; readonly unknown: number[] };

/** Whether the time of a sign-in or a sign-up tells if an address has an account. */
export const enumerationBench: Bench = {
  summary: 'sign-in and sign-up of known and of unknown addresses: Welch\'s t of their times',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const trials = options.smoke ? SMOKE_TRIALS : TRIALS;
  const clock = movingClock();
  const store = opened.keep(await openStore({ dataDir: opened.folder }), (one) => one.close());
  const members = new Members(store, makePasswords(CHEAP), clock);
  for (let at = 0; at < trials['sign-in'] / 10; at += 1) await members.signUp({ email: `known${at}@example.com`, password: KNOWN, invite: '' }, clock.visitor());
  const chance = seeded(options.seed);
  const ways = {
    'sign-in': (email: string) => members.signIn({ email, password: WRONG }, clock.visitor()),
    'sign-up': (email: string) => members.signUp({ email, password: WRONG, invite: '' }, clock.visitor()),
  };
  const real = await realHashMs(options.smoke ? SMOKE_HASHES : REAL_HASHES);
  const figures = [];
  for (const [name, way] of Object.entries(ways)) {
    const times = await timed(way, trials[name as keyof typeof trials], trials['sign-in'] / 10, chance);
    const apartMs = mean(times.known) - mean(times.unknown);
    figures.push(
      { name: `${name}, known less unknown, beside the hash`, unit: 'us', figures: [apartMs * 1_000] },
      { name: `${name}: t of ${trials[name as keyof typeof trials].toLocaleString('en')} without the hash`, unit: '', figures: [Math.abs(welch(times))] },
      { name: `${name}: t of ${TEST_TRIALS.toLocaleString('en')} with the hash, by its spread`, unit: '', figures: [Math.abs(apartMs) / Math.sqrt((4 * variance(real)) / TEST_TRIALS)] },
    );
  }
  return {
    rounds: 1, figures,
    notes: [`the hash takes ${spreadOf(real).median.toFixed(0)} ms, ${Math.sqrt(variance(real)).toFixed(1)} ms its standard deviation; a leak is called one from t = 4.5 on`],
  };
}

/** Known and unknown in an order of chance: what drifts meets both. */
async function timed(way: (email: string) => Promise<unknown>, trials: number, knownAddresses: number, chance: () => number): Promise<Times> {
  const times: Times = { known: [], unknown: [] };
  for (let trial = -trials / 10; trial < trials; trial += 1) {
    const known = chance() < 0.5;
    const email = known ? `known${Math.floor(chance() * knownAddresses)}@example.com` : `other${Math.floor(chance() * 1e9)}@example.com`;
    const begun = performance.now();
    await way(email);
    if (trial >= 0) times[known ? 'known' : 'unknown'].push(performance.now() - begun);
  }
  return { known: trimmed(times.known), unknown: trimmed(times.unknown) };
}

/** Less the slowest twentieth, which is the machine's. */
function trimmed(times: readonly number[]): number[] {
  return times.toSorted((a, b) => a - b).slice(0, Math.ceil(times.length * 0.95));
}

async function realHashMs(hashes: number): Promise<number[]> {
  const passwords = makePasswords();
  const times: number[] = [];
  for (let at = 0; at < hashes; at += 1) {
    const begun = performance.now();
    await passwords.matches(WRONG, null);
    times.push(performance.now() - begun);
  }
  return times;
}

function welch({ known, unknown }: Times): number {
  return (mean(known) - mean(unknown)) / Math.sqrt(variance(known) / known.length + variance(unknown) / unknown.length);
}

function mean(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0) / all.length;
}

function variance(all: readonly number[]): number {
  const middle = mean(all);
  return all.reduce((sum, one) => sum + (one - middle) ** 2, 0) / (all.length - 1);
}

/** Each try comes from another address, and later than the limits of the one before it. */
function movingClock(): { monotonicMs(): number; unixMs(): number; visitor(): string } {
  let tries = 0;
  const passed = (): number => tries * LIMITS.attemptsWindowMs;
  return {
    monotonicMs: passed,
    unixMs: () => Date.UTC(2026, 0, 1) + (passed() % 60_000),
    visitor: () => `visitor ${(tries += 1)}`,
  };
}
