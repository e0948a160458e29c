import type { Account, Store } from '../store/store.ts';
import type { SettingKey } from './authenticate.ts';
import { ensureAccount, issueKey } from './issue.ts';
import { digestOf } from './key.ts';

const ADMIN_EMAIL = 'admin@localhost';
const DEMO_EMAIL = 'demo@localhost';
export const OWN_EMAILS: readonly string[] = [ADMIN_EMAIL, DEMO_EMAIL];

/** Makes the service's own accounts, so that nobody else can sign up under their emails. */
export async function takeOwnEmails(store: Store, nowMs: number): Promise<void> {
  for (const email of OWN_EMAILS) await ownAccount(store, email, nowMs);
}

/** The operator's own key from his settings. It is never stored. */
export async function settingKey(store: Store, key: string, nowMs: number): Promise<SettingKey> {
  const account = await ownAccount(store, ADMIN_EMAIL, nowMs);
  return { digest: digestOf(key), caller: { accountId: account.id, keyId: 'setting', kind: 'admin', plan: account.plan } };
}

/** Makes the first admin key, if there is a terminal to show it on and none was ever made. */
export async function ensureAdminKey(store: Store, { interactive, nowMs }: { readonly interactive: boolean; readonly nowMs: number }): Promise<string | null> {
  if (!interactive) return null;
  return firstKey(store, await ownAccount(store, ADMIN_EMAIL, nowMs), 'admin', nowMs);
}

/** Makes the key of the demo; null where it was made before, for it can be shown only once. */
export async function ensureDemoKey(store: Store, nowMs: number): Promise<string | null> {
  return firstKey(store, await ownAccount(store, DEMO_EMAIL, nowMs), 'external', nowMs);
}

function ownAccount(store: Store, email: string, nowMs: number): Promise<Account> {
  return ensureAccount(store, email, { plan: 'unlimited', status: 'active', nowMs });
}

async function firstKey(store: Store, account: Account, kind: 'external' | 'admin', nowMs: number): Promise<string | null> {
  const keys = await store.keys(account.id, { afterId: null, rowsMax: 1 });
  if (keys.length > 0) return null;
  return (await issueKey(store, account.id, { kind, name: 'first', nowMs })).key;
}
