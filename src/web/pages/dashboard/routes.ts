import type { PageAnswer, PageRequest, PageRoute } from '../../../model/page.ts';
import { seeOther } from '../../answers.ts';
import { hereOf } from '../../session.ts';
import type { Site } from '../../site.ts';
import { ACCOUNT_ACTIONS } from './account_actions.ts';
import type { Action } from './action.ts';
import { KEY_ACTIONS } from './key_actions.ts';
import { showDashboard } from './show.ts';

const NOTES = new Map([
  ['renamed', 'The key has its new name.'], ['revoked', 'The key is revoked: calls with it fail within a second.'],
  ['password', 'The password is changed. Other sessions are signed out.'],
]);

export function dashboardRoutes(site: Site): PageRoute[] {
  return [
    { method: 'GET', path: '/dashboard', handle: guarded(site, look, '/login') },
    ...[...KEY_ACTIONS, ...ACCOUNT_ACTIONS].map(([path, act]): PageRoute => ({ method: 'POST', path, handle: guarded(site, act, '/login?done=ended') })),
  ];
}

const look: Action = (site, { query }, here) => showDashboard(site, here, { done: NOTES.get(new URLSearchParams(query).get('done') ?? '') ?? null });

/** `ended` is where a visitor is sent who is not signed in, or no longer. */
function guarded(site: Site, act: Action, ended: string): (request: PageRequest) => Promise<PageAnswer> {
  return async (request) => {
    const here = await hereOf(request, site);
    return here === null ? seeOther(ended) : act(site, request, here);
  };
}
