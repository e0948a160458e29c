import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Administration } from './accounts/administration.ts';
import { openAccounts, type Accounts } from './accounts/open.ts';
import { FailingLakes } from './app/failing_lakes.ts';
import { logNews, observeForeign, observeScans, tellCrowded, tellLost } from './app/telling.ts';
import { LIMITS } from './config/limits.ts';
import { thisMachine } from './config/load.ts';
import { connectionsMax } from './config/open_files.ts';
import { ConfigError } from './config/config_error.ts';
import type { Config } from './config/schema.ts';
import { VERSION } from './config/version.ts';
import { ForeignSources } from './federation/foreign_sources.ts';
import { Find } from './find/find.ts';
import { makeSourceDesk } from './find/source_desk.ts';
import { healthOfSources } from './find/sources.ts';
import { aborted } from './lib/aborted.ts';
import { systemClock, type Clock } from './lib/clock.ts';
import { within } from './lib/within.ts';
import { makeClients } from './http/client.ts';
import { makeCors } from './http/cors.ts';
import type { HttpServer, UnreadAnswer } from './http/exchange.ts';
import { makeGateway, observeUnread, type Phase } from './http/gateway.ts';
import { ListenError } from './http/listen_error.ts';
import { listenHttp } from './http/listen.ts';
import { pageRoutes } from './http/pages.ts';
import { metricsRoutes, serviceRoutes } from './http/routes.ts';
import type { Health } from './model/health.ts';
import type { Catalog } from './plan/catalog.ts';
import { mountsOf, vocabulariesOf } from './plan/lake_sources.ts';
import { LiveCatalog } from './plan/live_catalog.ts';
import { startForeignThread } from './pool/foreign_threads.ts';
import { loadSegments } from './pool/loader.ts';
import { ScanPool } from './pool/scan_pool.ts';
import { Suppression } from './pool/suppression.ts';
import { startThreads } from './pool/threads.ts';
import { Tallies } from './sources/replicas/tallies.ts';
import type { ForeignSettings } from './sources/source.ts';
import { mapsFiles } from './segment/mapping.ts';
import { Lakes, type LakesState } from './sources/lake/lakes.ts';
import type { RowsBudget } from './sources/lake/loading.ts';
import { openStore } from './store/open.ts';
import type { SharedCounts } from './store/shared_counts.ts';
import type { Store } from './store/store.ts';
import { openInstruments, type Instruments } from './telemetry/instruments.ts';
import type { Log } from './telemetry/log.ts';
import { LISTS_FOLDER } from './validate/lists/own.ts';
import { exposeValidator } from './validate/metrics.ts';
import { openValidator, type Validator } from './validate/open.ts';
import { openWeb } from './web/routes.ts';

/** The running service. Everything that lives as long as it does is made here, and closed here in the other order. */
export type App = {
  readonly port: number;
  readonly store: Store;
  /** True while there is no source to serve. */
  empty(): boolean;
  /** True while all that is served is the demonstration. */
  demo(): boolean;
  /** Looks for newly published data now instead of within `LIMITS.lakePollMs`. */
  reload(): Promise<void>;
  /** Ends the starting phase: until then every call is answered 503. */
  serve(): void;
  /** Lets what runs finish, within `LIMITS.drainMs`. */
  close(): Promise<void>;
};

const SECRET_BYTES = 32;

/** `lakesClock`: by which replaced snapshots are kept. `signal`: what is aborted while its lakes are loaded is open without them, to be closed. */
export async function openApp(config: Config, log: Log, lakesClock: Clock, signal?: AbortSignal): Promise<App> {
  let phase: Phase = 'starting';
  const parts = await openParts(config, log, lakesClock);
  const { store, lakes, live } = parts;
  const servers: HttpServer[] = [];
  const close = async (): Promise<void> => {
    phase = 'draining';
    await drain(servers, parts);
    await closeParts(parts, log);
  };
  try {
    for (const listen of listeners(config, log, parts, () => phase)) servers.push(await listen());
    await Promise.race([Promise.all([lakes.open(), parts.foreign.open()]), ...signal === undefined ? [] : [aborted(signal)]]);
    live.tellNews();
  } catch (error) {
    await close();
    throw error instanceof ListenError ? new ConfigError([error.message]) : error;
  }
  return {
    port: servers[0]!.port,
    store,
    empty: () => live.current.sources.length === 0,
    demo: () => live.current.demo,
    reload: () => lakes.reload(),
    serve: () => { phase = 'serving'; },
    close,
  };
}

