import { METHODS } from 'node:http';
import type { Caller } from '../accounts/caller.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Permit } from '../accounts/permit.ts';
import { monotonicMs, systemClock } from '../lib/clock.ts';
import type { Endpoint } from '../model/account.ts';
import { AppError, shuttingDown } from '../model/errors.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import type { Log } from '../telemetry/log.ts';
import { Repeats } from '../telemetry/repeats.ts';
import { Call, type ProblemForm } from './call.ts';
import type { Cors } from './cors.ts';
import type { Handler, RequestHead, UnreadAnswer } from './exchange.ts';
import { guardCaps } from './guard/caps.ts';
import { forbidden, guardKey } from './guard/key.ts';
import { problemAnswer } from './problem.ts';
import { clientRequestId, requestId } from './request_id.ts';
import { makeRouter, NO_PARAMETERS, type RouteMatch, type RoutePattern } from './router.ts';

/** `open` needs no key; `key` and `admin` are guarded, and counted under `usage`. */
export type Route = RoutePattern & {
  readonly handle: (call: Call) => void | Promise<void>;
  /** How failures on this path are worded, whatever the verb; as everywhere where it is left out. */
  readonly problem?: ProblemForm;
} & (
  | { readonly access: 'open' }
  /** `units`: what is reserved before the body is read. */
  | { readonly access: 'key' | 'admin'; readonly usage: Endpoint; readonly units: number }
);

type Guarded = Pick<Extract<Route, { readonly access: 'key' | 'admin' }>, 'access' | 'usage' | 'units'>;
const ADMIN_UNKNOWN: Guarded = { access: 'admin', usage: 'admin', units: 0 };

/** `starting` and `draining` are answered 503 everywhere but on `/health`, which says so itself, and to preflights. */
export type Phase = 'starting' | 'serving' | 'draining';

type GatewayParts = {
  readonly routes: readonly Route[];
  readonly accounts: Accounts;
  readonly cors: Cors;
  readonly log: Log;
  readonly instruments: Instruments;
  readonly phase: () => Phase;
};

const UNROUTED = 'unrouted';
const HEALTH = '/health';
const VERBS: ReadonlySet<string> = new Set(METHODS);
const OTHER_VERB = 'other';

/** Each request from the socket to its log line: path, verb, key, caps, then the endpoint, which reads the body. */
export function makeGateway(parts: GatewayParts): Handler {
  const route = makeRouter(parts.routes);
  const problems = new Map(parts.routes.flatMap(({ path, problem }) => (problem === undefined ? [] : [[path, problem]])));
  const told = new Repeats(systemClock);
  return async (exchange) => {
    const { head } = exchange;
    const match = route(head.method, head.path);
    const found = match.kind === 'found' ? match.route : null;
    const problem = found?.problem ?? ('path' in match ? problems.get(match.path) : undefined) ?? problemAnswer;
    const call = new Call(exchange, requestId(), match.kind === 'found' ? match.parameters : NO_PARAMETERS, problem, parts.accounts, parts.cors);
    try {
      const refusal = refuse(parts, found, head);
      if (refusal !== null) throw refusal;
      if (found !== null) await serve(parts, found, call);
      else await answerUnrouted(parts, match, call);
    } catch (error) {
      if (isForOperator(error, found, told)) parts.log.error('a request failed', { request_id: call.requestId, error });
      call.fail(error);
    } finally {
      // Whatever ended without saying its price cost nothing.
      call.settle(0);
      observe(parts, found?.path ?? UNROUTED, call);
    }
  };
}

/** A bug, and what the store failed of, which a caller is not told: for each path once a minute, however many callers are refused for it. */
function isForOperator(error: unknown, route: Route | null, told: Repeats): boolean {
  if (!(error instanceof AppError)) return true;
  return error.code === 'store_unavailable' && error.cause !== undefined && told.isNews(route?.path ?? UNROUTED, error.code);
}

/** Of a page whose preflight is refused the browser never asks the call itself, so that nobody hears why, and when to come back. */
function refuse({ phase: phaseNow, cors }: GatewayParts, route: Route | null, head: RequestHead): AppError | null {
  const phase = phaseNow();
  if (phase === 'serving' || route?.path === HEALTH || cors.isPreflight(head)) return null;
  return phase === 'starting'
    ? new AppError('starting', 'The service is loading its data. Try again in a moment.', { retryAfter: 1 })
    : shuttingDown();
}

