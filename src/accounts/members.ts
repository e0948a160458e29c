import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, nothingOfWorld } from '../model/errors.ts';
import type { Store } from '../store/store.ts';
import { Attempts } from './attempts.ts';
import { freshId } from './base62.ts';
import { inviteCode, inviteDigest, redeemInvite } from './invite.ts';
import { accountEmail, issueKey, keptEmail, newKey } from './issue.ts';
import { type Passwords, passwordForm } from './password.ts';
import { beginSession, endSession, forgetDeadSessions, newSession, type Visitor, visitorOf } from './sessions.ts';

type SignUpForm = { readonly email: string; readonly password: string; /** Empty for none. */ readonly invite: string };
/** `waiting` also where the email has an account already: only its owner, who can sign in, learns that. */
export type SignedUp =
  | { readonly kind: 'active'; readonly accountId: string; /** Null where the store took the account and then no session: its owner signs in later. */ readonly token: string | null; readonly key: string }
  | { readonly kind: 'waiting' | 'bad_email' | 'bad_password' | 'bad_invite' };

/** Who has signed in, and the token for his browser. */
type SignedIn = { readonly accountId: string; readonly token: string };

type ChangedPassword = { readonly kind: 'changed'; readonly token: string } | { readonly kind: 'wrong' | 'bad_password' };

/** No name of the DNS has an empty part. Whoever has an account under such an address goes on to sign in with it. */
const EMPTY_PART = /@(?:.*\.)?(?:\.|$)/;

/** What it takes of an account that is opened to have a key at once. */
const FIRST_KEY = { kind: 'external', name: 'first' } as const;

/**
 * People who sign up and in: the rules, over a store that only keeps. `address` is whoever asks, as the edge of the house names him.
 * Who tries too often gets `rate_limited`, whatever he tried.
 */
export class Members {
  readonly #store: Store;
  readonly #passwords: Passwords;
  readonly #clock: Clock;
  readonly #attempts = new Attempts(LIMITS.attemptsWindowMs, LIMITS.attemptsTrackedMax);

  constructor(store: Store, passwords: Passwords, clock: Clock) {
    this.#store = store;
    this.#passwords = passwords;
    this.#clock = clock;
  }

