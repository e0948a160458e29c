import { writeSync } from 'node:fs';
import { ensureAccount, issueKey } from '../../src/accounts/issue.ts';
import { openAccounts } from '../../src/accounts/open.ts';
import { Permit } from '../../src/accounts/permit.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

/** A process for tests to kill. Says on standard output what the store acknowledged, each line once it did. */
const [part, dataDir] = process.argv.slice(2);

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function spendForEver(store: Store): Promise<void> {
  const accounts = await openAccounts({ store, adminKey: null, onTrouble: (error) => { throw error; } });
  const caller = { accountId: 'acc', keyId: 'key', kind: 'external', plan: 'unlimited' } as const;
  for (let calls = 1; ; calls += 1) {
    const permit = await accounts.admit(caller, { endpoint: 'find', unitsMost: 3 });
    if (permit instanceof Permit) permit.settle(2);
    say(`${calls} ${Date.now()}`);
    await new Promise((resume) => setTimeout(resume, 2));
  }
}

/** Issues until the store refuses, waits for a line on standard input, and issues once more. */
async function issueOverFailure(store: Store): Promise<void> {
  const account = await ensureAccount(store, 'jo@example.com', { plan: 'preview', status: 'active', nowMs: Date.now() });
  const issue = () => issueKey(store, account.id, { kind: 'external', name: '', nowMs: Date.now() });
  const listed = async () => (await store.keys(account.id, { afterId: null, rowsMax: 100_000 })).length;
  let issued = 0;
  try {
    for (;;) {
      await issue();
      issued += 1;
    }
  } catch (error) {
    say(JSON.stringify({ issued, listed: await listed(), code: (error as { code?: string }).code }));
  }
  await new Promise((resume) => process.stdin.once('data', resume));
  await issue();
  say(JSON.stringify({ listed: await listed() }));
  process.stdin.destroy();
  await store.close();
}

const PARTS: Record<string, (store: Store) => Promise<void>> = { spendForEver, issueOverFailure };
await PARTS[part!]!(await openStore({ dataDir: dataDir! }));
