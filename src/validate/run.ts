import { setImmediate as turn } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { AppError } from '../model/errors.ts';
import { compose, isFatal, type Fetched, type Moment, type Wanted } from './compose.ts';
import { Deadline } from './deadline.ts';
import type { MailRoutes } from './dns/open.ts';
import type { MailRoute } from './dns/mail.ts';
import type { Interest } from './dns/client.ts';
import type { Found, LookupCache, Taken } from './lookup_cache.ts';
import type { CacheState, Validation } from './result.ts';
import type { Screen, Screened } from './screen.ts';
import { entryOf, finding, kept, type MailboxFinding, type MailboxProbe, type MailboxQuestion } from './smtp/mailbox.ts';
import { emailOf } from './syntax/address.ts';

export type Stages = {
  readonly screen: Screen;
  readonly routes: MailRoutes;
  readonly mailboxes: LookupCache<MailboxFinding>;
  readonly probe: MailboxProbe | null;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
};

export type CallFacts = { readonly cache: Readonly<Record<'hits' | 'misses' | 'stale', number>>; readonly uniqueDomains: number };

/** After so many the event loop gets its turn: about 5 ms. */
const SLICE = 1_000;

type Item = { readonly screened: Screened; readonly indexes: number[] };
type Group = { readonly domain: string; readonly items: Item[] };

/**
 * Validates many addresses as one call: each domain is looked up once, duplicates are answered together, and one bad item spoils
 * nothing. `deliver` is called once an index, as results come; what is cached comes before the first wait.
 */
export class Run {
  readonly #stages: Stages;
  readonly #wanted: Wanted;
  readonly #deadline: Deadline;
  readonly #deliver: (index: number, validation: Validation) => void;
  readonly #now: Moment;
  readonly #counts: Record<'hits' | 'misses' | 'stale', number> = { hits: 0, misses: 0, stale: 0 };
  readonly #domains = new Set<string>();
  /** Routes that are known already to groups that wait for mailboxes. */
  readonly #routes = new Map<string, Fetched<MailRoute>>();
  /** Of the items that needed a backend: whether each found it gone. */
  #needed = 0;
  #gone = 0;

  constructor(stages: Stages, wanted: Wanted, deadline: Deadline, deliver: (index: number, validation: Validation) => void) {
    this.#stages = stages;
    this.#wanted = wanted;
    this.#deadline = deadline;
    this.#deliver = deliver;
    const ms = stages.now();
    this.#now = { ms, iso: new Date(ms).toISOString() };
  }

