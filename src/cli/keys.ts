import { ensureAccount, issueKey, keptEmail } from '../accounts/issue.ts';
import { keyName } from '../accounts/own_keys.ts';
import { shownKey } from '../accounts/shown.ts';
import { LIMITS } from '../config/limits.ts';
import { PLAN_NAMES } from '../model/account.ts';
import type { Key, Store } from '../store/store.ts';
import { EXIT, IN_STORE, UsageError, type Command, type CommandInput } from './command.ts';
import { shownOnce } from './shown_once.ts';
import { every, printList, withStore } from './store.ts';
import { emailWord, oneOf, textOption, verbOptions } from './words.ts';

const HELP = `Usage:
  lds keys create --account EMAIL [--plan PLAN] [--admin] [--name NAME] [--json]
  lds keys list [--account EMAIL] [--json]
  lds keys revoke ID

create makes a key and prints it, and nothing else, on stdout. It is shown only this once. If there is no such account, an
active one is made. list shows the keys' ids, names and state, never the keys. revoke ends a key: running gateways refuse it
within a second.

Options:
  --account EMAIL  the account of the key
  --plan PLAN      preview (default for a new account), standard or unlimited; changes the plan of an existing account
  --admin          make an admin key, which also opens /admin/* and /metrics
  --name NAME      a name to tell keys apart
  --json           print the list, or the new key with its id and the rest, as JSON

Examples:
  KEY=$(lds keys create --account jo@example.com --plan standard)
  lds keys list --account jo@example.com

${IN_STORE}
Exits with 0 when done, 1 if there is no such account or key, 2 for a mistake in the command or the configuration.
`;

export const keysCommand: Command = {
  help: HELP,
  options: { account: { type: 'string' }, plan: { type: 'string' }, admin: { type: 'boolean' }, name: { type: 'string' }, json: { type: 'boolean' } },
  run(input) {
    const [verb, ...words] = input.files;
    if (verb === 'create' && words.length === 0) return create(input);
    if (verb === 'list' && words.length === 0) return list(input);
    if (verb === 'revoke' && words.length === 1) return revoke(input, words[0]!);
    throw new UsageError('Say create, list, or revoke with the id of a key.');
  },
};

async function create(input: CommandInput): Promise<number> {
  const { values, terminal } = input;
  const email = emailWord(textOption(values, 'account') ?? '');
  const plan = oneOf(values, 'plan', PLAN_NAMES);
  const name = keyName(textOption(values, 'name') ?? '');
  if (name === null) throw new UsageError(`--name takes at most ${LIMITS.keyNameCharactersMax} visible characters.`);
  return withStore(input, async (store) => {
    const nowMs = Date.now();
    const account = await ensureAccount(store, email, { plan: plan ?? 'preview', status: 'active', nowMs });
    if (plan !== undefined && plan !== account.plan) await store.changeAccount(account.id, { plan });
    const { key, record } = await issueKey(store, account.id, { kind: values['admin'] === true ? 'admin' : 'external', name, nowMs });
    if (!await shownOnce(terminal, values['json'] === true ? `${JSON.stringify({ key, ...keyRow(record, account.email) })}\n` : `${key}\n`)) {
      await store.endKey(record.id, Date.now());
      terminal.note('The key could not be shown, and was revoked: make another.\n');
      return EXIT.failed;
    }
    terminal.note(`Made ${record.id} for ${email} on the ${plan ?? account.plan} plan. The key is shown this once.\n`);
    const member = await store.memberByEmail(account.email);
    if (member !== null && member.passwordHash !== null) terminal.note(signedUp(email));
    if (account.status !== 'active') terminal.note(`The account is ${account.status}: its keys open nothing until "lds accounts set ${email} --status active".\n`);
    return EXIT.done;
  });
}

/** No mail is sent: whoever came first has the account of an email, and what an operator makes of it is his. */
function signedUp(email: string): string {
  return `Somebody signed up under ${email}, which nobody has verified: the account and its plan are his too. If it should not be, "lds accounts password ${email}" shuts him out; revoke the keys that he made.\n`;
}

async function list(input: CommandInput): Promise<number> {
  verbOptions(input.values, 'list', ['account', 'json']);
  const email = textOption(input.values, 'account');
  return withStore(input, async (store) => {
    const rows = await keyRows(store, email === undefined ? null : emailWord(email));
    if (rows === null) {
      input.terminal.note('There is no such account.\n');
      return EXIT.failed;
    }
    await printList(input, ['id', 'hint', 'kind', 'state', 'account', 'created_at', 'name'], rows);
    return EXIT.done;
  });
}

async function keyRows(store: Store, email: string | null) {
  const account = email === null ? null : await store.accountByEmail(await keptEmail(store, email));
  if (email !== null && account === null) return null;
  const emails = new Map((account === null ? await every((page) => store.accounts(page)) : [account]).map(({ id, email }) => [id, email]));
  const keys = await every((page) => store.keys(account?.id ?? null, page));
  return keys.map((key) => keyRow(key, emails.get(key.accountId) ?? ''));
}

function keyRow(key: Key, account: string) {
  const { id, account_id: _, ...shown } = shownKey(key, Date.now());
  return { id, account, ...shown };
}

async function revoke(input: CommandInput, id: string): Promise<number> {
  verbOptions(input.values, 'revoke', []);
  return withStore(input, async (store) => {
    const known = await store.endKey(id, Date.now());
    input.terminal.note(known ? 'Revoked. Running servers refuse the key within a second.\n' : 'There is no key of that id: "lds keys list" shows them.\n');
    return known ? EXIT.done : EXIT.failed;
  });
}
