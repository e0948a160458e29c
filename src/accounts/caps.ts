import type { Endpoint, PlanName } from '../model/account.ts';
import type { Caller, Capped } from './caller.ts';
import type { Denial } from './denial.ts';
import type { Permit } from './permit.ts';

export type Ask = { readonly endpoint: Endpoint; /** Reserved at once; more may follow. */ readonly unitsMost: number };

/** One cap as it stands; `limit` and `remaining` are null where the plan has none. */
export type Gauge = { readonly limit: number | null; readonly used: number; readonly remaining: number | null; readonly resetSeconds: number };
/** Where no cap asks for it nobody counts. */
export type Uncounted = Omit<Gauge, 'used'> & { readonly used: null };
export type Standing = { readonly plan: PlanName; readonly burst: Gauge | Uncounted; readonly daily: Gauge; readonly umbrella: Gauge };

/**
 * The three caps of every account. A decision and the taking of what it grants are one step, so that no number of parallel calls is
 * granted more than the caps: those of this process, or those of all gateways together. Only the latter has to be waited for.
 * Passes `test/contract/caps`.
 */
export interface Caps {
  admit(caller: Caller, ask: Ask): Permit | Denial | Promise<Permit | Denial>;
  /** As of the latest call of the account. */
  standing(account: Capped): Standing;
  /** As of now. */
  look(account: Capped): Promise<Standing>;
  /** Takes up the units that the accounts used on `day`, before the first call. */
  recover(day: number, unitsByAccount: ReadonlyMap<string, number>): void;
  /** Tells the calls under way whose caller opens nothing any more, each once, and has all others go by the plan that theirs has by now. */
  follow(present: (caller: Caller) => Promise<Caller | null>): Promise<void>;
  /** Forgets what no longer decides anything. Costs a pass over the accounts. */
  sweep(): void;
}