  /** The password is hashed whether the email is new or known, and the answer takes as long. */
  async signUp({ email: typedEmail, password: typedPassword, invite: typedCode }: SignUpForm, address: string): Promise<SignedUp> {
    const email = accountEmail(typedEmail);
    if (email === null || EMPTY_PART.test(email)) return { kind: 'bad_email' };
    const password = passwordForm(typedPassword);
    if (password === null) return { kind: 'bad_password' };
    const code = inviteCode(typedCode);
    const digest = inviteDigest(code);
    this.#passwords.admit();
    this.#limit(`sign-up ${address}`, LIMITS.signUpsOfAddressMax);
    if (code !== '' && digest === null) return { kind: 'bad_invite' };
    const passwordHash = await this.#passwords.hash(password);
    const nowMs = this.#clock.unixMs();
    const account = { id: freshId('acc', nowMs), email: await keptEmail(this.#store, email), plan: 'preview', status: 'waiting', createdMs: nowMs } as const;
    const first = newKey(account.id, FIRST_KEY.kind, FIRST_KEY.name, nowMs);
    // An email that is known leaves the store less to write: neither is answered before the slower one usually is.
    const pause = sleep(LIMITS.admissionMsMin);
    const admission = await this.#store.addMember({ account, passwordHash, invite: digest === null ? null : { digest, firstKey: first.record }, nowMs });
    await pause;
    if (admission === 'invite_refused') return { kind: 'bad_invite' };
    if (admission !== 'active') return { kind: 'waiting' };
    // The key is shown now or never: whatever becomes of the session.
    const token = await beginSession(this.#store, account.id, passwordHash, nowMs).catch(nothingOfWorld);
    return { kind: 'active', accountId: account.id, token, key: first.key };
  }

  /** Null whatever was wrong, after the same work. `device`: what only a browser has in which somebody signed in under this email before. */
  async signIn(form: { readonly email: string; readonly password: string }, address: string, device: string | null = null): Promise<SignedIn | null> {
    const email = accountEmail(form.email) ?? '';
    this.#passwords.admit();
    const member = email === '' ? null : await this.#store.memberByEmail(await keptEmail(this.#store, email));
    // In one step with the hashing: whom the store fails, or who is sent away because many came while it was asked, has not tried.
    this.#passwords.admit();
    this.#limit(`sign-in from ${address}`, LIMITS.signInsOfAddressMax);
    const bounds = device === null
      ? [[`sign-in as ${email} from ${address}`, LIMITS.signInsOfEmailHereMax], [`sign-in as ${email}`, LIMITS.signInsOfEmailMax]] as const
      : [[`sign-in as ${email} on ${device}`, LIMITS.signInsOfEmailHereMax]] as const;
    for (const [name, attemptsMax] of bounds) this.#limit(name, attemptsMax);
    const stored = member?.passwordHash ?? null;
    const password = passwordForm(form.password);
    const matches = await this.#passwords.matches(password ?? '', stored);
    if (!matches || password === null || member === null || stored === null) return null;
    for (const [name] of bounds) this.#attempts.forget(name);
    const token = await beginSession(this.#store, member.account.id, stored, this.#clock.unixMs());
    return token === null ? null : { accountId: member.account.id, token };
  }

  signOut(token: string): Promise<void> {
    return endSession(this.#store, token);
  }

  /** Null for every token that opens nothing. */
  visitor(token: string): Promise<Visitor | null> {
    return visitorOf(this.#store, token, this.#clock.unixMs());
  }

  /** The account's first key; null for any code that does not open, and for an account that does not wait. */
  async redeem({ account }: Visitor, code: string): Promise<string | null> {
    this.limitChanges(account.id);
    const nowMs = this.#clock.unixMs();
    if (!(await redeemInvite(this.#store, inviteCode(code), account.id, nowMs))) return null;
    return (await issueKey(this.#store, account.id, { ...FIRST_KEY, nowMs })).key;
  }

  /** Ends every session, this one too: whoever has its token besides its owner is out. The owner goes on under another. */
  async changePassword(visitor: Visitor, form: { readonly current: string; readonly next: string }): Promise<ChangedPassword> {
    const next = passwordForm(form.next);
    if (next === null) return { kind: 'bad_password' };
    if (!(await this.#knows(visitor, form.current))) return { kind: 'wrong' };
    const becomes = await this.#passwords.hash(next);
    const { token, session } = newSession(visitor.account.id, this.#clock.unixMs());
    const changed = await this.#store.changePassword(visitor.account.id, { was: visitor.passwordHash, becomes, session });
    return changed ? { kind: 'changed', token } : { kind: 'wrong' };
  }

  /** With all its keys and sessions, for who knows the password; true also where another form of his has deleted it meanwhile. */
  async deleteAccount(visitor: Visitor, password: string): Promise<boolean> {
    if (!(await this.#knows(visitor, password))) return false;
    await this.#store.deleteAccount(visitor.account.id);
    return true;
  }

  /** Bounds what one account may change in a while, and so what it can make the store keep. */
  limitChanges(accountId: string): void {
    this.#limit(`change of ${accountId}`, LIMITS.changesOfAccountMax);
  }

  /** Forgets what is over. Due every so often. */
  async sweep(): Promise<void> {
    this.#attempts.sweep(this.#clock.monotonicMs());
    await forgetDeadSessions(this.#store, this.#clock.unixMs());
  }

  async #knows({ account, passwordHash }: Visitor, typed: string): Promise<boolean> {
    const name = `password of ${account.id}`;
    this.#passwords.admit();
    this.#limit(name, LIMITS.passwordsOfAccountMax);
    const password = passwordForm(typed);
    const matches = password !== null && (await this.#passwords.matches(password, passwordHash));
    if (matches) this.#attempts.forget(name);
    return matches;
  }

  #limit(name: string, attemptsMax: number): void {
    const waitSeconds = this.#attempts.tryOne(name, attemptsMax, this.#clock.monotonicMs());
    if (waitSeconds === null) return;
    throw new AppError('rate_limited', `That was tried too often. Try again in ${Math.ceil(waitSeconds / 60)} min.`, { retryAfter: waitSeconds, cap: 'attempts' });
  }
}
