import type { Invite, Store } from '../store/store.ts';
import { DAY_MS } from '../lib/day.ts';
import { freshId, randomBase62 } from './base62.ts';
import { digestOf } from './key.ts';

const CODE = /^ldi_[0-9A-Za-z]{43}$/;

/** 43 base62 digits are 256 bits. `code` is shown now or never. */
export async function createInvite(
  store: Store,
  { uses, expiresDays, nowMs }: { readonly uses: number; readonly expiresDays: number | null; readonly nowMs: number },
): Promise<{ readonly code: string; readonly record: Invite }> {
  const code = `ldi_${randomBase62(43)}`;
  const expiresMs = expiresDays === null ? null : nowMs + expiresDays * DAY_MS;
  const record: Invite = { id: freshId('inv', nowMs), digest: digestOf(code), usesMax: uses, usesLeft: uses, createdMs: nowMs, expiresMs };
  await store.addInvite(record);
  return { code, record };
}

/** What a mail or a chat put into a code that was copied out of it, and no display shows. */
const UNSEEN = /[\s\p{Cf}]/gu;

/** A code as it was made, without what nobody can see in the one that was typed or pasted; empty where there is none. */
export function inviteCode(typed: string): string {
  return typed.replace(UNSEEN, '');
}

/** What an invite is kept under; null where the text can be none. */
export function inviteDigest(code: string): Uint8Array | null {
  return CODE.test(code) ? digestOf(code) : null;
}

/** False for any code that does not open, whatever the reason. */
export async function redeemInvite(store: Store, code: string, accountId: string, nowMs: number): Promise<boolean> {
  const digest = inviteDigest(code);
  return digest !== null && (await store.redeemInvite(digest, accountId, nowMs));
}
