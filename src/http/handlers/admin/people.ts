import { z } from 'zod';
import type { Administration } from '../../../accounts/administration.ts';
import { accountEmail } from '../../../accounts/issue.ts';
import { keyName } from '../../../accounts/own_keys.ts';
import { LIMITS } from '../../../config/limits.ts';
import { ACCOUNT_STATUSES, PLAN_NAMES } from '../../../model/account.ts';
import type { Call } from '../../call.ts';
import { ID, nothingThere, oneOf, PAGE, pageOf, readBody, readParameters, whole } from './form.ts';

export const NEW_INVITE = z.strictObject({
  uses: whole(1, LIMITS.inviteUsesMax).optional().describe('accounts it activates; 1 unless told'),
  expires_days: whole(1, LIMITS.inviteDaysMax).optional().describe('never expires unless told'),
});

export const ACCOUNT_CHANGE = z.strictObject({ plan: oneOf(PLAN_NAMES).optional(), status: oneOf(ACCOUNT_STATUSES).optional() })
  .refine(({ plan, status }) => plan !== undefined || status !== undefined, 'Say what to change: plan, status or both.')
  .meta({ minProperties: 1 });

const NAME = `at most ${LIMITS.keyNameCharactersMax} visible characters`;

export const NEW_KEY = z.strictObject({
  account: z.string('an email address').refine((text) => accountEmail(text) !== null, 'an email address').describe('email of the account; a missing one is made, active'),
  kind: oneOf(['external', 'admin']).optional().describe('external unless told'),
  plan: oneOf(PLAN_NAMES).optional().describe('sets the plan of the account'),
  name: z.string(NAME).refine((text) => keyName(text) !== null, NAME).meta({ maxLength: LIMITS.keyNameCharactersMax }).optional().describe('for people to tell keys apart'),
});

const LIST = z.strictObject(PAGE);
const KEY_LIST = z.strictObject({ ...PAGE, account_id: ID.optional() });

/** Invites, accounts and keys of everybody. A key and an invite are shown in the answer that makes them, and never again. */
export function peopleHandlers(administration: Administration) {
  return {
    createInvite: async (call: Call) => {
      const body = await readBody(call, NEW_INVITE, { uses: 5, expires_days: 14 });
      if (body !== null) call.answerCreated(await administration.createInvite({ uses: body.uses ?? 1, expiresDays: body.expires_days ?? null }));
    },
    invites: async (call: Call) => {
      const { rows, next } = await administration.invites(pageOf(readParameters(call, LIST)));
      call.answerJson({ invites: rows, next_cursor: next });
    },
    dropInvite: async (call: Call) => {
      if (!await administration.dropInvite(call.parameters.get('id')!)) throw nothingThere('invite');
      call.answerNothing();
    },
    accounts: async (call: Call) => {
      const { rows, next } = await administration.accounts(pageOf(readParameters(call, LIST)));
      call.answerJson({ accounts: rows, next_cursor: next });
    },
    changeAccount: async (call: Call) => {
      const body = await readBody(call, ACCOUNT_CHANGE, { plan: 'standard' });
      if (body === null) return;
      const change = { ...(body.plan && { plan: body.plan }), ...(body.status && { status: body.status }) };
      const account = await administration.changeAccount(call.parameters.get('id')!, change);
      if (account === null) throw nothingThere('account');
      call.answerJson(account);
    },
    createKey: async (call: Call) => {
      const body = await readBody(call, NEW_KEY, { account: 'jo@example.com', plan: 'standard' });
      if (body === null) return;
      const { account, kind, plan, name } = body;
      call.answerCreated(await administration.createKey({ email: accountEmail(account)!, kind: kind ?? 'external', name: keyName(name ?? '')!, ...(plan && { plan }) }));
    },
    keys: async (call: Call) => {
      const { account_id: accountId, ...page } = readParameters(call, KEY_LIST);
      const { rows, next } = await administration.keys(accountId ?? null, pageOf(page));
      call.answerJson({ keys: rows, next_cursor: next });
    },
    endKey: async (call: Call) => {
      if (!await administration.endKey(call.parameters.get('id')!)) throw nothingThere('key');
      call.answerNothing();
    },
  };
}
