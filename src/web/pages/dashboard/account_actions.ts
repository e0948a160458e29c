import { seeOther } from '../../answers.ts';
import { setCookie } from '../../cookies.ts';
import { BAD_PASSWORD } from '../../parts/fields.ts';
import { ownForm } from '../../session.ts';
import type { Action, Actions } from './action.ts';
import { showDashboard } from './show.ts';

const redeem: Action = async (site, request, here) => {
  const { members } = site.accounts;
  const { invite } = await ownForm(request, site.seal, ['invite']);
  const { account, passwordHash } = here.visitor;
  // Another tab, or a second click, has opened it: the field that a refusal would be told at is not there any more.
  if (account.status !== 'waiting') return showDashboard(site, here, { told: { text: 'Your account waits for no invite: this one was not used.' } });
  const key = await members.redeem(here.visitor, invite);
  if (key === null) return showDashboard(site, here, { told: { text: 'This invite key opens nothing: it is mistyped, used up or expired.', field: 'invite', typed: invite } });
  return showDashboard(site, { ...here, visitor: { account: { ...account, status: 'active' }, passwordHash } }, { fresh: { key, first: true } });
};

const changePassword: Action = async (site, request, here) => {
  const form = await ownForm(request, site.seal, ['current', 'next']);
  const outcome = await site.accounts.members.changePassword(here.visitor, form);
  switch (outcome.kind) {
    case 'changed': return seeOther('/dashboard?done=password', [setCookie(request, 'session', outcome.token)]);
    case 'wrong': return showDashboard(site, here, { told: { text: 'The current password is wrong. Nothing was changed.', field: 'current' } });
    case 'bad_password': return showDashboard(site, here, { told: { text: BAD_PASSWORD, field: 'next' } });
    default: return outcome satisfies never;
  }
};

const deleteAccount: Action = async (site, request, here) => {
  const { password } = await ownForm(request, site.seal, ['password']);
  if (!(await site.accounts.members.deleteAccount(here.visitor, password))) {
    return showDashboard(site, here, { told: { text: 'The password is wrong. Nothing was deleted.', field: 'password' } });
  }
  site.accounts.recent.forget(here.visitor.account.id);
  return seeOther('/login?done=deleted', [setCookie(request, 'session', '')]);
};

export const ACCOUNT_ACTIONS: Actions = [
  ['/dashboard/invite', redeem],
  ['/dashboard/password', changePassword],
  ['/dashboard/delete', deleteAccount],
];
