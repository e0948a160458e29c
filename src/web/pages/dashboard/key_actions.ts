import { typedKeyName } from '../../../accounts/own_keys.ts';
import { LIMITS } from '../../../config/limits.ts';
import { AppError } from '../../../model/errors.ts';
import type { PageAnswer } from '../../../model/page.ts';
import { seeOther } from '../../answers.ts';
import { type Here, ownForm } from '../../session.ts';
import type { Site } from '../../site.ts';
import type { Action, Actions } from './action.ts';
import { showDashboard } from './show.ts';

const HOUR_MS = 3_600_000;
const TOO_MANY = `An account that is active has up to ${LIMITS.keysOfAccountMax} keys. Revoke one that is not in use.`;
const BAD_NAME = `A name has at most ${LIMITS.keyNameCharactersMax} characters.`;

const create: Action = async (site, request, here) => {
  const { name: typed } = await ownForm(request, site.seal, ['name']);
  const name = typedKeyName(typed);
  if (name === null) return misnamed(site, here, { typed });
  const issued = await site.accounts.keys.create(here.visitor, name);
  if (issued === null) return showDashboard(site, here, { told: { text: TOO_MANY } });
  return showDashboard(site, here, { fresh: { key: issued.key, first: false } });
};

const rename: Action = async (site, request, here) => {
  const { name: typed } = await ownForm(request, site.seal, ['name']);
  const name = typedKeyName(typed);
  if (name === null) return misnamed(site, here, { typed, key: idIn(request) });
  if (!(await site.accounts.keys.rename(here.visitor, idIn(request), name))) throw noSuchKey();
  return seeOther('/dashboard?done=renamed');
};

const rotate: Action = async (site, request, here) => {
  const { overlap } = await ownForm(request, site.seal, ['overlap']);
  if (!/^\d{1,3}$/.test(overlap)) throw new AppError('invalid_field', 'The overlap is a whole number of hours, at most 7 days.');
  const issued = await site.accounts.keys.rotate(here.visitor, idIn(request), Number(overlap) * HOUR_MS);
  if (issued === null) throw noSuchKey();
  return showDashboard(site, here, { fresh: { key: issued.key, first: false } });
};

const revoke: Action = async (site, request, here) => {
  await ownForm(request, site.seal, []);
  if (!(await site.accounts.keys.revoke(here.visitor, idIn(request)))) throw noSuchKey();
  return seeOther('/dashboard?done=revoked');
};

export const KEY_ACTIONS: Actions = [
  ['/dashboard/keys', create],
  ['/dashboard/keys/{id}/rename', rename],
  ['/dashboard/keys/{id}/rotate', rotate],
  ['/dashboard/keys/{id}/revoke', revoke],
];

/** Told at the field, which the dashboard of an account that waits does not have. */
function misnamed(site: Site, here: Here, named: { readonly typed: string; readonly key?: string }): Promise<PageAnswer> {
  return showDashboard(site, here, { told: here.visitor.account.status === 'waiting' ? { text: BAD_NAME } : { text: BAD_NAME, field: 'name', ...named } });
}

function idIn({ parameters }: { readonly parameters: ReadonlyMap<string, string> }): string {
  return parameters.get('id')!;
}

/** The same for a key of another account. */
function noSuchKey(): AppError {
  return new AppError('not_found', 'This account has no such key, or it has ended.');
}
