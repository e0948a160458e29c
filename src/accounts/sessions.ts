import { randomBytes } from 'node:crypto';
import { LIMITS } from '../config/limits.ts';
import { nothingOfWorld } from '../model/errors.ts';
import type { Account, Member, Session, Store } from '../store/store.ts';
import { digestOf } from './key.ts';

/** Whoever is signed in, for one request. */
export type Visitor = { readonly account: Account; readonly passwordHash: string };

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** With a token of 256 bits for the browser; not kept anywhere yet. */
export function newSession(accountId: string, nowMs: number): { readonly token: string; readonly session: Session } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, session: { digest: digestOf(token), accountId, createdMs: nowMs, usedMs: nowMs } };
}

/** The token; null where the password changed since it was checked, or the account is gone. */
export async function beginSession(store: Store, accountId: string, passwordHash: string, nowMs: number): Promise<string | null> {
  const { token, session } = newSession(accountId, nowMs);
  return (await store.addSession(session, passwordHash, LIMITS.sessionsOfAccountMax)) ? token : null;
}

/** Null for every token that opens nothing. Finding by digest gives no timing away: it tells about a hash, not about the token. */
export async function visitorOf(store: Store, token: string, nowMs: number): Promise<Visitor | null> {
  if (!TOKEN.test(token)) return null;
  const found = await store.session(digestOf(token));
  if (found === null || !lives(found.session, nowMs)) return null;
  const { session, member } = found;
  if (nowMs - session.usedMs >= LIMITS.sessionTouchMs) await touch(store, session, nowMs);
  return asVisitor(member);
}

/** A store that reads and takes nothing, such as one on a full disk, keeps nobody from looking: the session only ends sooner. */
async function touch(store: Store, { digest }: Session, nowMs: number): Promise<void> {
  await store.touchSession(digest, nowMs).catch(nothingOfWorld);
}

export async function endSession(store: Store, token: string): Promise<void> {
  if (TOKEN.test(token)) await store.endSession(digestOf(token));
}

export function forgetDeadSessions(store: Store, nowMs: number): Promise<void> {
  return store.forgetSessions({ createdMs: nowMs - LIMITS.sessionMs, usedMs: nowMs - LIMITS.sessionIdleMs });
}

/** One of a later time than a clock that is put right or another gateway's may show would else live until that time had come. */
function lives({ createdMs, usedMs }: Session, nowMs: number): boolean {
  const isFromLater = Math.max(createdMs, usedMs) - nowMs >= LIMITS.sessionIdleMs;
  return !isFromLater && nowMs - createdMs < LIMITS.sessionMs && nowMs - usedMs < LIMITS.sessionIdleMs;
}

function asVisitor({ account, passwordHash }: Member): Visitor | null {
  return passwordHash === null ? null : { account, passwordHash };
}
