import { writeSync } from 'node:fs';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Entry, invitedBy, MEMBERS_OF_INVITE, OWNER_EMAIL, plainKey, terms } from './ledger.ts';

/** A process for tests to kill while it writes. Says on standard output each change that the store acknowledged, once it did. */
const [dataDir, databaseUrl, turns] = process.argv.slice(2) as [string, string?, string?];
const run = `${Date.now().toString(36)}.${process.pid}`;

function say(entry: Entry): void {
  writeSync(1, `${entry.join(' ')}\n`);
}

/** A change that the store could not tell of may have been done or not; the ledger has no line of it. */
async function attempt(entry: Entry, change: () => Promise<unknown>): Promise<boolean> {
  try {
    await change();
    say(entry);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== 'store_unavailable') throw error;
    await new Promise((resolve) => { setTimeout(resolve, 10); });
    return false;
  }
}

async function turn(store: Store, owner: string, name: string): Promise<void> {
  const key = plainKey(`${name}.k`, owner);
  if (await attempt(['key', key.id], () => store.addKey(key))) {
    const next = plainKey(`${name}.n`, owner);
    await attempt(['rotated', key.id, next.id], () => store.replaceKey(key.id, { nowMs: 1, endsMs: 2, next, livingMax: Number.MAX_SAFE_INTEGER }));
  }
  const invite = { id: `${name}.i`, digest: plainKey(`${name}.i`, '').digest, usesMax: MEMBERS_OF_INVITE, usesLeft: MEMBERS_OF_INVITE, createdMs: 1, expiresMs: null };
  if (await attempt(['invite', invite.id], () => store.addInvite(invite))) {
    for (let at = 0; at < MEMBERS_OF_INVITE; at += 1) {
      const member = invitedBy(invite, `${name}.m${at}`);
      await attempt(['member', member.account.id], () => store.addMember(member));
    }
  }
  const suppressed = terms(name);
  await attempt(['suppressed', name], () => store.addSuppressions(suppressed, 1));
  say(['releasing', name]);
  await attempt(['released', name], () => store.removeSuppressions(suppressed));
  say(['renewing', name]);
  await attempt(['suppressed', name], () => store.addSuppressions(suppressed, 1));
}

const store = await openStore({ dataDir, databaseUrl: databaseUrl || null });
// Of several writers at once the first makes the account, and all have it.
const owner = await store.addAccount({ id: `owner.${run}`, email: OWNER_EMAIL, plan: 'preview', status: 'active', createdMs: 1 });
for (let at = 0; at < Number(turns ?? Infinity); at += 1) await turn(store, owner.id, `${run}.${at}`);
await store.close();