type Parts = {
  readonly instruments: Instruments;
  readonly store: Store;
  /** Null where this gateway counts caps alone. */
  readonly shared: SharedCounts | null;
  readonly accounts: Accounts;
  readonly failing: FailingLakes;
  readonly pool: ScanPool;
  readonly suppression: Suppression;
  readonly lakes: Lakes;
  readonly foreign: ForeignSources;
  readonly live: LiveCatalog;
  readonly find: Find;
  readonly formSecret: Uint8Array;
  readonly validator: Validator;
};

async function openParts(config: Config, log: Log, lakesClock: Clock): Promise<Parts> {
  const instruments = openInstruments(() => log.dropped());
  const store = await openStore({ ...config, onWait: () => log.info('another process changes the tables of the store: waiting for it') });
  const shared = await openShared(config, log);
  const accounts = await openAccounts({ store, shared, adminKey: config.adminKey, onTrouble: (error) => log.error('the store failed', { error }), onWell: () => log.info('the store works again') });
  const live = new LiveCatalog({ declared: config.sources, extras: config.extras, demo: config.demo }, (news) => logNews(log, news));
  const failing = new FailingLakes(LIMITS.lakeFailingMs, (lakes) => live.takeFailing(lakes));
  const pool = new ScanPool(startThreads(config.scanThreads, { onLost: tellLost(log) }), observeScans(log, instruments, (mount) => failing.failed(mount)));
  const settingsOfForeign = foreignSettings(config);
  exposeTallies(instruments, settingsOfForeign);
  const foreign = new ForeignSources(startForeignThread(), settingsOfForeign, () => live.takeForeign(foreign.catalogSources()), observeForeign(log, instruments));
  live.takeForeign(foreign.catalogSources());
  const mount = (state: LakesState): void => {
    const segments = mountsOf(state, config, (index) => suppression.deadOf(index));
    pool.mount(segments, suppression.shared);
    suppression.mounted(segments);
  };
  const suppression = await Suppression.open({ dataDir: config.dataDir, databaseUrl: config.databaseUrl }, () => mount(live.lakes), {
    onTrouble: (error) => log.error('the suppressions cannot be followed', { error }),
    onWell: () => log.info('the suppressions are followed again'),
  });
  const lakes = new Lakes(config.dataDir, suppression.guard(loadSegments), rowsBudget(config), (state) => {
    mount(state);
    live.takeLakes(state);
  }, (error) => log.error('the lakes could not be looked at', { error }), lakesClock);
  const find = new Find(pool, foreign, () => live.current, await store.secret('cursor', randomBytes(SECRET_BYTES)));
  const formSecret = await store.secret('forms', randomBytes(SECRET_BYTES));
  const validator = openValidator({
    dnsServers: config.dnsServers, smtp: config.smtp, validatorUrl: config.validatorUrl, listsDir: join(config.dataDir, LISTS_FOLDER),
    onUnreadableList: (list, error) => log.error(`the list ${list} cannot be read: it stays as it was`, { error }),
  });
  exposeValidator(instruments.metrics, validator);
  if (shared !== null) exposeShared(instruments, shared, accounts);
  const parts = { instruments, store, shared, accounts, failing, pool, suppression, lakes, foreign, live, find, formSecret, validator };
  exposeHealth(parts);
  return parts;
}

/** What is mapped takes no memory of the process's own: the kernel gives it up where others need it. */
function rowsBudget({ mapFiles, rowsMemoryBytes }: Config): RowsBudget {
  const mapped = mapFiles && mapsFiles();
  return { mapped, memoryBytes: rowsMemoryBytes ?? (mapped ? 0 : Math.floor(thisMachine().memoryBytes / 4)) };
}

async function openShared({ redisUrl: url }: Config, log: Log): Promise<SharedCounts | null> {
  if (url === null) return null;
  const { openRedisCounts } = await import('./store/redis/redis_counts.ts');
  return openRedisCounts({ url, onChange: (reachable, error) => {
    if (reachable) log.info('the shared caps can be reached');
    else log.error('the shared caps are away: this gateway counts alone', { error });
  } });
}

function exposeShared({ metrics }: Instruments, shared: SharedCounts, accounts: Accounts): void {
  metrics.gauge('lds_shared_caps_reachable', '1 while Redis counts the caps of all gateways, 0 while this one counts alone.', () => Number(shared.reachable));
  metrics.counterOf('lds_shared_caps_missed_total', 'Calls let in or turned away by the caps of this gateway alone.', () => accounts.decidedAlone());
}

function foreignSettings({ sources, extras }: Config): ForeignSettings[] {
  const vocabularies = vocabulariesOf({ extras });
  return sources.flatMap((config) => (config.kind === 'lake' ? [] : [{ config, vocabulary: vocabularies[config.dataset], tallies: new Tallies().shared }]));
}

