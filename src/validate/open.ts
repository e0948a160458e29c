import { hostname } from 'node:os';
import { LIMITS } from '../config/limits.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { shuttingDown } from '../model/errors.ts';
import type { Health } from '../model/health.ts';
import type { Status } from './codes.ts';
import { healthOf } from './health.ts';
import { KnownResults } from './known_results.ts';
import type { Wanted } from './compose.ts';
import { Deadline } from './deadline.ts';
import { openMailRoutes } from './dns/open.ts';
import { watchOwnLists, type Unreadable } from './lists/own.ts';
import { openLists } from './lists/lists.ts';
import { LookupCache, NO_LOOKUPS, type CacheCounts } from './lookup_cache.ts';
import { isPublicAddress } from './public_address.ts';
import type { Stage, Validation } from './result.ts';
import type { ResultTexts } from './result_texts.ts';
import { Run, type CallFacts, type Outlet, type Stages } from './run.ts';
import { Screen } from './screen.ts';
import { openOwnProbe, type MailboxFinding } from './smtp/mailbox.ts';
import { openReacherProbe } from './smtp/reacher.ts';

export type ValidatorSettings = {
  /** Addresses, each with a port or none; empty for the system's own resolvers. */
  readonly dnsServers: readonly string[];
  /** Whether this machine may talk to mail hosts. */
  readonly smtp: boolean;
  /** A Reacher server that takes the mailbox stage over. */
  readonly validatorUrl: string | null;
  /** Where the operator's own lists stand; null for none. */
  readonly listsDir: string | null;
  readonly onUnreadableList?: Unreadable;
  /** For tests, which have loopback alone: what addresses may be used, and the port of mail hosts there. */
  readonly loopback?: { readonly isUsable: (address: string) => boolean; readonly smtpPort: number };
  readonly ownName?: string;
  readonly controlName?: string;
  /** For tests: see `DnsSettings`. */
  readonly dnsPatience?: number;
  readonly clock?: Clock;
};

type ValidateOptions = {
  /** Null for all that are on. Syntax always runs. */
  readonly stages: readonly Stage[] | null;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
};

export type StreamEnd = CallFacts & { readonly tookMs: number };
export type BulkAnswer = StreamEnd & { readonly results: readonly Validation[] };

type ValidatorCounts = {
  readonly caches: Readonly<Record<'results' | 'profiles' | 'routes' | 'mx' | 'addresses' | 'absent' | 'mailboxes' | 'catch_alls' | 'unwelcome', CacheCounts>>;
  readonly dnsQueries: number;
  readonly mailSessions: number;
  readonly results: Readonly<Record<Status, number>>;
};

export type Validator = {
  /** One result an address, in their order. Rejects with `validator_unreachable` and `shutting_down` alone. */
  validate(addresses: readonly unknown[], options: ValidateOptions): Promise<BulkAnswer>;
  /** Writes results as they come, each with its place in `addresses`; resolves after the last. */
  write(addresses: readonly unknown[], options: ValidateOptions, texts: ResultTexts): Promise<StreamEnd>;
  metrics(): ValidatorCounts;
  health(): Health;
  /** Has calls under way, and those that come still, reject with `shutting_down`: one may last longer than the service has to end. */
  callOff(): void;
  close(): void;
};

export function openValidator(settings: ValidatorSettings): Validator {
  const { loopback, clock = systemClock } = settings;
  const now = (): number => clock.monotonicMs();
  const screen = new Screen(openLists());
  const unwatch = settings.listsDir === null ? null : watchOwnLists(settings.listsDir, (own) => screen.use(openLists(own)), settings.onUnreadableList ?? (() => {}));
  const routes = openMailRoutes({
    servers: settings.dnsServers, isUsable: loopback?.isUsable ?? isPublicAddress, now,
    ...(settings.controlName === undefined ? {} : { controlName: settings.controlName }),
    ...(settings.dnsPatience === undefined ? {} : { patience: settings.dnsPatience }),
  });
  const probe = settings.validatorUrl !== null ? openReacherProbe(settings.validatorUrl)
    : settings.smtp ? openOwnProbe({ port: loopback?.smtpPort ?? LIMITS.smtpPort, ownName: settings.ownName ?? ownName(), now }, routes) : null;
  const mailboxes = new LookupCache<MailboxFinding>(LIMITS.mailboxesCachedMax, LIMITS.dnsStaleMsSoft, () => Promise.reject(new Error('a mailbox is loaded by its question')), now);
  const known = new KnownResults(screen);
  const stages: Stages = { screen, known, routes, mailboxes, probe, clock };
  const results: Record<Status, number> = { deliverable: 0, risky: 0, undeliverable: 0, unknown: 0 };
  const running = new Set<Deadline>();
  let ending = false;

  const go = async (addresses: readonly unknown[], options: ValidateOptions, outlet: Outlet): Promise<StreamEnd> => {
    if (ending) throw shuttingDown();
    const startMs = performance.now();
    const deadline = new Deadline(options.deadlineMs, options.signal ?? null);
    running.add(deadline);
    const run = new Run(stages, wantedOf(options.stages, probe !== null), deadline, outlet);
    try {
      const facts = await run.go(addresses);
      if (deadline.calledOff) throw shuttingDown();
      return { ...facts, tookMs: Math.round((performance.now() - startMs) * 1_000) / 1_000 };
    } finally {
      running.delete(deadline);
      deadline.close();
      for (const status of Object.keys(results) as Status[]) results[status] += run.summary[status];
    }
  };

  return {
    async validate(addresses, options) {
      const validations: Validation[] = Array.from({ length: addresses.length });
      const end = await go(addresses, options, { as: 'data', take: (index, validation) => { validations[index] = validation; } });
      return { results: validations, ...end };
    },
    write: (addresses, options, texts) => go(addresses, options, { as: 'text', texts }),
    metrics: () => {
      const { queries, ...caches } = routes.counts();
      return {
        caches: {
          results: known.counts(), profiles: screen.counts(), ...caches, mailboxes: mailboxes.counts(),
          ...(probe?.counts() ?? { catch_alls: NO_LOOKUPS, unwelcome: NO_LOOKUPS }),
        },
        dnsQueries: queries, mailSessions: probe?.sessions() ?? 0, results: { ...results },
      };
    },
    health: () => healthOf(routes.reach(), probe?.reachable() ?? true),
    callOff() {
      ending = true;
      for (const deadline of running) deadline.callOff();
    },
    close() {
      unwatch?.();
      routes.close();
    },
  };
}

function wantedOf(stages: readonly Stage[] | null, smtpOn: boolean): Wanted {
  if (stages === null) return { domain: true, lists: true, dns: true, smtp: smtpOn ? 'yes' : 'no' };
  const has = (stage: Stage): boolean => stages.includes(stage);
  return { domain: has('domain'), lists: has('lists'), dns: has('dns') || has('smtp'), smtp: has('smtp') ? (smtpOn ? 'yes' : 'disabled') : 'no' };
}

/** Mail hosts want a full name; without one we name our address. */
function ownName(): string | null {
  const name = hostname();
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(name) ? name : null;
}
