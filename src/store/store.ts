import type { AccountStatus, Endpoint, KeyKind, PlanName } from '../model/account.ts';

export type Account = { readonly id: string; readonly email: string; readonly plan: PlanName; readonly status: AccountStatus; readonly createdMs: number };

export type Key = {
  readonly id: string;
  readonly accountId: string;
  readonly kind: KeyKind;
  /** SHA-256 of the key; the key itself is nowhere. */
  readonly digest: Uint8Array;
  readonly name: string;
  /** Its first characters, for people to tell their keys apart. */
  readonly hint: string;
  readonly createdMs: number;
  /** Dead from then on; null while nobody ended it. */
  readonly endsMs: number | null;
};

export type Invite = {
  readonly id: string;
  readonly digest: Uint8Array;
  readonly usesMax: number;
  readonly usesLeft: number;
  readonly createdMs: number;
  readonly expiresMs: number | null;
};

/** `day` counts from 1970-01-01 UTC. As an addition its numbers are added, and may be negative. */
export type Usage = {
  readonly day: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly endpoint: Endpoint;
  readonly requests: number;
  readonly units: number;
};

export type Page = { readonly afterId: string | null; readonly rowsMax: number };

/**
 * What outlives the process. Each method is one transaction; once its promise resolves, the change survives a crash of the
 * process, and (but for usage) of the machine. Rejects with `store_unavailable` where it cannot tell or keep; then nothing was done.
 * Emails come lower-cased. Lists go by id, which is by age. Passes `test/contract/store`.
 */
export interface Store {
  /** Adds the account, or gives the one that has its email. */
  addAccount(account: Account): Promise<Account>;
  accountByEmail(email: string): Promise<Account | null>;
  accounts(page: Page): Promise<Account[]>;
  /** False where there is no such account. */
  changeAccount(id: string, change: { readonly plan?: PlanName; readonly status?: AccountStatus }): Promise<boolean>;

  addKey(key: Key): Promise<void>;
  /** In whatever state the two are. */
  keyByDigest(digest: Uint8Array): Promise<{ readonly key: Key; readonly account: Account } | null>;
  keys(accountId: string | null, page: Page): Promise<Key[]>;
  /** Never makes a key end later than it did. False where there is no such key. */
  endKey(id: string, endsMs: number): Promise<boolean>;
  /** Ends a living key and adds its successor, both or neither. */
  replaceKey(id: string, replacement: { readonly nowMs: number; readonly endsMs: number; readonly next: Key }): Promise<boolean>;

  addInvite(invite: Invite): Promise<void>;
  invites(page: Page): Promise<Invite[]>;
  /** Spends one use and activates the waiting account, both or neither. */
  redeemInvite(digest: Uint8Array, accountId: string, nowMs: number): Promise<boolean>;

  addUsage(additions: readonly Usage[]): Promise<void>;
  /** Days inclusive; of one account, or of all. */
  usage(accountId: string | null, fromDay: number, toDay: number): Promise<Usage[]>;
  unitsOn(day: number): Promise<Map<string, number>>;

  /** The first value ever kept under the name: `fresh` where there was none. */
  secret(name: string, fresh: Uint8Array): Promise<Uint8Array>;
  /** Changes whenever a key or an account changed, by whichever process. */
  revision(): Promise<number>;
  close(): Promise<void>;
}
