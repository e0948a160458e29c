import { timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../model/errors.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { digestOf, isKey } from './key.ts';
import { Turnstile } from './turnstile.ts';

type Known = {
  readonly caller: Caller;
  readonly digest: Uint8Array;
  readonly endsMs: number | null;
  /** How often the memory had been given up when it was read: believed without asking until it is given up again. */
  readonly emptied: number;
};

const TOO_MANY = 'Too many keys are being checked at once. Try again.';

/** A key that lives in a setting: changing that ends it, and, where it was made as others are, what revokes those. It goes by its account as others do. */
export type SettingKey = { readonly digest: Uint8Array; readonly caller: Caller };

/**
 * Key to caller. Callers lately seen are remembered by the key's own text: a SHA-256 for each request would cost more than all
 * the rest of this check, and the text is in memory anyway while its requests run. Looking it up gives no timing away: the table
 * is reached through a hash seeded for this process.
 *
 * The memory is believed only while `store.revision()` was seen unchanged within `keyTrustMs`; so a key revoked by any process
 * is dead here within a second, and where the store is out of reach calls fail rather than pass.
 */
export class Authenticator {
  readonly #store: Store;
  readonly #clock: Clock;
  /** Null for good once it was revoked: the store forgets that in the end. */
  #settingKey: SettingKey | null;
  /** On the plan that the account has by now; null while that is not active. */
  #settingCaller: Caller | null;
  readonly #known = new Map<string, Known>();
  /** Where each caller that is still about came from. */
  readonly #origins = new WeakMap<Caller, Known>();
  readonly #lookups = new Map<string, Promise<Caller | null>>();
  #revision = Number.NaN;
  #confirmedMs = Number.NEGATIVE_INFINITY;
  /** Where those wait whom nobody saw before: a key that opened something goes first, also when it must be asked for anew. */
  readonly #strangers = new Turnstile(LIMITS.strangeLookupsAtOnceMax, LIMITS.strangeLookupsWaitingMax, TOO_MANY);
  /** Counts how often the memory was given up, so that what was read before is not believed after. */
  #emptied = 0;

  constructor(store: Store, clock: Clock, settingKey: SettingKey | null) {
    this.#store = store;
    this.#clock = clock;
    this.#settingKey = settingKey;
    this.#settingCaller = settingKey?.caller ?? null;
  }

  /** Null for every key that opens nothing, whatever the reason. At once for a key lately seen. */
  authenticate(key: string): Caller | null | Promise<Caller | null> {
    const known = this.#known.get(key);
    if (known !== undefined && known.emptied === this.#emptied && this.#trusts() && this.#lives(known.endsMs)) return known.caller;
    if (this.#settingCaller !== null && timingSafeEqual(digestOf(key), this.#settingKey!.digest)) return this.#settingCaller;
    return isKey(key) ? this.#shared(key) : null;
  }

  /** Gives the memory up where any key or account changed since the last time. Due every `keyPollMs`. */
  async refresh(): Promise<void> {
    const askedMs = this.#clock.monotonicMs();
    const revision = await this.#store.revision();
    if (revision !== this.#revision) {
      if (this.#settingKey !== null && (await this.#store.wasEnded(this.#settingKey.digest))) this.#settingKey = null;
      this.#settingCaller = this.#settingKey === null ? null : await this.#atPresent(this.#settingKey);
      this.#revision = revision;
      this.#emptied += 1;
    }
    this.#confirmedMs = Math.max(this.#confirmedMs, askedMs);
  }

  /** A caller as he is by now, null where the key that he came with opens nothing any more; asks the store where something changed since that was last read. */
  async present(caller: Caller): Promise<Caller | null> {
    const origin = this.#origins.get(caller);
    if (origin === undefined) return this.#settingCaller;
    if (origin.emptied === this.#emptied && this.#lives(origin.endsMs)) return caller;
    const found = await this.#read(origin.digest);
    if (found === null) return null;
    const now = found.caller.plan === caller.plan ? caller : found.caller;
    this.#origins.set(now, found);
    return now;
  }

  async #atPresent({ caller }: SettingKey): Promise<Caller | null> {
    const account = await this.#store.accountById(caller.accountId);
    if (account?.status !== 'active') return null;
    const before = this.#settingCaller;
    return before?.plan === account.plan ? before : { ...caller, plan: account.plan };
  }

  #trusts(): boolean {
    return this.#clock.monotonicMs() - this.#confirmedMs < LIMITS.keyTrustMs;
  }

  #lives(endsMs: number | null): boolean {
    return endsMs === null || this.#clock.unixMs() < endsMs;
  }

  #shared(key: string): Promise<Caller | null> {
    const running = this.#lookups.get(key);
    if (running !== undefined) return running;
    const known = this.#known.has(key);
    if (this.#lookups.size >= LIMITS.keyLookupsMax || (!known && this.#strangers.full)) throw new AppError('overloaded', TOO_MANY, { retryAfter: 1 });
    const cameMs = this.#clock.monotonicMs();
    const look = (): Promise<Caller | null> => this.#lookUp(key, cameMs);
    const lookup = (known ? look() : this.#strangers.pass(look)).finally(() => this.#lookups.delete(key));
    this.#lookups.set(key, lookup);
    return lookup;
  }

  async #lookUp(key: string, cameMs: number): Promise<Caller | null> {
    const startedMs = this.#clock.monotonicMs();
    // Where the store does not answer, all who wait behind a few look-ups are told at once: in turn it would take minutes.
    if (startedMs - cameMs >= LIMITS.keyTrustMs) throw slow();
    const found = await this.#read(digestOf(key));
    // Whoever joined this look-up late must not get an answer from before a revocation he could know of.
    if (this.#clock.monotonicMs() - startedMs >= LIMITS.keyTrustMs) throw slow();
    if (found === null) {
      this.#known.delete(key);
      return null;
    }
    this.#origins.set(found.caller, found);
    if (found.emptied === this.#emptied) this.#remember(key, found);
    return found.caller;
  }

  async #read(digest: Uint8Array): Promise<Known | null> {
    const emptied = this.#emptied;
    const found = await this.#store.keyByDigest(digest);
    if (found === null) return null;
    const { key, account } = found;
    if (!timingSafeEqual(digest, key.digest) || account.status !== 'active' || !this.#lives(key.endsMs)) return null;
    return { caller: { accountId: account.id, keyId: key.id, kind: key.kind, plan: account.plan }, digest, endsMs: key.endsMs, emptied };
  }

  #remember(key: string, known: Known): void {
    if (!this.#known.has(key) && this.#known.size >= LIMITS.keysCachedMax) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(key, known);
  }
}

function slow(): AppError {
  return new AppError('store_unavailable', 'The account store is slow. Try again.', { retryAfter: 1 });
}
