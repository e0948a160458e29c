import { setImmediate as turn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { atMost } from '../at_most.ts';
import type { CacheCounts } from '../lookup_cache.ts';
import { CatchAlls } from './catch_alls.ts';
import type { RecipientFinding, SessionFindings } from './findings.ts';
import { groupsOf } from './groups.ts';
import { hasTime, isLeft, isOpen, jobOf, TOO_LATE, type Errand, type ErrandFinding, type Job } from './job.ts';
import { Line } from './line.ts';
import { Pace } from './pace.ts';
import { runSession } from './session.ts';

export type HostSettings = {
  readonly port: number;
  readonly ownName: string | null;
  /** Monotonic clock, milliseconds. */
  readonly now: () => number;
};

/** By our own pace: the provider would be asked too fast. */
const NOT_ASKED: ErrandFinding = { class: 'rate_limited', code: null, enhanced: null, catchAll: null, attempted: false, hurried: true, closed: false };

/** The host spoke of others in its session, and not of it. */
const PASSED_OVER: ErrandFinding = { ...TOO_LATE, attempted: true, hurried: false };

/**
 * One session at a time to each mail host, with all recipients that wait for it, whatever their domain. What has the same addresses is
 * one host, whatever its names; hosts that share an address take turns, or any zone could have a foreign host asked by hundreds at once.
 */
export class MailHosts {
  readonly #settings: HostSettings;
  readonly #lines = new Map<string, Line<Job>>();
  /** Addresses that a session may dial, each with its end. */
  readonly #busy = new Map<string, Promise<void>>();
  readonly #pace = new Pace();
  readonly #catchAlls: CatchAlls;
  /** Hosts that sent us away, or that nobody could reach, are left alone for a while; who asks gets the same answer. */
  readonly #cool = new LRUCache<string, ErrandFinding>({ ...atMost(LIMITS.smtpHostsMax), ttl: LIMITS.smtpCoolMs });
  /** How many recipients those have room for in a transaction that have said so. */
  readonly #rooms: LRUCache<string, number>;
  /** Those that let the overtime of a session pass: whoever waits behind is not to lose his time to it again. */
  readonly #tardy: LRUCache<string, true>;
  /** Those that owe their first word at this moment: who comes to wait behind is told. */
  readonly #slow = new Set<string>();
  readonly #coolCounts = { hits: 0, misses: 0 };
  #sessions = 0;

  constructor(settings: HostSettings) {
    this.#settings = settings;
    this.#catchAlls = new CatchAlls(settings.now);
    const kept = { ...atMost(LIMITS.smtpHostsMax), ttl: LIMITS.catchAllTtlMsMax, perf: { now: settings.now } };
    this.#rooms = new LRUCache(kept);
    this.#tardy = new LRUCache(kept);
  }

  get sessions(): number {
    return this.#sessions;
  }

  counts(): Readonly<Record<'catch_alls' | 'unwelcome', CacheCounts>> {
    return { catch_alls: this.#catchAlls.counts(), unwelcome: { ...this.#coolCounts, stale: 0, entries: this.#cool.size } };
  }

  ask(errand: Errand): Promise<ErrandFinding> {
    const machine = machineOf(errand.addresses);
    const cool = this.#cool.get(machine);
    this.#coolCounts[cool === undefined ? 'misses' : 'hits'] += 1;
    if (cool !== undefined) return Promise.resolve(cool);
    return new Promise((settle, fail) => {
      const job = jobOf(errand, settle, fail);
      const line = this.#lines.get(machine);
      if (line === undefined) this.#begin(machine, job);
      else if (!line.add(job)) job.settle({ ...NOT_ASKED, hurried: false });
      if (this.#slow.has(machine)) job.slow?.();
    });
  }

  #begin(machine: string, job: Job): void {
    const line = new Line<Job>();
    line.add(job);
    this.#lines.set(machine, line);
    void this.#serve(machine, line);
  }

  async #serve(machine: string, line: Line<Job>): Promise<void> {
    await turn();
    for (let { first } = line; first !== undefined; { first } = line) {
      const { caller } = first;
      const latestMs = line.of(caller).reduce((latest, { endsMs }) => Math.max(latest, endsMs), 0);
      if (!await this.#pace.turn(first.provider ?? machine, { caller, latestMs, isWanted: () => line.all().some(isOpen) })) {
        for (const job of line.clear(caller)) job.settle(job.late === TOO_LATE && isOpen(job) ? NOT_ASKED : job.late);
        continue;
      }
      const addresses = first.addresses.slice(0, LIMITS.smtpAddressesMax);
      await this.#alone(addresses, async () => {
        for (let jobs: readonly Job[] = this.#next(line); jobs.length > 0;) jobs = await this.#session(machine, addresses, jobs);
      });
    }
    this.#lines.delete(machine);
  }

  /** As soon as no other session may dial one of them. */
  async #alone(addresses: readonly string[], session: () => Promise<void>): Promise<void> {
    const other = (): Promise<void> | undefined => addresses.map((address) => this.#busy.get(address)).find((busy) => busy !== undefined);
    for (let busy = other(); busy !== undefined; busy = other()) await busy;
    const ended = session();
    for (const address of addresses) this.#busy.set(address, ended);
    await ended;
    for (const address of addresses) this.#busy.delete(address);
  }

  /** Those still wanted, as many as a turn takes; the others are let go. */
  #next(line: Line<Job>): Job[] {
    const jobs: Job[] = [];
    while (jobs.length < LIMITS.smtpRecipientsMax) {
      const job = line.next();
      if (job === undefined) break;
      if (job.state === 'settled') continue;
      if (job.interest.abandoned) {
        job.settle(TOO_LATE);
        continue;
      }
      job.state = 'asked';
      jobs.push(job);
    }
    return jobs;
  }

  /** Gives those who go in the next session: it is of the same turn. */
  async #session(machine: string, addresses: readonly string[], jobs: readonly Job[]): Promise<readonly Job[]> {
    try {
      const found = await this.#talk(machine, addresses, jobs);
      return jobs.filter((job, index) => (found.recipients[index] === null || found.undecided.has(index)) && this.#isAskedAgain(job));
    } catch (error) {
      for (const job of jobs) job.fail(error);
      return [];
    }
  }

  async #talk(machine: string, addresses: readonly string[], jobs: readonly Job[]): Promise<SessionFindings> {
    this.#sessions += 1;
    const ways = [...new Map(jobs.map(({ host, recipient: { domain }, routeTtlMs }) => [`${domain} ${host}`, { domain, host, routeTtlMs }])).values()];
    const { port, ownName } = this.#settings;
    const told = this.#toldInTime(jobs);
    const greeted = this.#silenceOf(machine, jobs);
    const watch = watchLeaving(jobs);
    const room = this.#rooms.get(machine);
    const endsMs = Math.min(monotonicMs() + LIMITS.smtpSessionMs, Math.max(...jobs.map(({ endsMs }) => endsMs)));
    const found = await runSession({
      host: jobs[0]!.host,
      addresses,
      port,
      ownName,
      recipients: jobs.map(({ recipient }) => recipient),
      known: new Set(ways.filter(({ domain, host }) => this.#catchAlls.isFresh(domain, host)).map(({ domain }) => domain)),
      room,
      connectMs: Math.max(...jobs.map(({ connectMs }) => connectMs)),
      endsMs,
      leaving: watch.leaving,
      overtimeMs: this.#tardy.has(machine) ? 0 : LIMITS.smtpOvertimeMs,
      told: told.hear,
      greeted,
    }).finally(() => {
      told.close();
      greeted();
      watch.close();
    });
    if (monotonicMs() > endsMs + LIMITS.smtpOvertimeMs - LIMITS.smtpReserveMs) this.#tardy.set(machine, true);
    // What is merely still so is forgotten in its time: the host may have more room by then.
    if (found.room < (room ?? Infinity)) this.#rooms.set(machine, found.room);
    for (const { domain, host, routeTtlMs } of ways) {
      const takesAny = found.catchAll.get(domain);
      if (takesAny !== undefined) this.#catchAlls.found(domain, host, takesAny, routeTtlMs);
    }
    const isHeard = found.recipients.some((finding) => finding !== null && finding.class !== 'timeout');
    // Backwards, so that of whoever goes in another turn the one over whom the host fell silent comes last, with those of his domain.
    for (const index of groupsOf(jobs.map(({ recipient }) => recipient)).flatMap(({ indexes }) => indexes).reverse()) {
      const job = jobs[index]!;
      const finding = found.recipients[index] ?? null;
      if (found.undecided.has(index)) job.said = finding;
      else if (finding !== null && job.said !== null) this.#settle(job, job.said, false);
      else if (isHeard && finding?.class === 'timeout' && hasTime(job)) this.#putBack(machine, job);
      else if (finding !== null) this.#settle(job, finding, found.hurried, found.closed);
    }
    const unreached = found.recipients.every((finding) => finding?.class === 'connect_failed') ? found.recipients[0]! : null;
    const refusal = found.refusal ?? unreached;
    if (refusal !== null) this.#sendAway(machine, { ...refusal, catchAll: null, attempted: false, hurried: false, closed: found.closed });
    return found;
  }

  /** For another turn, behind those of others. Some hosts make whoever has named nobody wait, Exchange for five seconds each time: a session hears of few then. */
  #putBack(machine: string, job: Job): void {
    job.state = 'waiting';
    job.late = PASSED_OVER;
    if (!this.#lines.get(machine)!.add(job)) job.settle(job.late);
  }

  /** Who has given his share of the time to a host that says nothing is told, and so is who waits for it. Gives what ends it. */
  #silenceOf(machine: string, jobs: readonly Job[]): () => void {
    const timers = jobs.map((job) => setTimeout(() => {
      this.#slow.add(machine);
      for (const other of [job, ...this.#lines.get(machine)!.all()]) other.slow?.();
    }, job.connectMs));
    return () => {
      for (const timer of timers) clearTimeout(timer);
      this.#slow.delete(machine);
    };
  }

  #settle(job: Job, finding: RecipientFinding, hurried: boolean, closed = false): void {
    const catchAll = finding.class === 'accepted' ? this.#catchAlls.of(job.recipient.domain, job.host) : null;
    job.settle({ ...finding, catchAll, attempted: true, hurried, closed });
  }

  /** With what was heard by its caller's deadline. Whether the host takes any name it may be about to say. */
  #settleInTime(job: Job, finding: RecipientFinding): void {
    const half = finding.class === 'accepted' && this.#catchAlls.of(job.recipient.domain, job.host) === null;
    this.#settle(job, finding, half);
  }

  /** False where its time is over meanwhile, or nobody waits for it any more. */
  #isAskedAgain(job: Job): boolean {
    const inTime = !job.interest.abandoned && hasTime(job);
    if (!inTime) {
      if (job.said === null) job.settle(job.late);
      else this.#settleInTime(job, job.said);
    }
    return inTime;
  }

  /** What the host said of a mailbox must not be lost to a deadline only because the session still waits for something else, such as the random name. One that repeats itself has a moment to do so. */
  #toldInTime(jobs: readonly Job[]): { readonly hear: (index: number, finding: RecipientFinding) => void; readonly close: () => void } {
    const timers: NodeJS.Timeout[] = [];
    const hear = (index: number, finding: RecipientFinding): void => {
      const job = jobs[index]!;
      timers.push(setTimeout(() => this.#settleInTime(job, finding), Math.max(LIMITS.smtpDoubtMs, job.endsMs - LIMITS.smtpReserveMs - monotonicMs())));
    };
    for (const [index, { said }] of jobs.entries()) if (said !== null) hear(index, said);
    return {
      hear,
      close: () => { for (const timer of timers) clearTimeout(timer); },
    };
  }

  /** For a while whoever asks of the host hears what it said of us; never what it said of a mailbox. */
  #sendAway(machine: string, refusal: ErrandFinding): void {
    this.#cool.set(machine, refusal);
    for (const job of this.#lines.get(machine)!.clearAll()) job.settle({ ...refusal, attempted: job.late.attempted });
  }
}

/** Strikes once all have left who wait for a session. One whose time is over does so by itself: what it may still hear is for those who come. */
function watchLeaving(jobs: readonly Job[]): { readonly leaving: AbortSignal; readonly close: () => void } {
  const leaving = new AbortController();
  const look = setInterval(() => { if (jobs.every(isLeft) && jobs.some(hasTime)) leaving.abort(); }, LIMITS.smtpLookMs);
  return { leaving: leaving.signal, close: () => clearInterval(look) };
}

/** What has the same addresses is one, whatever its names. */
export function machineOf(addresses: readonly string[]): string {
  return addresses.toSorted().join(' ');
}
