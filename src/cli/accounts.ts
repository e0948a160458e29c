import { randomBase62 } from '../accounts/base62.ts';
import { keptEmail } from '../accounts/issue.ts';
import { makePasswords } from '../accounts/password.ts';
import { shownAccount } from '../accounts/shown.ts';
import { ACCOUNT_STATUSES, PLAN_NAMES } from '../model/account.ts';
import type { Account, Store } from '../store/store.ts';
import { EXIT, IN_STORE, UsageError, type Command, type CommandInput } from './command.ts';
import { shownOnce } from './shown_once.ts';
import { every, printList, withStore } from './store.ts';
import { emailWord, oneOf, verbOptions } from './words.ts';

const HELP = `Usage:
  lds accounts [--json]
  lds accounts set EMAIL [--plan PLAN] [--status STATUS]
  lds accounts password EMAIL

Without a verb it lists the accounts. set changes a plan or status; running gateways follow within a second. password gives
an account a new password, prints it, and nothing else, on stdout, and ends all its sessions: for an owner who forgot the old
one, or an account that never had one.

Options:
  --plan PLAN      preview (30 requests a minute, 10,000 units a day, 8 at once), standard (600, 1,000,000, 32) or unlimited
  --status STATUS  active, waiting or suspended; only the keys of an active account open anything
  --json           print the list as JSON

Examples:
  lds accounts set jo@example.com --plan standard

${IN_STORE}
Exits with 0 when done, 1 if there is no such account, 2 for a mistake in the command or the configuration.
`;

export const accountsCommand: Command = {
  help: HELP,
  options: { plan: { type: 'string' }, status: { type: 'string' }, json: { type: 'boolean' } },
  run(input) {
    const [verb, ...words] = input.files;
    if (verb === undefined || (verb === 'list' && words.length === 0)) return list(input);
    if (verb === 'set' && words.length === 1) return set(input, words[0]!);
    if (verb === 'password' && words.length === 1) return password(input, words[0]!);
    throw new UsageError('Say nothing to list, or set or password with the email of an account.');
  },
};

async function list(input: CommandInput): Promise<number> {
  verbOptions(input.values, 'The list', ['json']);
  return withStore(input, async (store) => {
    const rows = (await every((page) => store.accounts(page))).map(shownAccount);
    await printList(input, ['id', 'email', 'plan', 'status', 'created_at'], rows);
    return EXIT.done;
  });
}

async function set(input: CommandInput, word: string): Promise<number> {
  verbOptions(input.values, 'set', ['plan', 'status']);
  const email = emailWord(word);
  const plan = oneOf(input.values, 'plan', PLAN_NAMES);
  const status = oneOf(input.values, 'status', ACCOUNT_STATUSES);
  if (plan === undefined && status === undefined) throw new UsageError('Say what to set: --plan, --status or both.');
  return withAccount(input, email, async (store, account) => {
    await store.changeAccount(account.id, { ...(plan && { plan }), ...(status && { status }) });
    input.terminal.note(`${email}: ${plan ?? account.plan}, ${status ?? account.status}.\n`);
    return EXIT.done;
  });
}

/** 119 random bits: typed once, and changed on the dashboard. */
const PASSWORD_CHARACTERS = 20;

async function password(input: CommandInput, word: string): Promise<number> {
  verbOptions(input.values, 'password', []);
  const email = emailWord(word);
  return withAccount(input, email, async (store, account) => {
    const fresh = randomBase62(PASSWORD_CHARACTERS);
    const hash = await makePasswords().hash(fresh);
    if (!await shownOnce(input.terminal, `${fresh}\n`)) {
      input.terminal.note('The new password could not be shown: nothing was changed.\n');
      return EXIT.failed;
    }
    await store.setPassword(account.id, hash);
    input.terminal.note(`The new password of ${email}, shown this once. Its sessions have ended.\n`);
    return EXIT.done;
  });
}

function withAccount(input: CommandInput, email: string, change: (store: Store, account: Account) => Promise<number>): Promise<number> {
  return withStore(input, async (store) => {
    const account = await store.accountByEmail(await keptEmail(store, email));
    if (account === null) {
      input.terminal.note('There is no such account.\n');
      return EXIT.failed;
    }
    return change(store, account);
  });
}
