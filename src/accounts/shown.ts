import type { Account, Invite, Key } from '../store/store.ts';

/** What an operator sees of things, in a terminal and over the API: nothing that opens anything. */

export function shownAccount({ id, email, plan, status, createdMs }: Account) {
  return { id, email, plan, status, created_at: isoTime(createdMs) };
}

export function shownKey({ id, accountId, kind, hint, name, createdMs, endsMs }: Key, nowMs: number) {
  return { id, account_id: accountId, kind, hint, name, state: keyState(endsMs, nowMs), created_at: isoTime(createdMs), ends_at: endsMs === null ? null : isoTime(endsMs) };
}

export function shownInvite({ id, usesMax, usesLeft, createdMs, expiresMs }: Invite, nowMs: number) {
  const state = inviteState(usesLeft, expiresMs, nowMs);
  return { id, state, uses: usesMax, uses_left: usesLeft, created_at: isoTime(createdMs), expires_at: expiresMs === null ? null : isoTime(expiresMs) };
}

export type ShownAccount = ReturnType<typeof shownAccount>;
export type ShownKey = ReturnType<typeof shownKey>;
export type ShownInvite = ReturnType<typeof shownInvite>;

function keyState(endsMs: number | null, nowMs: number): 'active' | 'ending' | 'revoked' {
  if (endsMs === null) return 'active';
  return endsMs > nowMs ? 'ending' : 'revoked';
}

function inviteState(usesLeft: number, expiresMs: number | null, nowMs: number): 'open' | 'used' | 'expired' {
  if (usesLeft === 0) return 'used';
  return expiresMs !== null && expiresMs <= nowMs ? 'expired' : 'open';
}

function isoTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