function exposeTallies({ metrics }: Instruments, sources: readonly ForeignSettings[]): void {
  const tallies = sources.map(({ config, tallies: shared }) => [config.name, new Tallies(shared)] as const);
  metrics.counterOf('lds_source_retries_total', 'Searches of a source that were asked again because they had failed.', ['source'], () => tallies.map(([name, { retries }]) => [[name], retries] as const));
  metrics.counterOf('lds_source_hedges_total', 'Searches of a source that were asked of a second server because the first was silent.', ['source'], () => tallies.map(([name, { hedges }]) => [[name], hedges] as const));
}

async function closeParts({ lakes, failing, pool, suppression, foreign, accounts, shared, store, instruments, validator }: Parts, log: Log): Promise<void> {
  validator.close();
  await lakes.close();
  await foreign.close();
  await pool.close();
  failing.close();
  await suppression.close();
  await accounts.close().catch((error: unknown) => log.error('the store did not take what was counted last', { error }));
  await shared?.close();
  await store.close();
  instruments.close();
}

/** The service's own port first; each function opens one. */
function listeners(config: Config, log: Log, parts: Parts, phase: () => Phase): (() => Promise<HttpServer>)[] {
  const { accounts, instruments, live, find, validator, store, suppression, lakes, foreign } = parts;
  const catalog = (): Catalog => live.current;
  const administration = new Administration(store, systemClock, suppression, () => accounts.flushUsage());
  const desk = makeSourceDesk(catalog, config.sources, {
    look: ({ name, kind }) => (kind === 'lake' ? lakes.look(name) : foreign.look(name)),
    lastFailure: (name) => foreign.lastFailure(name),
  });
  const gateway = { accounts, cors: makeCors(config.corsOrigins), log, instruments, phase };
  const settings = {
    host: config.host,
    onFault: (_: unknown, error: unknown) => log.error('a handler failed', { error }),
    onRefused: (reason: string) => log.warn('a request was cut off', { reason }),
    onUnread: (answer: UnreadAnswer) => observeUnread(gateway, answer),
  };
  const clientOf = makeClients(config.trustedProxies);
  const { routes: api, document } = serviceRoutes({
    find, catalog, accounts, administration, desk, instruments,
    health: () => ({ phase: phase(), version: VERSION, components: healthOf(parts) }),
    validation: { validator, emailsMax: config.validateEmailsMax },
    clientOf,
  });
  const web = openWeb({ accounts, catalog, document, formSecret: parts.formSecret, serves: (path) => api.some((route) => route.path === path) });
  const routes = [...api, ...pageRoutes({ ...web, clientOf })];
  const service = () => listenHttp(config.http, { ...settings, port: config.port, connectionsMax: connectionsMax(), onCrowded: tellCrowded(log) }, makeGateway({ ...gateway, routes }));
  const { metricsPort } = config;
  if (metricsPort === null) return [service];
  return [service, () => listenHttp('node', { ...settings, port: metricsPort, setting: 'LDS_METRICS_PORT' }, makeGateway({ ...gateway, routes: metricsRoutes(instruments) }))];
}

function healthOf({ pool, suppression, accounts, shared, live, validator }: Parts): Record<string, Health> {
  return {
    workers: workersHealth(pool),
    store: accounts.health(),
    validator: validator.health(),
    ...(shared === null ? {} : { redis: shared.health() }),
    suppressions: suppression.health(),
    ...Object.fromEntries(healthOfSources(live.current, live.looked).map(({ name, status, detail }) => [name, { status, detail }])),
  };
}

const UP = { ok: 1, degraded: 0.5, down: 0 } as const;

function exposeHealth(parts: Parts): void {
  parts.instruments.metrics.gauge('lds_component_up', 'As /health says: 1 ok, 0.5 degraded, 0 down.', ['component'], () => Object.entries(healthOf(parts)).map(([name, { status }]) => [[name], UP[status]]));
}

/** First no new connections, then an end to what takes too long, then to every connection. */
async function drain(servers: readonly HttpServer[], { pool, foreign, validator }: Parts): Promise<void> {
  const drained = Promise.all(servers.map((server) => server.drain()));
  await within(drained, LIMITS.drainMs - LIMITS.drainCancelMs);
  pool.cancelAll();
  foreign.cancelAll();
  validator.callOff();
  await within(drained, LIMITS.drainCancelMs);
  await Promise.all(servers.map((server) => server.close()));
}

function workersHealth(pool: ScanPool): Health {
  const { wanted, alive } = pool.threads;
  return { status: alive === 0 ? 'down' : alive < wanted ? 'degraded' : 'ok', detail: `${alive} of ${wanted} scan threads` };
}
