import type { TestContext } from 'node:test';
import { OwnCaps } from '../../../src/accounts/own_caps.ts';
import { SharedCaps } from '../../../src/accounts/shared_caps.ts';
import { UsageCounter } from '../../../src/accounts/usage.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { openRedisCounts, type RedisCountsSettings } from '../../../src/store/redis/redis_counts.ts';
import type { ScriptClock } from '../../../src/store/redis/scripts.ts';
import type { SharedCounts } from '../../../src/store/shared_counts.ts';
import type { Store } from '../../../src/store/store.ts';

/** Longer than a busy machine may hold a process up. */
export const PATIENT_MS = 20_000;

/** The time of scripts, as a test's clock shows it. */
export function scriptClock(clock: Clock): ScriptClock {
  return { lua: 'return tonumber(ARGV[#ARGV])', args: () => [Math.round(clock.unixMs() * 1_000)] };
}

export async function countsAt(test: TestContext, url: string, over: Partial<RedisCountsSettings> = {}): Promise<SharedCounts> {
  const counts = await openRedisCounts({ url, onChange: () => {}, replyMs: PATIENT_MS, ...over });
  test.after(() => counts.close());
  return counts;
}

/** The caps of one gateway of several. */
export function gatewayOver(counts: SharedCounts, clock: Clock, store: Store): { readonly caps: SharedCaps; readonly usage: UsageCounter } {
  const usage = new UsageCounter(store, { behind: () => !counts.reachable, note: (day, units) => own.noteUsed(day, units) });
  const own = new OwnCaps(clock, usage);
  return { caps: new SharedCaps(own, counts, clock, usage), usage };
}
