import { createInvite } from '../accounts/invite.ts';
import { LIMITS } from '../config/limits.ts';
import type { Invite } from '../store/store.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';
import { every, isoTime, printList, withStore } from './store.ts';
import { wholeOption } from './words.ts';

const HELP = `Usage:
  lds invites create [--uses N] [--expires DAYS] [--json]
  lds invites list [--json]

create  Makes an invite and prints it, alone, on standard output. It is shown this once.
list    Shows the invites by what may be shown of them.

Options:
  --uses N        How many accounts it activates (default 1).
  --expires DAYS  It opens nothing after so many days (default: never expires).
  --json          Print JSON.
`;

export const invitesCommand: Command = {
  name: 'invites',
  summary: 'Create and list invites',
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
    input.terminal.out(input.values['json'] === true ? `${JSON.stringify({ code, ...shown(record, record.createdMs) })}\n` : `${code}\n`);
    input.terminal.note(`Made ${record.id}. The invite is shown this once.\n`);
    return 0;
  });
}

async function list(input: CommandInput): Promise<number> {
  return withStore(input, async (store) => {
    const rows = (await every((page) => store.invites(page))).map((invite) => shown(invite, Date.now()));
    printList(input, ['id', 'state', 'uses', 'uses_left', 'created_at', 'expires_at'], rows);
    return 0;
  });
}

function shown({ id, usesMax, usesLeft, createdMs, expiresMs }: Invite, nowMs: number) {
  return { id, state: stateOf(usesLeft, expiresMs, nowMs), uses: usesMax, uses_left: usesLeft, created_at: isoTime(createdMs)!, expires_at: isoTime(expiresMs) };
}

function stateOf(usesLeft: number, expiresMs: number | null, nowMs: number): 'open' | 'used' | 'expired' {
  if (usesLeft === 0) return 'used';
  return expiresMs !== null && expiresMs <= nowMs ? 'expired' : 'open';
}
