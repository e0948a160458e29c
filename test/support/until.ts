import assert from 'node:assert/strict';
import { within } from '../../src/lib/within.ts';
import { pause } from './runners.ts';

const LOOK_MS = 20;

/** Resolves once it holds, and fails where it does not in time. */
export async function until(holds: () => Promise<boolean> | boolean, withinMs = 30_000, what = 'it'): Promise<void> {
  for (const endMs = performance.now() + withinMs; !await holds(); await pause(LOOK_MS)) assert.ok(performance.now() < endMs, `${what} did not come to pass in time`);
}

const TRIES = 5;

/** That it holds at one of several tries at least: what is soon enough on a machine that keeps time may not be on a busy one. */
export async function atATry(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 1; !await holds(); tries += 1) assert.ok(tries < TRIES, `${what} at none of ${TRIES} tries`);
}

/** What comes, or that it is late. No timer is left behind, for which the process would stay. */
export async function inTime<T>(coming: Promise<T>, withinMs: number): Promise<T | 'late'> {
  return await within(coming, withinMs) ? coming : 'late';
}
