import { LIMITS } from '../config/limits.ts';
import { asciiEmail, letteredEmail } from '../lib/domain_name.ts';
import type { AccountStatus, KeyKind, PlanName } from '../model/account.ts';
import { AppError } from '../model/errors.ts';
import type { Account, Key, Store } from '../store/store.ts';
import { freshId } from './base62.ts';
import { digestOf, hintOf, mintKey } from './key.ts';

export type Issued = { /** Shown now or never. */ readonly key: string; readonly record: Key };

/** Nothing in it is invisible, letters and marks that no display shows included: two accounts that read alike would be one to whoever activates them. */
const EMAIL = /^[^\s@\p{C}\p{DI}\u2800]+@[^\s@\p{C}\p{DI}\u2800]+$/u;

/** How an account's email is compared: an accent is one however it was typed, and so is a domain, which some browsers send in ASCII. Null where the text is none. */
export function accountEmail(text: string): string | null {
  const typed = text.trim();
  if (typed.length > LIMITS.emailCharactersMax || !EMAIL.test(typed)) return null;
  const email = asciiEmail(typed);
  return email.length <= LIMITS.emailCharactersMax ? email : null;
}

/** How an account's email is kept. Versions before this one kept a domain in the letters that were typed: such an account stays the one of its email. */
export async function keptEmail(store: Pick<Store, 'accountByEmail'>, email: string): Promise<string> {
  const lettered = letteredEmail(email);
  if (lettered === email) return email;
  const [account, former] = await Promise.all([store.accountByEmail(email), store.accountByEmail(lettered)]);
  return account === null && former !== null ? lettered : email;
}

/** Gives the account of the email; makes it where missing. */
export async function ensureAccount(store: Store, email: string, made: { readonly plan: PlanName; readonly status: AccountStatus; readonly nowMs: number }): Promise<Account> {
  return store.addAccount({ id: freshId('acc', made.nowMs), email: await keptEmail(store, email), plan: made.plan, status: made.status, createdMs: made.nowMs });
}

/** `conflict` where the account is gone, as one may be that was there a moment ago. */
export async function issueKey(store: Store, accountId: string, { kind, name, nowMs }: { readonly kind: KeyKind; readonly name: string; readonly nowMs: number }): Promise<Issued> {
  const issued = newKey(accountId, kind, name, nowMs);
  if (!(await store.addKey(issued.record))) throw new AppError('conflict', 'The account was deleted a moment ago.');
  return issued;
}

/** A successor of the same kind and name; the old key lives on for `overlapMs`. Null where the account has no such living key; `conflict` where too many would live. */
export async function rotateKey(store: Store, old: Key, { overlapMs, nowMs }: { readonly overlapMs: number; readonly nowMs: number }): Promise<Issued | null> {
  if (!(overlapMs >= 0 && overlapMs <= LIMITS.keyOverlapMsMax)) throw new AppError('invalid_field', 'The overlap of a rotation is at most 7 days.');
  const issued = newKey(old.accountId, old.kind, old.name, nowMs);
  const replaced = await store.replaceKey(old.id, { nowMs, endsMs: nowMs + overlapMs, next: issued.record, livingMax: LIMITS.keysOfAccountMax });
  if (replaced === 'too_many') throw new AppError('conflict', `An account has up to ${LIMITS.keysOfAccountMax} keys that live, those that are ending among them: let the old key end at once, or revoke one.`);
  return replaced === 'replaced' ? issued : null;
}

/** Not kept anywhere yet. */
export function newKey(accountId: string, kind: KeyKind, name: string, nowMs: number): Issued {
  const key = mintKey(kind);
  return { key, record: { id: freshId('key', nowMs), accountId, kind, digest: digestOf(key), name, hint: hintOf(key), createdMs: nowMs, endsMs: null } };
}
