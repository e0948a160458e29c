import { randomBytes } from 'node:crypto';
import { LIMITS } from '../config/limits.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { within } from '../lib/within.ts';
import type { Health } from '../model/health.ts';
import type { SharedCounts } from '../store/shared_counts.ts';
import type { Store } from '../store/store.ts';
import { Authenticator } from './authenticate.ts';
import type { Caller, Capped } from './caller.ts';
import type { Ask, Caps, Standing } from './caps.ts';
import { dayOf } from '../lib/day.ts';
import type { Denial } from './denial.ts';
import { settingKey, takeOwnEmails } from './first_keys.ts';
import { Members } from './members.ts';
import { EvenClock, forgetOutdated } from './outdated.ts';
import { OwnCaps } from './own_caps.ts';
import { OwnKeys } from './own_keys.ts';
import { makePasswords } from './password.ts';
import { Playground } from './playground.ts';
import type { Permit } from './permit.ts';
import { RecentRequests } from './recent.ts';
import { SharedCaps } from './shared_caps.ts';
import { type UsageDay, usageByDay } from './usage_days.ts';
import { UsageCounter } from './usage.ts';

type AccountsSettings = {
  /** Stays the caller's to close, after the accounts. */
  readonly store: Store;
  /** What several gateways count together; null or left out where this one is alone. Stays the caller's to close, after the accounts. */
  readonly shared?: SharedCounts | null;
  /** The operator's `LDS_ADMIN_KEY`. */
  readonly adminKey: string | null;
  readonly clock?: Clock;
  /** Told once when the store fails in the background, and again after it worked in between. */
  readonly onTrouble: (error: unknown) => void;
  /** Told when what had failed works again. */
  readonly onWell?: () => void;
};

export type Accounts = {
  /** Null for every key that opens nothing. At once for a key lately seen; rejects with `store_unavailable` where none can tell. */
  authenticate(key: string): Caller | null | Promise<Caller | null>;
  /** Decides and takes in one step; at once where this gateway is alone. A permit must be settled. */
  admit(caller: Caller, ask: Ask): Permit | Denial | Promise<Permit | Denial>;
  /** As of the latest call of the account; `look`: as of now. */
  standing(account: Capped): Standing;
  look(account: Capped): Promise<Standing>;
  /** Calls that were decided here alone because the shared caps were away. */
  decidedAlone(): number;
  /** Days inclusive, as numbers since 1970-01-01 UTC; up to this moment. */
  usageOf(accountId: string, fromDay: number, toDay: number): Promise<UsageDay[]>;
  /** Writes what was counted up to now. */
  flushUsage(): Promise<void>;
  readonly playground: Playground;
  readonly members: Members;
  readonly keys: OwnKeys;
  readonly recent: RecentRequests;
  health(): Health;
  /** Stops the timers and writes what is left. Rejects soon where the store does not take it. */
  close(): Promise<void>;
};

/** Keys, caps, usage and the people who hold them over a store, with their timers running. */
export async function openAccounts({ store, shared = null, adminKey, clock = systemClock, onTrouble, onWell = () => {} }: AccountsSettings): Promise<Accounts> {
  // Gateways that share a store, and no counts at the moment, learn of each other's units from what was written.
  const usage = new UsageCounter(store, { behind: () => shared?.reachable !== true, note: (day, units) => own.noteUsed(day, units) });
  const own = new OwnCaps(clock, usage);
  const together = shared === null ? null : new SharedCaps(own, shared, clock, usage);
  const caps: Caps = together ?? own;
  const today = dayOf(clock.unixMs());
  caps.recover(today, await store.unitsOn(today));
  const authenticator = new Authenticator(store, clock, adminKey === null ? null : await settingKey(store, adminKey, clock.unixMs()));
  await authenticator.refresh();
  await takeOwnEmails(store, clock.unixMs());
  const playground = await Playground.open(store, clock, await store.secret('playground', randomBytes(32)), shared);
  const members = new Members(store, makePasswords(), clock);

  let closing = false;
  const poll = async (): Promise<void> => {
    await authenticator.refresh();
    await caps.follow((caller) => authenticator.present(caller));
  };
  const news: News = { onTrouble, onWell };
  const polling = repeat(LIMITS.keyPollMs, poll, news);
  store.onChange('keys', () => polling.now());
  const flushing = repeat(LIMITS.usageFlushMs, async () => {
    await usage.flush();
    await playground.flush();
  }, news);
  const renewing = together === null ? null : repeat(LIMITS.sharedRenewMs, async () => together.renew(), news);
  const even = new EvenClock(clock);
  const sweeping = repeat(LIMITS.ledgerSweepMs, async () => {
    caps.sweep();
    await members.sweep();
    if (even.isEven()) await forgetOutdated(store, clock.unixMs(), () => !closing);
  }, news);
  const end = async (): Promise<void> => {
    closing = true;
    await Promise.all([polling.stop(), flushing.stop(), sweeping.stop(), renewing?.stop()]);
    await usage.flush();
    await playground.flush();
  };
  return {
    authenticate: (key) => authenticator.authenticate(key),
    admit: (caller, ask) => caps.admit(caller, ask),
    standing: (account) => caps.standing(account),
    look: (account) => caps.look(account),
    decidedAlone: () => together?.decidedAlone ?? 0,
    usageOf: async (accountId, fromDay, toDay) => usageByDay(await usage.of(accountId, fromDay, toDay)),
    playground,
    flushUsage: () => usage.flush(),
    members,
    keys: new OwnKeys(store, members, clock),
    recent: new RecentRequests(),
    health: () => storeHealth(!polling.failing(), !flushing.failing()),
    close: async () => {
      if (!await within(end(), LIMITS.accountsCloseMs)) throw new Error(`the store did not answer within ${LIMITS.accountsCloseMs} ms`);
    },
  };
}

function storeHealth(reads: boolean, writes: boolean): Health {
  if (!reads) return { status: 'down', detail: 'unreachable' };
  return writes ? { status: 'ok', detail: 'reachable' } : { status: 'degraded', detail: 'it is read, but takes no changes' };
}

type News = Required<Pick<AccountsSettings, 'onTrouble' | 'onWell'>>;
type Repeated = { failing(): boolean; /** Runs unless it is running. */ now(): void; /** Resolves when no run is under way any more. */ stop(): Promise<void> };

/** Runs `act` every so often, never twice at once, without keeping the process alive. */
function repeat(everyMs: number, act: () => Promise<void>, { onTrouble, onWell }: News): Repeated {
  let failing = false;
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    try {
      await act();
      if (failing) onWell();
      failing = false;
    } catch (error) {
      if (!failing) onTrouble(error);
      failing = true;
    }
    running = null;
  };
  const now = (): void => { running ??= run(); };
  const timer = setInterval(now, everyMs);
  timer.unref();
  return {
    failing: () => failing,
    now,
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
