import { LIMITS } from '../config/limits.ts';
import { monotonicMs, type Clock } from '../lib/clock.ts';
import { nextTurn, turnIsOver } from '../lib/turns.ts';
import { AppError } from '../model/errors.ts';
import { compose, isFatal, type Fetched, type Moment, type Wanted } from './compose.ts';
import { Deadline } from './deadline.ts';
import type { MailRoutes } from './dns/open.ts';
import type { MailRoute } from './dns/mail.ts';
import type { Interest } from './dns/udp.ts';
import { HostPlaces } from './host_places.ts';
import type { Found, LookupCache, Taken } from './lookup_cache.ts';
import type { Status } from './codes.ts';
import type { CallView, KnownResults } from './known_results.ts';
import type { CacheState, Validation } from './result.ts';
import { appendValidation, type ResultTexts } from './result_texts.ts';
import { isOutage, routeAll } from './route_all.ts';
import type { Screen, Screened } from './screen.ts';
import { machineOf } from './smtp/hosts.ts';
import { finding, kept, type MailboxFinding, type MailboxProbe, type MailboxQuestion } from './smtp/mailbox.ts';
import { emailOf } from './syntax/address.ts';

export type Stages = {
  readonly screen: Screen;
  readonly known: KnownResults;
  readonly routes: MailRoutes;
  readonly mailboxes: LookupCache<MailboxFinding>;
  readonly probe: MailboxProbe | null;
  readonly clock: Clock;
};

type Summary = Readonly<Record<Status, number>>;
export type CallFacts = { readonly cache: Readonly<Record<'hits' | 'misses' | 'stale', number>>; readonly uniqueDomains: number; readonly summary: Summary };

/** How results are wanted: as data, or written down, which costs less than a tenth where all that follows from the domain is known. */
export type Outlet = { readonly as: 'data'; readonly take: (index: number, validation: Validation) => void } | { readonly as: 'text'; readonly texts: ResultTexts };

let callNumber = 0;

type Item = { readonly screened: Screened; readonly indexes: number[] };
type Group = { readonly domain: string; readonly items: Item[] };
type Routed = { readonly group: Group; readonly route: Fetched<MailRoute> };

/**
 * Validates many addresses as one call: each domain is looked up once, duplicates are answered together, and one bad item spoils
 * nothing. Each index has its result once, as they come; what is cached comes before the first wait. Once the caller has left nothing more is written.
 */
export class Run implements CallView {
  readonly number = ++callNumber;
  readonly wanted: Wanted;
  readonly now: Moment;
  readonly #stages: Stages;
  readonly #deadline: Deadline;
  readonly #outlet: Outlet;
  readonly #counts: Record<'hits' | 'misses' | 'stale', number> = { hits: 0, misses: 0, stale: 0 };
  readonly #summary: Record<Status, number> = { deliverable: 0, risky: 0, undeliverable: 0, unknown: 0 };
  /** Every domain of the call, with what was known of it when it was first looked for; undefined until then. */
  readonly #domains = new Map<string, Fetched<MailRoute> | null | undefined>();
  /** Of the items that needed a backend: whether each found it gone. */
  #needed = 0;
  #gone = 0;
  /** Results that are none if every other item finds its backend gone too. */
  readonly #held: (() => void)[] = [];

  constructor(stages: Stages, wanted: Wanted, deadline: Deadline, outlet: Outlet) {
    this.#stages = stages;
    this.wanted = wanted;
    this.#deadline = deadline;
    this.#outlet = outlet;
    const unixMs = stages.clock.unixMs();
    this.now = { ms: stages.clock.monotonicMs(), unixMs, iso: new Date(unixMs).toISOString() };
  }

  /** What has been answered so far. */
  get summary(): Summary {
    return this.#summary;
  }

