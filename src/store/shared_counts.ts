import type { Health } from '../model/health.ts';

/** What an account has taken of its caps over all gateways, at one instant of the shared clock. */
export type SharedCount = {
  readonly day: number;
  /** Units of that day: used, and reserved by calls under way that may still give them back. */
  readonly used: number;
  readonly held: number;
  readonly inFlight: number;
  /** Calls of the last 60 s; until the oldest of them is out, and until there is a place again (0: there is one). */
  readonly burstUsed: number;
  readonly burstResetMs: number;
  readonly burstWaitMs: number;
  readonly untilMidnightMs: number;
};

/**
 * `granted`: it was decided and taken in one step. `refused`: nothing was. `unknown_day`: nothing was, since nobody has said yet
 * what the account used on `count.day`; ask again with it.
 */
export type SharedAnswer = { readonly verdict: 'granted' | 'refused' | 'unknown_day'; readonly count: SharedCount };

/** Units that an account is known to have used on a day: the shared count is never below. */
export type KnownUse = { readonly day: number; readonly units: number };

/** A call under way as its gateway knows it: reserved on `day`, and the part of that which is used for certain. */
export type SharedHold = { readonly id: string; readonly day: number; readonly reserved: number; readonly firm: number };

type SharedAsk = {
  readonly accountId: string;
  readonly known: KnownUse | null;
  readonly units: number;
  readonly unitsMax: number;
};

/** How many calls a network has made on the day, this one included, by the shared clock. */
export type SharedVisits = { readonly calls: number; readonly day: number; readonly untilMidnightMs: number };

/**
 * Caps counted for several gateways at once, exactly: each method is one indivisible step. Null where no answer came in time; what
 * was asked may have been done all the same, and whoever asked is told by `onLate`. Never rejects. Calls that are neither ended
 * nor renewed are over after `LIMITS.sharedLeaseMs`, and what they held is given back.
 */
export interface SharedCounts {
  /** False: ask nothing for now. */
  readonly reachable: boolean;
  /** Another number whenever the counts may have been lost or missed something: what is known must be said again. */
  readonly epoch: number;
  admit(ask: SharedAsk & { readonly id: string; readonly requestsMax: number; readonly concurrentMax: number }, onLate: (answer: SharedAnswer) => void): Promise<SharedAnswer | null>;
  /** More units for a call under way; what it reserved before is then used for certain. */
  reserve(ask: SharedAsk & { readonly hold: SharedHold }): Promise<SharedAnswer | null>;
  /** Ends a call that used so many units on the day of its hold. Once for each call. `onLost`: nobody may have heard of it, as of the next. */
  settle(accountId: string, hold: SharedHold, used: number, onLost: () => void): void;
  renew(accountId: string, holds: readonly SharedHold[]): void;
  know(accountId: string, known: KnownUse, onLost: () => void): void;
  look(accountId: string): Promise<SharedCount | null>;
  /** `known`: calls of the name that are known of on a day. */
  visit(name: string, known: { readonly day: number; readonly calls: number }): Promise<SharedVisits | null>;
  health(): Health;
  close(): Promise<void>;
}
