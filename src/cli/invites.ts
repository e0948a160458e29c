import { createInvite } from '../accounts/invite.ts';
import { shownInvite } from '../accounts/shown.ts';
import { LIMITS } from '../config/limits.ts';
import { EXIT, IN_STORE, UsageError, type Command, type CommandInput } from './command.ts';
import { shownOnce } from './shown_once.ts';
import { every, printList, withStore } from './store.ts';
import { verbOptions, wholeOption } from './words.ts';

const HELP = `Usage:
  lds invites create [--uses N] [--expires DAYS] [--json]
  lds invites list [--json]

create makes an invite and prints it, and nothing else, on stdout. It is shown only this once. list shows the invites' ids,
uses and expiry, never the invites.

Options:
  --uses N        how many accounts it activates (default 1)
  --expires DAYS  days until it expires (default: never)
  --json          print JSON

Examples:
  lds invites create --uses 20 --expires 14

${IN_STORE}
Exits with 0 when done, 1 when it failed, 2 for a mistake in the command or the configuration.
`;

export const invitesCommand: Command = {
  help: HELP,
  options: { uses: { type: 'string' }, expires: { type: 'string' }, json: { type: 'boolean' } },
  run(input) {
    const [verb, ...words] = input.files;
    if (verb === 'create' && words.length === 0) return create(input);
    if (verb === 'list' && words.length === 0) return list(input);
    throw new UsageError('Say create or list.');
  },
};

async function create(input: CommandInput): Promise<number> {
  const uses = wholeOption(input.values, 'uses', 1, LIMITS.inviteUsesMax) ?? 1;
  const expiresDays = wholeOption(input.values, 'expires', 1, LIMITS.inviteDaysMax) ?? null;
  return withStore(input, async (store) => {
    const { code, record } = await createInvite(store, { uses, expiresDays, nowMs: Date.now() });
    if (!await shownOnce(input.terminal, input.values['json'] === true ? `${JSON.stringify({ code, ...shownInvite(record, record.createdMs) })}\n` : `${code}\n`)) {
      await store.dropInvite(record.id);
      input.terminal.note('The invite could not be shown, and was dropped: make another.\n');
      return EXIT.failed;
    }
    input.terminal.note(`Made ${record.id}. The invite is shown this once.\n`);
    return EXIT.done;
  });
}

async function list(input: CommandInput): Promise<number> {
  verbOptions(input.values, 'list', ['json']);
  return withStore(input, async (store) => {
    const rows = (await every((page) => store.invites(page))).map((invite) => shownInvite(invite, Date.now()));
    await printList(input, ['id', 'state', 'uses', 'uses_left', 'created_at', 'expires_at'], rows);
    return EXIT.done;
  });
}