  /** Rejects with `validator_unreachable` where all that needed our resolvers or the backend found them gone. */
  async go(inputs: readonly unknown[]): Promise<CallFacts> {
    const waiting: Group[] = [];
    for (const [index, group] of (await this.#screenAll(inputs)).entries()) {
      if (!this.#fromCache(group)) waiting.push(group);
      if (isRestDue(index)) await nextTurn();
    }
    const mailboxes: Promise<void>[] = [];
    const places = new HostPlaces();
    const routeOf = async ({ domain }: Group): Promise<Fetched<MailRoute>> => this.#domains.get(domain) ?? this.#route(domain);
    await routeAll(waiting, routeOf, this.#deadline, (group, route) => this.#follow({ group, route }, places, mailboxes));
    await Promise.all(mailboxes);
    if (this.#needed > 0 && this.#gone === this.#needed) throw new AppError('validator_unreachable', 'The service cannot reach what it asks about mail domains. Try again later.');
    this.#release();
    return { cache: this.#counts, uniqueDomains: this.#domains.size, summary: this.#summary };
  }

  /** What may be used without waiting; counted once a call. */
  see(domain: string): Fetched<MailRoute> | null {
    const seen = this.#domains.get(domain);
    if (seen !== undefined) return seen;
    const taken = this.wanted.dns ? this.#stages.routes.peek(domain) : null;
    if (taken !== null) this.#count(taken.state);
    const fresh = taken === null ? null : fetched(taken, 0);
    this.#domains.set(domain, fresh);
    return fresh;
  }

  /** Delivers what is known and what needs no network, and groups the rest by domain. */
  async #screenAll(inputs: readonly unknown[]): Promise<Group[]> {
    const items: Item[] = [];
    const seen = new Map<string, Item>();
    const groups = new Map<string, Group>();
    for (let index = 0; index < inputs.length; index += 1) {
      if (isRestDue(index)) await nextTurn();
      const input = inputs[index];
      if (this.#isKnown(index, input)) continue;
      const before = typeof input === 'string' ? seen.get(input) : undefined;
      if (before !== undefined) {
        before.indexes.push(index);
        continue;
      }
      const item: Item = { screened: this.#stages.screen.screen(input), indexes: [index] };
      items.push(item);
      if (typeof input === 'string') seen.set(input, item);
      this.#place(item, groups);
    }
    for (const [index, item] of items.entries()) {
      if (isRestDue(index)) await nextTurn();
      if (!this.#needsNetwork(item.screened)) this.#finish(item, null, null);
    }
    return [...groups.values()];
  }

  /** True if the result could be written at once. */
  #isKnown(index: number, input: unknown): boolean {
    if (this.#outlet.as !== 'text' || typeof input !== 'string') return false;
    const status = this.#stages.known.write(index, input, this, this.#outlet.texts);
    if (status === null) return false;
    if (this.wanted.dns) this.#needed += 1;
    this.#summary[status] += 1;
    return true;
  }

  #place(item: Item, groups: Map<string, Group>): void {
    const domain = item.screened.domain?.ascii;
    if (domain !== undefined && !this.#domains.has(domain)) this.#domains.set(domain, undefined);
    if (!this.#needsNetwork(item.screened)) return;
    const group = groups.get(domain!);
    if (group === undefined) groups.set(domain!, { domain: domain!, items: [item] });
    else group.items.push(item);
  }

  #needsNetwork(screened: Screened): boolean {
    return this.wanted.dns && !isFatal(screened, this.wanted);
  }

  /** True if the whole group could be answered without waiting. */
  #fromCache(group: Group): boolean {
    const route = this.see(group.domain);
    if (route === null || (this.wanted.smtp === 'yes' && route.value?.host !== null)) return false;
    for (const item of group.items) this.#finish(item, route, null);
    return true;
  }

  /** Finishes what its domain decides; the rest is asked of the mail host, which is not waited for here: a slow one holds up no look-up of the domains that follow. */
  #follow({ group, route }: Routed, places: HostPlaces, mailboxes: Promise<void>[]): void {
    const { value } = route;
    if (this.wanted.smtp !== 'yes' || value === null || value.host === null) {
      for (const item of group.items) this.#finish(item, route, null);
      return;
    }
    const { host } = value;
    const asked = places.within(machineOf(host.addresses), async () => {
      await Promise.all(group.items.map(async (item) => {
        this.#finish(item, route, await this.#mailbox(item, { ...value, host }, route.expiresMs));
      }));
    });
    asked.catch(() => {});
    mailboxes.push(asked);
  }

  async #route(domain: string): Promise<Fetched<MailRoute>> {
    const startMs = performance.now();
    const taken = await this.#stages.routes.wait(domain, this.#deadline);
    if (taken === null) return this.#late(startMs);
    this.#count(taken.state);
    return fetched(taken, performance.now() - startMs);
  }

  async #mailbox({ screened }: Item, route: MailboxQuestion['route'], routeExpiresMs: number): Promise<Fetched<MailboxFinding>> {
    const startMs = performance.now();
    const address = screened.address!;
    const email = emailOf(address);
    const { mailboxes, probe, clock } = this.#stages;
    const question = { caller: this, email, address, route, routeTtlMs: Math.max(0, routeExpiresMs - clock.monotonicMs()), endsMs: this.#deadline.endsMs };
    const asked = { byUs: false };
    const ask = (_: string, interest: Interest): Promise<Found<MailboxFinding>> => {
      asked.byUs = true;
      return probe!.probe(question, interest);
    };
    const known = mailboxes.peek(email, (_, interest) => this.#refresh(question, interest));
    if (known === null && this.#deadline.over) return { ...this.#late(startMs), value: NOT_BEGUN };
    let taken = known ?? await mailboxes.wait(email, this.#deadline, ask);
    // It was asked for a call whose time was shorter.
    while (!asked.byUs && taken?.value.hurried === true && monotonicMs() < question.endsMs - LIMITS.smtpReserveMs) taken = await mailboxes.wait(email, this.#deadline, ask);
    if (taken !== null) this.#count(taken.state);
    return taken === null ? this.#late(startMs) : fetched(taken, performance.now() - startMs);
  }

  /** Behind an answer that is just past its time: by records that are not, and with the time of a session rather than of a call. */
  async #refresh(question: MailboxQuestion, interest: Interest): Promise<Found<MailboxFinding>> {
    const { routes, probe, clock } = this.#stages;
    const deadline = new Deadline(monotonicMs() + LIMITS.smtpSessionMs);
    const domain = question.address.domain.ascii;
    try {
      const known = routes.peek(domain);
      const taken = known?.state === 'hit' ? known : await routes.wait(domain, deadline);
      if (taken === null || taken.value.host === null) return kept(NOT_BEGUN, 0);
      const { value, expiresMs } = taken;
      return await probe!.probe({ ...question, route: { ...value, host: taken.value.host }, routeTtlMs: Math.max(0, expiresMs - clock.monotonicMs()), endsMs: deadline.endsMs }, interest);
    } finally {
      deadline.close();
    }
  }

  #late(startMs: number): Fetched<never> {
    return { value: null, cache: null, ms: performance.now() - startMs, expiresMs: this.now.ms + LIMITS.dnsFailureMsMin };
  }

  #count(state: CacheState): void {
    if (state === 'hit') this.#counts.hits += 1;
    else if (state === 'miss') this.#counts.misses += 1;
    else this.#counts.stale += 1;
  }

  #finish({ screened, indexes }: Item, route: Fetched<MailRoute> | null, mailbox: Fetched<MailboxFinding> | null): void {
    if (route === null) return this.#deliver({ screened, indexes }, route, mailbox);
    this.#needed += 1;
    if (isOutage(route) || mailbox?.value?.backendDown === true) this.#gone += 1;
    if (this.#gone === this.#needed) {
      this.#held.push(() => this.#deliver({ screened, indexes }, route, mailbox));
      return;
    }
    this.#release();
    this.#deliver({ screened, indexes }, route, mailbox);
  }

  #release(): void {
    for (const deliver of this.#held.splice(0)) deliver();
  }

  #deliver({ screened, indexes }: Item, route: Fetched<MailRoute> | null, mailbox: Fetched<MailboxFinding> | null): void {
    const validation = compose(screened, this.wanted, route, mailbox, this.now);
    this.#summary[validation.status] += indexes.length;
    if (this.#outlet.as === 'data') {
      for (const index of indexes) this.#outlet.take(index, validation);
      return;
    }
    if (this.#deadline.left) return;
    appendValidation(this.#outlet.texts, indexes, validation);
    if (mailbox === null) this.#stages.known.learn(screened, this.wanted, route, this.now);
  }
}

const NOT_BEGUN = finding('timeout', false);

/** By the clock: one address may cost a hundred times what another does, as those do that are written beyond ASCII. */
function isRestDue(index: number): boolean {
  return index % LIMITS.addressesUntimed === 0 && turnIsOver(LIMITS.mainTurnMs);
}

function fetched<V>({ value, state, expiresMs }: Taken<V>, ms: number): Fetched<V> {
  return { value, cache: state, ms, expiresMs };
}