function serve(parts: GatewayParts, route: Route, call: Call): void | Promise<void> {
  if (route.access === 'open') return route.handle(call);
  const admission = admit(parts, call, route);
  return admission instanceof Promise ? admission.then(() => route.handle(call)) : route.handle(call);
}

/** By the key, the caps, and on a route for operators the kind of key: throws the refusal. Does not wait where the key was lately seen and the caps are this gateway's own. */
function admit(parts: GatewayParts, call: Call, route: Guarded): void | Promise<void> {
  const verdict = guardKey(parts.accounts, call.exchange.head);
  return verdict instanceof Promise ? verdict.then((caller) => takeCaller(parts, call, route, caller)) : takeCaller(parts, call, route, verdict);
}

function takeCaller({ accounts }: GatewayParts, call: Call, route: Guarded, caller: Caller | AppError): void | Promise<void> {
  if (caller instanceof AppError) throw caller;
  call.caller = caller;
  const permit = guardCaps(accounts, caller, { endpoint: route.usage, unitsMost: route.units });
  return permit instanceof Promise ? permit.then((verdict) => takePermit(call, route, caller, verdict)) : takePermit(call, route, caller, permit);
}

function takePermit(call: Call, route: Guarded, caller: Caller, permit: Permit | AppError): void {
  const granted = !(permit instanceof AppError);
  if (granted) call.permit = permit;
  // Whoever tries is known by his key, and spends his burst; where none is left he learns nothing else.
  if (route.access === 'admin' && caller.kind !== 'admin') throw forbidden();
  if (!granted) throw permit;
}

/** What no route takes. Below `/admin/` only an operator learns which paths there are. */
async function answerUnrouted(parts: GatewayParts, match: RouteMatch<Route>, call: Call): Promise<void> {
  const { head } = call.exchange;
  if (match.kind === 'options') {
    call.answer({ status: 204, headers: parts.cors.options(head, match.allow), body: '' });
    return;
  }
  if (match.kind === 'wrong_verb') throw new AppError('method_not_allowed', `This path takes ${match.allow}.`, { allow: match.allow });
  if (head.path.startsWith('/admin/')) await admit(parts, call, ADMIN_UNKNOWN);
  throw new AppError('not_found', 'There is nothing at this path. GET /openapi.json describes every endpoint.');
}

/** Where a body is longer than it said, its rest stands before the verb of the next request: what is no verb may be part of a body, and is kept nowhere. */
function verbOf({ method }: RequestHead): string {
  return VERBS.has(method) ? method : OTHER_VERB;
}

/** Tells of the call where it is looked for: by the holder of its key, in the log, and in the metrics. */
function observe({ accounts, log, instruments }: GatewayParts, route: string, call: Call): void {
  const { requestId: id, exchange: { head }, caller, status, error, cap, rows, bytes, sources } = call;
  const method = verbOf(head);
  const units = call.permit?.charged ?? 0;
  const unixMs = Date.now();
  const ms = monotonicMs() - head.arrivedMs;
  const account = caller?.accountId ?? call.visitorId;
  if (caller !== null) accounts.recent.note(caller.accountId, { id, unixMs, keyId: caller.keyId, method, route, status, error, ms, rows, units });
  log.request({
    unixMs, id, clientRequestId: clientRequestId(head.headers.get('x-request-id')),
    account, key: caller?.keyId ?? null,
    route, method, target: account === null ? null : targetOf(call), status, error, cap, ms, rows, bytes, units, sources,
  });
  instruments.requests.add(1, route, status);
  instruments.requestSeconds.observe(ms / 1_000, route);
}

/** Null where nothing was done: what was named need not be an id. */
function targetOf({ made, parameters, done }: Call): string | null {
  return done ? made ?? parameters.get('id') ?? null : null;
}

/** What was answered before there was anything to route: whoever quotes the id of the answer is to be helped all the same. */
export function observeUnread({ log, instruments }: Pick<GatewayParts, 'log' | 'instruments'>, { requestId: id, status }: UnreadAnswer): void {
  log.request({
    unixMs: Date.now(), id, clientRequestId: null, account: null, key: null, route: UNROUTED, method: OTHER_VERB, target: null, status, error: null, cap: null,
    ms: 0, rows: 0, bytes: 0, units: 0, sources: [],
  });
  instruments.requests.add(1, UNROUTED, status);
}
