import type { TestContext } from 'node:test';
import { UsageCounter } from '../../src/accounts/usage.ts';
import { OwnCaps } from '../../src/accounts/own_caps.ts';
import type { Caller } from '../../src/accounts/caller.ts';
import { Permit } from '../../src/accounts/permit.ts';
import type { Denial } from '../../src/accounts/denial.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { PlanName } from '../../src/model/account.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { folderOf } from '../support/folder.ts';

export const NOON = Date.UTC(2026, 2, 14, 12);

/** A clock that stands until it is moved. */
export class TestClock implements Clock {
  monotonic = 1_000_000;
  unix = NOON;

  monotonicMs(): number {
    return this.monotonic;
  }

  unixMs(): number {
    return this.unix;
  }

  pass(ms: number): void {
    this.monotonic += ms;
    this.unix += ms;
  }

  /** Someone sets the wall clock. */
  jump(ms: number): void {
    this.unix += ms;
  }
}

export async function freshStore(test: TestContext): Promise<Store> {
  const store = await openStore({ dataDir: folderOf(test) });
  test.after(() => store.close());
  return store;
}

export function callerOn(plan: PlanName, keyId = 'key_1'): Caller {
  return { accountId: `acc_${plan}`, keyId, kind: 'external', plan };
}

/** Caps of one process over a clock that stands, and what they counted. */
export function capsAt(clock: Clock, store: Store): { caps: OwnCaps; usage: UsageCounter } {
  const usage = new UsageCounter(store);
  return { caps: new OwnCaps(clock, usage), usage };
}

export function granted(verdict: Permit | Denial): Permit {
  if (!(verdict instanceof Permit)) throw new Error(`Denied: ${verdict.detail}`);
  return verdict;
}

export function refused(verdict: Permit | Denial): Denial {
  if (verdict instanceof Permit) throw new Error('Granted.');
  return verdict;
}
