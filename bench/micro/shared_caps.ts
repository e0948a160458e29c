import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caps } from '../../src/accounts/caps.ts';
import { OwnCaps } from '../../src/accounts/own_caps.ts';
import { Permit } from '../../src/accounts/permit.ts';
import { SharedCaps } from '../../src/accounts/shared_caps.ts';
import { UsageCounter } from '../../src/accounts/usage.ts';
import { monotonicMs, systemClock } from '../../src/lib/clock.ts';
import { openStore } from '../../src/store/open.ts';
import { openRedisCounts } from '../../src/store/redis/redis_counts.ts';
import { RedisServer } from '../../test/support/servers/redis.ts';

const AT_ONCE = 16;
const ACCOUNTS = 50;

/** What being let in costs a call, from the question to the permit, and what it costs the main thread: alone, and with others through Redis. */
export async function admissions(smoke: boolean): Promise<void> {
  if (!existsSync('/usr/bin/redis-server')) {
    console.log('  an admission              left out: no redis-server');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'lds-bench-'));
  const [store, server] = await Promise.all([openStore({ dataDir: folder }), RedisServer.start()]);
  const counts = await openRedisCounts({ url: server.url, onChange: () => {} });
  const usage = new UsageCounter(store);
  try {
    await measure('alone', new OwnCaps(systemClock, usage), smoke);
    const shared = new SharedCaps(new OwnCaps(systemClock, usage), counts, systemClock, usage);
    await measure('through Redis', shared, smoke);
    if (shared.decidedAlone > 0) console.log(`  (${shared.decidedAlone} of them were decided alone)`);
  } finally {
    await counts.close();
    await server.stop();
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

/** Each caller in turn asks and settles; most are refused by the burst after a while, which costs the same round trip. */
async function measure(name: string, caps: Caps, smoke: boolean): Promise<void> {
  const waits: number[] = [];
  let account = 0;
  const untilMs = monotonicMs() + (smoke ? 100 : 3_000);
  const begun = process.cpuUsage();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (monotonicMs() < untilMs) {
      const caller = { accountId: `acc_${(account += 1) % ACCOUNTS}_${Math.floor(account / (ACCOUNTS * 500))}`, keyId: 'k', kind: 'external', plan: 'standard' } as const;
      const askedMs = monotonicMs();
      const asked = caps.admit(caller, { endpoint: 'find', unitsMost: 1 });
      const verdict = asked instanceof Promise ? await asked : asked;
      waits.push(monotonicMs() - askedMs);
      if (verdict instanceof Permit) verdict.settle(1);
      if (waits.length % 1_024 === 0) await new Promise((resume) => { setImmediate(resume); });
    }
  }));
  const { user, system } = process.cpuUsage(begun);
  waits.sort((one, other) => one - other);
  const at = (share: number): string => (waits[Math.floor(share * waits.length)]! * 1_000).toFixed(0);
  console.log(`  an admission ${name.padEnd(13)} ${((user + system) / waits.length).toFixed(1)} us of this process; waits ${at(0.5)} us (p99 ${at(0.99)}), ${AT_ONCE} at once`);
}
