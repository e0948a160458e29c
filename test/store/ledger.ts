import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { SuppressionTerm } from '../../src/model/suppression/term.ts';
import type { Invite, Key, NewMember, Store } from '../../src/store/store.ts';

/** A change that was acknowledged; `releasing` and `renewing` are told before they are begun. */
export type Entry =
  | readonly ['key' | 'invite' | 'member' | 'suppressed' | 'releasing' | 'released' | 'renewing', string]
  | readonly ['rotated', string, string];

export const OWNER_EMAIL = 'owner@example.com';
export const MEMBERS_OF_INVITE = 2;
const SUPPRESSED_TOGETHER = 5;

const ALL = { afterId: null, rowsMax: 1_000_000 };

export function plainKey(id: string, accountId: string): Key {
  return { id, accountId, kind: 'external', digest: sha256(id), name: '', hint: '', createdMs: 1, endsMs: null };
}

export function invitedBy(invite: Invite, id: string): NewMember {
  const account = { id, email: `${id}@example.com`, plan: 'preview', status: 'waiting', createdMs: 1 } as const;
  return { account, passwordHash: `hash of ${id}`, invite: { digest: invite.digest, firstKey: plainKey(`${id}.first`, id) }, nowMs: 1 };
}

export function terms(name: string): SuppressionTerm[] {
  return Array.from({ length: SUPPRESSED_TOGETHER }, (_, at) => ({ kind: 'domain', digest: sha256(`${name} ${at}`), value: `${at}.${name}` }));
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** That all acknowledged changes are there, and of all others, each whole or not at all. */
export async function checkLedger(store: Store, entries: readonly Entry[]): Promise<void> {
  const keys = new Map((await store.keys(null, ALL)).map((key) => [key.id, key]));
  const invites = new Map((await store.invites(ALL)).map((invite) => [invite.id, invite]));
  const members = (await store.accounts(ALL)).filter(({ email }) => email !== OWNER_EMAIL);
  const suppressed = countBy((await store.suppressions(null, { afterRevision: 0, rowsMax: 1_000_000 })).map(({ value }) => value!.replace(/^\d+\./, '')));

  for (const key of keys.values()) {
    const successor = keys.get(key.id.replace(/\.k$/, '.n'));
    if (key.id.endsWith('.k')) assert.equal(key.endsMs === null, successor === undefined, `${key.id} is replaced by half`);
  }
  for (const { id, status } of members) assert.ok(status === 'active' && keys.has(`${id}.first`), `${id} came by half`);
  const came = countBy(members.map(({ id }) => id.replace(/\.m\d+$/, '.i')));
  for (const { id, usesMax, usesLeft } of invites.values()) assert.equal(usesMax - usesLeft, came.get(id) ?? 0, `${id} was spent by half`);
  for (const [name, count] of suppressed) assert.equal(count, SUPPRESSED_TOGETHER, `${name} is suppressed by half`);

  const known = new Set(members.map(({ id }) => id));
  for (const [name, last] of lastOfEach(entries)) {
    const [kind, id, next] = last;
    switch (kind) {
      case 'key': assert.ok(keys.has(id), `${name} is lost`); break;
      case 'rotated': assert.ok(keys.get(id)?.endsMs === 2 && keys.has(next!), `${name} is lost`); break;
      case 'invite': assert.ok(invites.has(id), `${name} is lost`); break;
      case 'member': assert.ok(known.has(id), `${name} is lost`); break;
      case 'suppressed': assert.ok(suppressed.has(id), `${name} is lost`); break;
      case 'released': assert.ok(!suppressed.has(id), `${name} came back`); break;
      case 'releasing': case 'renewing': break;
      default: kind satisfies never;
    }
  }
}

/** The last line of what was suppressed; every line of the rest. */
function lastOfEach(entries: readonly Entry[]): Map<string, Entry> {
  return new Map(entries.map((entry) => [/^(?:suppressed|re(?:leas|new)ing|released)$/.test(entry[0]) ? `suppression ${entry[1]}` : `${entry[0]} ${entry[1]}`, entry]));
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
