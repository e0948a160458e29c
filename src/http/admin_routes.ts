import type { Administration } from '../accounts/administration.ts';
import type { SourceDesk } from '../find/source_desk.ts';
import type { Route } from './gateway.ts';
import { peopleHandlers } from './handlers/admin/people.ts';
import { sourceHandlers } from './handlers/admin/sources.ts';
import { suppressionHandlers } from './handlers/admin/suppressions.ts';
import { usageHandler } from './handlers/admin/usage.ts';
import { operatorsProblem } from './problem.ts';

type Verb = readonly [method: string, path: string, handle: Route['handle']];

/** What only an admin key opens. */
export function adminRoutes(administration: Administration, desk: SourceDesk): Route[] {
  const people = peopleHandlers(administration);
  const suppressions = suppressionHandlers(administration);
  const sources = sourceHandlers(desk);
  const routes: readonly Verb[] = [
    ['POST', '/admin/invites', people.createInvite],
    ['GET', '/admin/invites', people.invites],
    ['DELETE', '/admin/invites/{id}', people.dropInvite],
    ['GET', '/admin/accounts', people.accounts],
    ['PATCH', '/admin/accounts/{id}', people.changeAccount],
    ['POST', '/admin/keys', people.createKey],
    ['GET', '/admin/keys', people.keys],
    ['DELETE', '/admin/keys/{id}', people.endKey],
    ['GET', '/admin/usage', usageHandler(administration, Date.now)],
    ['GET', '/admin/sources', sources.list],
    ['POST', '/admin/sources/{name}/reload', sources.reload],
    ['POST', '/admin/suppressions', suppressions.add],
    ['GET', '/admin/suppressions', suppressions.list],
    ['DELETE', '/admin/suppressions', suppressions.remove],
  ];
  return routes.map(([method, path, handle]) => ({ method, path, handle, access: 'admin', usage: 'admin', units: 0, problem: operatorsProblem }));
}
