import type { AccountStatus, Endpoint, KeyKind, PlanName } from '../model/account.ts';
import type { OutdatedStore } from './outdated_store.ts';
import type { PlaygroundStore } from './playground_store.ts';
import type { SuppressionStore } from './suppression_store.ts';

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

export type Replacement = { readonly nowMs: number; readonly endsMs: number; readonly next: Key; readonly livingMax: number };
/** `ended`: the account has no such living key. */
export type Replaced = 'replaced' | 'ended' | 'too_many';

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
/** The keys of an account taken together. */
export type UsageOfAccount = Omit<Usage, 'keyId'>;

/**
 * What a process counted, under a name that no other process has, numbered from 1. A number that was added is never added again: who
 * could not be told whether it was gives the same batch once more.
 */
export type UsageBatch = { readonly writer: string; readonly number: number; readonly additions: readonly Usage[] };

/** What a process can be told of when another changed it: the keys with their accounts, or what is suppressed. */
export type ChangedPart = 'keys' | 'suppressions';

/** `passwordHash` is null for an account that an operator made: nobody signs in to it. */
export type Member = { readonly account: Account; readonly passwordHash: string | null };

/** All that was used under one name. */
export type UsageSum = { readonly name: string; readonly requests: number; readonly units: number };
/** `nextAfter`: the account that the next step begins after; null where this one was the last. */
export type UsageSums = { readonly sums: readonly UsageSum[]; readonly nextAfter: string | null };

export type Session = {
  /** SHA-256 of its token; the token itself is nowhere but in its owner's browser. */
  readonly digest: Uint8Array;
  readonly accountId: string;
  readonly createdMs: number;
  readonly usedMs: number;
};

export type PasswordChange = { readonly was: string; readonly becomes: string; readonly session: Session };

export type NewMember = {
  readonly account: Account;
  readonly passwordHash: string;
  /** With it comes the key that an account starts with. */
  readonly invite: { readonly digest: Uint8Array; readonly firstKey: Key } | null;
  readonly nowMs: number;
};

export type Admission = 'active' | 'waiting' | 'email_taken' | 'invite_refused';

export type Page = { readonly afterId: string | null; readonly rowsMax: number };

/**
 * What outlives the process. Each method is one transaction; once its promise resolves, the change survives a crash of the
 * process, and (but for usage) of the machine that keeps it. Rejects with `store_unavailable` where it cannot tell or keep; then
 * nothing was done, or, where a server was lost while it committed, all of it. Emails come lower-cased. Lists go by id, which is by
 * age. Passes `test/contract/store`.
 */
export interface Store extends MemberStore, SuppressionStore, PlaygroundStore, OutdatedStore {
  /** Adds the account, or gives the one that has its email. */
  addAccount(account: Account): Promise<Account>;
  accountByEmail(email: string): Promise<Account | null>;
  accountById(id: string): Promise<Account | null>;
  accounts(page: Page): Promise<Account[]>;
  /** False where there is no such account. */
  changeAccount(id: string, change: { readonly plan?: PlanName; readonly status?: AccountStatus }): Promise<boolean>;

  /** False where there is no such account. */
  addKey(key: Key): Promise<boolean>;
  /** In whatever state the two are, but for a key that was ended: of that there is none. */
  keyByDigest(digest: Uint8Array): Promise<{ readonly key: Key; readonly account: Account } | null>;
  /** Whether a key of this digest was ended; for as long as ended ones are kept. */
  wasEnded(digest: Uint8Array): Promise<boolean>;
  keys(accountId: string | null, page: Page): Promise<Key[]>;
  /** For good, whatever time it is for whoever asks: clocks of gateways differ, and may be put back. Of when it ended the earliest time is told. False where there is no such key. */
  endKey(id: string, endsMs: number): Promise<boolean>;
  /** Ends a living key and adds its successor, both or neither: not where the account would then have more than `livingMax` that live. */
  replaceKey(id: string, replacement: Replacement): Promise<Replaced>;

  addInvite(invite: Invite): Promise<void>;
  invites(page: Page): Promise<Invite[]>;
  /** False where there is no such invite. */
  dropInvite(id: string): Promise<boolean>;
  /** Spends one use and activates the waiting account, both or neither. */
  redeemInvite(digest: Uint8Array, accountId: string, nowMs: number): Promise<boolean>;

  addUsage(batch: UsageBatch): Promise<void>;
  /** By day, account and endpoint. Days inclusive; of one account, or of all. */
  usage(accountId: string | null, fromDay: number, toDay: number): Promise<UsageOfAccount[]>;
  /** Of all accounts that used some, or of some of them. */
  unitsOn(day: number, accountIds?: readonly string[]): Promise<Map<string, number>>;
  /** Of one day, by account or by endpoint; of the accounts behind `afterAccountId`, as many as the store adds up at once. */
  usageSums(day: number, by: 'account' | 'endpoint', afterAccountId: string | null): Promise<UsageSums>;

  /** The first value ever kept under the name: `fresh` where there was none. */
  secret(name: string, fresh: Uint8Array): Promise<Uint8Array>;
  /** Changes whenever a key or an account changed, by whichever process. */
  revision(): Promise<number>;
  /**
   * Calls back soon after a change, whoever made it, where the store hears of it; never where it does not, and a call may be lost. So
   * who must know asks `revision` and `suppressionChanges` every so often too.
   */
  onChange(part: ChangedPart, listener: () => void): void;
  close(): Promise<void>;
}

/** The part of the store that people need who sign in. The promises of `Store` hold here too. */
interface MemberStore {
  /**
   * Adds an account with its password; with an invite also spends one use of it, activates the account and adds its first key: all
   * or nothing. A refused invite is told before a taken email, and a taken email costs a write as a new one does.
   */
  addMember(member: NewMember): Promise<Admission>;
  memberByEmail(email: string): Promise<Member | null>;
  /** Only where `was` is still the hash; ends all sessions and begins `session`, which nobody has heard of. */
  changePassword(accountId: string, change: PasswordChange): Promise<boolean>;
  /** Whatever it was, also where there was none; ends all sessions. For the operator alone. */
  setPassword(accountId: string, hash: string): Promise<boolean>;
  /** Removes the account with its password, sessions and keys. What it used stays counted, under an id that names nobody. */
  deleteAccount(accountId: string): Promise<boolean>;

  /** Only where `passwordHash` is still the account's; so who signs in while the password changes stays out. Of more than `sessionsMax` the longest unused end. */
  addSession(session: Session, passwordHash: string, sessionsMax: number): Promise<boolean>;
  session(digest: Uint8Array): Promise<{ readonly session: Session; readonly member: Member } | null>;
  /** May be lost in a crash of the machine. */
  touchSession(digest: Uint8Array, usedMs: number): Promise<void>;
  endSession(digest: Uint8Array): Promise<void>;
  /** Forgets what was created, or last used, before. */
  forgetSessions(before: { readonly createdMs: number; readonly usedMs: number }): Promise<void>;

  keyOfAccount(accountId: string, id: string): Promise<Key | null>;
  /** Those that live after `afterMs`, by id from the newest back. Of more than `rowsMax` those are left out that end first. */
  keysOfAccount(accountId: string, afterMs: number, rowsMax: number): Promise<Key[]>;
  /** Only while the account is active and has fewer than `livingMax` keys that live. */
  addKeyOfAccount(key: Key, livingMax: number): Promise<boolean>;
  renameKey(accountId: string, id: string, name: string): Promise<boolean>;
}