  /** Rejects with `validator_unreachable` where all that needed our resolvers or the backend found them gone. */
  async go(inputs: readonly unknown[]): Promise<CallFacts> {
    const waiting: Group[] = [];
    for (const [index, group] of (await this.#screenAll(inputs)).entries()) {
      if (!this.#fromCache(group)) waiting.push(group);
      if (index % SLICE === SLICE - 1) await turn();
    }
    await each(waiting, LIMITS.dnsDomainsAtOnceMax, (group) => this.#fetch(group));
    if (this.#needed > 0 && this.#gone === this.#needed) throw new AppError('validator_unreachable', 'The service cannot reach what it asks about mail domains. Try again later.');
    return { cache: this.#counts, uniqueDomains: this.#domains.size };
  }

  /** Delivers what needs no network, and groups the rest by domain. */
  async #screenAll(inputs: readonly unknown[]): Promise<Group[]> {
    const seen = new Map<string, Item>();
    const groups = new Map<string, Group>();
    for (const [index, input] of inputs.entries()) {
      if (index % SLICE === SLICE - 1) await turn();
      const before = typeof input === 'string' ? seen.get(input) : undefined;
      if (before !== undefined) {
        before.indexes.push(index);
        continue;
      }
      const item: Item = { screened: this.#stages.screen.screen(input), indexes: [index] };
      if (typeof input === 'string') seen.set(input, item);
      this.#place(item, groups);
    }
    for (const item of seen.values()) if (!this.#needsNetwork(item.screened)) this.#finish(item, null, null);
    return [...groups.values()];
  }

  #place(item: Item, groups: Map<string, Group>): void {
    const domain = item.screened.domain?.ascii;
    if (domain !== undefined) this.#domains.add(domain);
    if (!this.#needsNetwork(item.screened)) {
      if (typeof item.screened.input !== 'string') this.#finish(item, null, null);
      return;
    }
    const group = groups.get(domain!);
    if (group === undefined) groups.set(domain!, { domain: domain!, items: [item] });
    else group.items.push(item);
  }

  #needsNetwork(screened: Screened): boolean {
    return this.#wanted.dns && !isFatal(screened, this.#wanted);
  }

  /** True if the whole group could be answered without waiting. */
  #fromCache(group: Group): boolean {
    const taken = this.#stages.routes.peek(group.domain);
    if (taken === null) return false;
    const route = fetched(taken, 0);
    this.#count(taken.state);
    if (this.#wanted.smtp !== 'yes' || taken.value.host === null) {
      for (const item of group.items) this.#finish(item, route, null);
      return true;
    }
    this.#routes.set(group.domain, route);
    return false;
  }

  async #fetch(group: Group): Promise<void> {
    const route = this.#routes.get(group.domain) ?? await this.#route(group.domain);
    const { value } = route;
    if (this.#wanted.smtp !== 'yes' || value === null || value.host === null) {
      for (const item of group.items) this.#finish(item, route, null);
      return;
    }
    const { host } = value;
    await Promise.all(group.items.map(async (item) => {
      this.#finish(item, route, await this.#mailbox(item, { ...value, host }, route.expiresMs));
    }));
  }

  async #route(domain: string): Promise<Fetched<MailRoute>> {
    const startMs = performance.now();
    const taken = await this.#stages.routes.wait(domain, this.#deadline);
    if (taken !== null) this.#count(taken.state);
    return taken === null ? this.#late(startMs) : fetched(taken, performance.now() - startMs);
  }

  async #mailbox({ screened }: Item, route: MailRoute & { host: NonNullable<MailRoute['host']> }, routeExpiresMs: number): Promise<Fetched<MailboxFinding>> {
    const startMs = performance.now();
    const address = screened.address!;
    const email = emailOf(address);
    const { mailboxes, probe, now } = this.#stages;
    const question = { email, address, route, routeTtlMs: Math.max(0, routeExpiresMs - now()), endsMs: this.#deadline.endsMs };
    const taken = mailboxes.peek(email, (_, interest) => this.#refresh(question, interest)) ?? await mailboxes.wait(email, this.#deadline, (_, interest) => probe!.probe(question, interest));
    if (taken !== null) this.#count(taken.state);
    return taken === null ? this.#late(startMs) : fetched(taken, performance.now() - startMs);
  }

  /** Behind an answer that is just past its time: by records that are not, and with the time of a session rather than of a call. */
  async #refresh(question: MailboxQuestion, interest: Interest): Promise<Found<MailboxFinding>> {
    const { routes, probe, now } = this.#stages;
    const deadline = new Deadline(monotonicMs() + LIMITS.smtpSessionMs);
    const domain = question.address.domain.ascii;
    try {
      const known = routes.peek(domain);
      const taken = known?.state === 'hit' ? known : await routes.wait(domain, deadline);
      if (taken === null || taken.value.host === null) return kept(finding('timeout', null, entryOf(false, null)), 0);
      const { value, expiresMs } = taken;
      return await probe!.probe({ ...question, route: { ...value, host: taken.value.host }, routeTtlMs: Math.max(0, expiresMs - now()), endsMs: deadline.endsMs }, interest);
    } finally {
      deadline.close();
    }
  }

  #late(startMs: number): Fetched<never> {
    return { value: null, cache: null, ms: performance.now() - startMs, expiresMs: this.#now.ms + LIMITS.dnsFailureMsMin };
  }

  #count(state: CacheState): void {
    if (state === 'hit') this.#counts.hits += 1;
    else if (state === 'miss') this.#counts.misses += 1;
    else this.#counts.stale += 1;
  }

  #finish({ screened, indexes }: Item, route: Fetched<MailRoute> | null, mailbox: Fetched<MailboxFinding> | null): void {
    if (route !== null) {
      this.#needed += 1;
      if (route.value?.codes[0] === 'DNS_BACKEND_DOWN' || mailbox?.value?.backendDown === true) this.#gone += 1;
    }
    const validation = compose(screened, this.#wanted, route, mailbox, this.#now);
    for (const index of indexes) this.#deliver(index, validation);
  }
}

function fetched<V>({ value, state, expiresMs }: Taken<V>, ms: number): Fetched<V> {
  return { value, cache: state, ms, expiresMs };
}

/** Works through `items`, a bounded number at once. */
async function each<T>(items: readonly T[], atOnceMax: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, worker));
}
