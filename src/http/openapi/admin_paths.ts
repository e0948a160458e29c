import { MEDIA_TYPES } from '../../encode/negotiate.ts';
import { METRICS_CONTENT_TYPE } from '../../telemetry/metrics.ts';
import { LIMITS } from '../../config/limits.ts';
import { reference, type ComponentName } from './components.ts';
import { answer, bare, LIMITED, problems, type Part } from './headed.ts';

type Parameter = readonly [name: string, description: string, schema: Part];

type Operation = {
  readonly at: readonly [method: string, path: string];
  readonly id: string;
  readonly summary: string;
  readonly query?: readonly Parameter[];
  readonly takes?: readonly [schema: ComponentName, example: unknown];
  /** Null: 204. */
  readonly gives: readonly [status: 200 | 201, schema: ComponentName] | null;
};

const PAGE: readonly Parameter[] = [
  ['limit', `rows of a page, ${LIMITS.adminRowsDefault} unless told`, { type: 'integer', minimum: 1, maximum: LIMITS.adminRowsMax }],
  ['cursor', 'next_cursor of the page before', { type: 'string' }],
];
const DAY: Part = { type: 'string', format: 'date' };
const SUPPRESSED = { email: ['jo@example.com'], domain: ['example.org'] };

const OPERATIONS: readonly Operation[] = [
  { at: ['post', '/admin/invites'], id: 'createInvite', summary: 'Make an invite; its code is shown this once', takes: ['NewInvite', { uses: 5, expires_days: 14 }], gives: [201, 'MadeInvite'] },
  { at: ['get', '/admin/invites'], id: 'invites', summary: 'The invites, the oldest first', query: PAGE, gives: [200, 'Invites'] },
  { at: ['delete', '/admin/invites/{id}'], id: 'deleteInvite', summary: 'Make an invite open nothing any more', gives: null },
  { at: ['get', '/admin/accounts'], id: 'accounts', summary: 'The accounts, the oldest first', query: PAGE, gives: [200, 'Accounts'] },
  { at: ['patch', '/admin/accounts/{id}'], id: 'changeAccount', summary: 'Set plan and status of an account', takes: ['AccountChange', { plan: 'standard' }], gives: [200, 'Account'] },
  { at: ['post', '/admin/keys'], id: 'createKey', summary: 'Make a key; it is shown this once', takes: ['NewKey', { account: 'jo@example.com', plan: 'standard' }], gives: [201, 'MadeKey'] },
  { at: ['get', '/admin/keys'], id: 'keys', summary: 'The keys, the oldest first', query: [...PAGE, ['account_id', 'of this account alone', { type: 'string' }]], gives: [200, 'Keys'] },
  { at: ['delete', '/admin/keys/{id}'], id: 'revokeKey', summary: 'Revoke a key: it is dead everywhere within a second', gives: null },
  {
    at: ['get', '/admin/usage'], id: 'allUsage', summary: 'What everybody used', gives: [200, 'UsageTotals'],
    query: [['from', 'first day', DAY], ['to', 'last day, today unless told', DAY], ['by', 'what to add up by, day unless told', { enum: ['day', 'account', 'endpoint'] }]],
  },
  { at: ['get', '/admin/sources'], id: 'internalSources', summary: 'The sources with what callers never see', gives: [200, 'InternalSources'] },
  { at: ['post', '/admin/sources/{name}/reload'], id: 'reloadSource', summary: 'Look at a source now', gives: [200, 'InternalSource'] },
  { at: ['post', '/admin/suppressions'], id: 'suppress', summary: 'Add what must never be returned: in effect when it is answered, elsewhere within a second', takes: ['SuppressionBody', SUPPRESSED], gives: [200, 'Suppressed'] },
  {
    at: ['get', '/admin/suppressions'], id: 'suppressions', summary: 'What is suppressed, the oldest first; addresses as their SHA-256', gives: [200, 'Suppressions'],
    query: [...PAGE, ['kind', 'of this kind alone', { enum: ['email', 'domain', 'linkedin_url'] }]],
  },
  { at: ['delete', '/admin/suppressions'], id: 'unsuppress', summary: 'Take entries off the list', takes: ['SuppressionBody', SUPPRESSED], gives: [200, 'Unsuppressed'] },
];

const METRICS: Part = {
  operationId: 'metrics', tags: ['operation'], summary: 'What the service counts of itself, for Prometheus',
  responses: { 200: answer('As of now', { [METRICS_CONTENT_TYPE.split(';')[0]!]: { schema: { type: 'string' } } }), ...problems([401, 403, 429, 500, 503]) },
};

/** The operators' endpoints by path and verb. */
export function adminPaths(): Part {
  const paths: Record<string, Record<string, Part>> = {};
  for (const operation of OPERATIONS) (paths[operation.at[1]] ??= {})[operation.at[0]] = describe(operation);
  return { ...paths, '/metrics': { get: METRICS } };
}

function describe({ at: [, path], id, summary, query = [], takes, gives }: Operation): Part {
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const parameters = [...inPath, ...query.map(([name, description, schema]) => ({ name, in: 'query', description, schema }))];
  const failing = [...(takes || query.length > 0 ? [400] : []), 401, 403, ...(inPath.length > 0 ? [404] : []), ...(id === 'createKey' ? [409] : []), ...(takes ? [413, 415] : []), 429, 500, 503];
  return {
    operationId: id, tags: ['admin'], summary,
    ...(parameters.length > 0 && { parameters }),
    ...(takes && { requestBody: { required: true, content: { [MEDIA_TYPES.json]: { schema: reference(takes[0]), example: takes[1] } } } }),
    responses: {
      ...(gives === null
        ? { 204: bare('Done', LIMITED) }
        : { [gives[0]]: answer('Done', { [MEDIA_TYPES.json]: { schema: reference(gives[1]) } }) }),
      ...problems(failing),
    },
  };
}
