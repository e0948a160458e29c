import type { Accounts } from '../accounts/open.ts';
import type { Administration } from '../accounts/administration.ts';
import type { SourceDesk } from '../find/source_desk.ts';
import type { Find } from '../find/find.ts';
import { describeSources, type CatalogView } from '../find/sources.ts';
import { schemaDocument, type EmailDescription } from '../find/schema.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import { REASONS } from '../validate/codes.ts';
import { STAGES } from '../validate/result.ts';
import { METRICS_CONTENT_TYPE } from '../telemetry/metrics.ts';
import { adminRoutes } from './admin_routes.ts';
import type { Client } from './client.ts';
import type { RequestHead } from './exchange.ts';
import type { Route } from './gateway.ts';
import { descriptionHandler, documentHandler } from './handlers/describe.ts';
import { findHandler } from './handlers/find.ts';
import { healthHandler, type HealthReport } from './handlers/health.ts';
import { inPlayground, playgroundFindHandler, playgroundValidateHandler } from './handlers/playground.ts';
import { usageHandler } from './handlers/usage.ts';
import { validateHandler, type ValidateParts } from './handlers/validate.ts';
import { validateProblem } from './handlers/validate_problem.ts';
import { openapiDocument } from './openapi.ts';
import type { Part } from './openapi/headed.ts';

type RouteParts = {
  readonly find: Find;
  readonly catalog: () => CatalogView;
  readonly accounts: Accounts;
  readonly administration: Administration;
  readonly desk: SourceDesk;
  readonly instruments: Instruments;
  readonly health: () => HealthReport;
  readonly validation: ValidateParts;
  readonly clientOf: (head: RequestHead) => Client;
};

const EMAIL: EmailDescription = { stages: STAGES, codes: REASONS };

/** With the OpenAPI document that describes them. */
type Described = { readonly routes: Route[]; readonly document: Part };

export function serviceRoutes({ find, catalog, accounts, administration, desk, instruments, health, validation, clientOf }: RouteParts): Described {
  const version = (): number => catalog().version;
  const sources = descriptionHandler(version, () => describeSources(catalog()));
  const schema = descriptionHandler(version, () => schemaDocument(catalog(), EMAIL, validation.emailsMax));
  const routes: Route[] = [
    { method: 'POST', path: '/v1/find', access: 'key', usage: 'find', units: 1, handle: findHandler({ find, catalog, instruments }) },
    { method: 'GET', path: '/v1/sources', access: 'key', usage: 'sources', units: 0, handle: sources },
    { method: 'GET', path: '/v1/schema', access: 'key', usage: 'schema', units: 0, handle: schema },
    {
      method: 'POST', path: '/v1/email/validate', access: 'key', usage: 'validate', units: 1,
      handle: validateHandler(validation), problem: validateProblem,
    },
    ...playgroundRoutes({ find, catalog, accounts, instruments, validation, clientOf, sources, schema }),
    { method: 'GET', path: '/v1/usage', access: 'key', usage: 'usage', units: 0, handle: usageHandler(accounts) },
    { method: 'GET', path: '/health', access: 'open', handle: healthHandler(health) },
    { ...metricsRoute(instruments), access: 'admin', usage: 'admin', units: 0 },
    ...adminRoutes(administration, desk),
  ];
  const served = new Set(routes.map(({ path }) => path));
  // Of the vocabularies of the configuration, whatever the sources are like: some 50 ms that no call is to wait for.
  const document = openapiDocument(catalog().vocabularies, served);
  return { routes: [...routes, { method: 'GET', path: '/openapi.json', access: 'open', handle: documentHandler(document) }], document };
}

type PlaygroundParts = Omit<RouteParts, 'administration' | 'desk' | 'health'> & Readonly<Record<'sources' | 'schema', Route['handle']>>;

/** No key, and a few calls a day for each client. */
function playgroundRoutes({ find, catalog, accounts, instruments, validation, clientOf, sources, schema }: PlaygroundParts): Route[] {
  const open = (method: string, path: string, handle: Route['handle']): Route => ({ method, path, access: 'open', handle: inPlayground(accounts.playground, clientOf, handle) });
  return [
    open('POST', '/playground/find', playgroundFindHandler({ find, catalog, instruments })),
    { ...open('POST', '/playground/email/validate', playgroundValidateHandler(validation.validator)), problem: validateProblem },
    open('GET', '/playground/sources', sources),
    open('GET', '/playground/schema', schema),
  ];
}

/** The separate port has nothing but the metrics, and needs no key: it is the operator's to shield. */
export function metricsRoutes(instruments: Instruments): Route[] {
  return [{ ...metricsRoute(instruments), access: 'open' }];
}

function metricsRoute({ metrics }: Instruments): Pick<Route, 'method' | 'path' | 'handle'> {
  return {
    method: 'GET', path: '/metrics',
    handle: (call) => call.answer({ status: 200, body: metrics.text(), contentType: METRICS_CONTENT_TYPE }),
  };
}
