import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { Allowance } from './allowance.ts';
import { classify, classifyRefusal, isForAnother, refusesName, refusesUtf8, sendsAway, turnsAllAway, type SmtpClass } from './classify.ts';
import type { SmtpConnection } from './connection.ts';
import type { RecipientFinding, SessionFindings } from './findings.ts';
import { firstGreeting } from './greeting.ts';
import { groupsOf, type Group } from './groups.ts';
import { nobodyAt } from './nobody.ts';
import { isFarewell, SmtpFault, type FaultKind, type Reply } from './reply.ts';
import type { SessionPlan } from './session_plan.ts';

/** One polite session: real recipients first, then a random one for each domain that took one or put it off. Never DATA, VRFY or EXPN. Whatever the host does, it is told in the findings. */
export async function runSession(plan: SessionPlan): Promise<SessionFindings> {
  const session = new Session(plan);
  try {
    await session.run();
  } catch (error) {
    if (!(error instanceof SmtpFault)) throw error;
    session.end(plan.leaving.aborted ? 'timeout' : error.kind);
  }
  return session.findings();
}

const FAULTS: Readonly<Record<FaultKind, SmtpClass>> = { connect: 'connect_failed', mute: 'connect_failed', hurried: 'timeout', timeout: 'timeout', closed: 'tempfail', protocol: 'protocol', astray: 'protocol', tls: 'tls_failed' };

const TAKEN_OR_PUT_OFF: ReadonlySet<SmtpClass> = new Set(['accepted', 'greylisted', 'tempfail']);

class Session {
  readonly #plan: SessionPlan;
  #endsMs: number;
  readonly #found: (RecipientFinding | null)[];
  readonly #undecided = new Set<number>();
  readonly #catchAll = new Map<string, boolean>();
  #connection: SmtpConnection | null = null;
  #offers: ReadonlySet<string> = new Set();
  #refusal: RecipientFinding | null = null;
  #hurried = false;
  #closed = false;
  /** The host offered encryption, and it came to nothing. */
  #bare = false;
  /** The domain of the transaction under way, and how many recipients it had room for so far. */
  #open: string | null = null;
  #named = 0;
  readonly #allowance: Allowance;
  #room: number;
  /** Whether recipients are left for another session. */
  #full = false;

  constructor(plan: SessionPlan) {
    this.#plan = plan;
    this.#endsMs = plan.endsMs;
    this.#found = plan.recipients.map(() => null);
    this.#room = plan.room ?? Infinity;
    this.#allowance = new Allowance(plan.known);
  }

  async run(): Promise<void> {
    const groups = groupsOf(this.#plan.recipients);
    try {
      if (!await this.#greet()) return;
      for (const group of groups) await this.#real(group);
      // Whoever asks next is spared what is heard too late for those who ask now.
      this.#endsMs += this.#plan.overtimeMs;
      // The one whose transaction is still open needs no other.
      for (const group of groups.toReversed()) await this.#random(group);
      if (this.#open !== null && this.#refusal === null) await this.#finish();
    } finally {
      this.#connection?.quit();
    }
  }

  /** What is still open gets the same finding. */
  #settle(finding: RecipientFinding): void {
    for (const [index, found] of this.#found.entries()) this.#found[index] = found ?? finding;
  }

  end(kind: FaultKind): void {
    this.#hurried = kind === 'hurried';
    if (kind === 'astray') {
      this.#found.fill(null);
      this.#catchAll.clear();
    }
    if (kind === 'closed' && this.#room < (this.#plan.room ?? Infinity)) this.#leaveUndecided();
    if (kind === 'astray' || !this.#full) this.#settle({ class: FAULTS[kind], code: null, enhanced: null });
  }

  /** Exim by a rule that many copy hangs up over a recipient too many. In another session there are no more than have room. */
  #leaveUndecided(): void {
    this.#full = true;
    for (const [index, { domain }] of this.#plan.recipients.entries()) {
      const isDecided = this.#catchAll.has(domain) || this.#plan.known.has(domain);
      if (this.#found[index]?.class === 'accepted' && !isDecided) this.#undecided.add(index);
    }
  }

  findings(): SessionFindings {
    if (!this.#full) this.#settle({ class: 'timeout', code: null, enhanced: null });
    return { recipients: this.#found, undecided: this.#undecided, catchAll: this.#catchAll, refusal: this.#refusal, closed: this.#closed, hurried: this.#hurried, room: this.#room };
  }

  /** Connected, introduced, encrypted where offered. False where the host does not want us. A handshake that hangs leaves time for the plain way. */
  async #greet(): Promise<boolean> {
    if (!await this.#introduce()) return false;
    if (!this.#offers.has('STARTTLS')) return true;
    try {
      const reply = await this.#ask('STARTTLS');
      this.#bare = reply.code !== 220;
      if (this.#bare) return true;
      await this.#connection!.startTls(this.#plan.host, Math.min(this.#stepMs(), this.#leftMs() / 2));
      return await this.#hello();
    } catch (error) {
      if (!(error instanceof SmtpFault)) throw error;
      if (monotonicMs() >= this.#plan.endsMs) throw error.kind === 'tls' ? new SmtpFault('timeout') : error;
      this.#connection!.close();
      this.#bare = true;
      return this.#plainAgain();
    }
  }

  async #plainAgain(): Promise<boolean> {
    try {
      return await this.#introduce();
    } catch (error) {
      throw error instanceof SmtpFault && !['timeout', 'hurried', 'astray'].includes(error.kind) ? new SmtpFault('tls') : error;
    }
  }

  async #introduce(): Promise<boolean> {
    const banner = await this.#connect();
    if (banner.code !== 220) {
      this.#closed = turnsAllAway(banner);
      return this.#refused(banner);
    }
    return this.#hello();
  }

  async #connect(): Promise<Reply> {
    const addresses = this.#plan.addresses.slice(0, LIMITS.smtpAddressesMax);
    const { port, endsMs, connectMs, leaving } = this.#plan;
    const { connection, banner } = await firstGreeting(addresses, { port, endsMs, leaving, shareMs: connectMs / addresses.length });
    this.#connection = connection;
    this.#plan.greeted?.();
    return banner;
  }

  async #hello(): Promise<boolean> {
    const name = this.#plan.ownName ?? this.#connection!.localLiteral;
    const reply = await this.#ask(`EHLO ${name}`);
    if (reply.code === 250) {
      this.#offers = new Set(reply.text.split('\n').slice(1).map((line) => line.trim().split(/\s/)[0]!.toUpperCase()));
      return true;
    }
    if (reply.code === 421) return this.#refused(reply);
    this.#offers = new Set();
    const again = await this.#ask(`HELO ${name}`);
    return again.code === 250 || this.#refused(again);
  }

  #refused(reply: Reply): false {
    this.#refusal = { class: classifyRefusal(reply), code: reply.code, enhanced: reply.enhanced };
    this.#settle(this.#refusal);
    return false;
  }

  async #real(group: Group): Promise<void> {
    if (group.utf8 && !this.#offers.has('SMTPUTF8')) {
      this.#tell(group.indexes, { class: 'utf8_unsupported', code: null, enhanced: null });
      return;
    }
    for (let left = group.indexes; left.length > 0 && this.#refusal === null && !this.#isFull(group);) left = await this.#recipients(group, left);
  }

  #isFull({ domain }: Group): boolean {
    this.#full ||= this.#allowance.namesAt(domain) <= 0 || (this.#open !== null && !this.#allowance.another);
    return this.#full;
  }

  /** Names recipients in a transaction of their own. Gives those for which the host has no room in it. */
  async #recipients(group: Group, indexes: readonly number[]): Promise<readonly number[]> {
    const rcptsOf = (some: readonly number[]): string[] => some.map((index) => `RCPT TO:<${this.#plan.recipients[index]!.address}>`);
    let sent = this.#pipelines ? Math.min(indexes.length, this.#atOnce(group, 0)) : 0;
    if (!await this.#begin(group, rcptsOf(indexes.slice(0, sent)))) return [];
    const left: number[] = [];
    for (const [at, index] of indexes.entries()) {
      if (at === sent) {
        if (left.length > 0 || at >= this.#room || this.#allowance.namesHere <= 0) return [...left, ...indexes.slice(at)];
        this.#full = this.#allowance.names === 0;
        if (this.#full) return [];
        const more = indexes.slice(at, at + this.#atOnce(group, at));
        this.#connection!.send(rcptsOf(more));
        sent += more.length;
      }
      const reply = await this.#read();
      if (at > 0 && isForAnother(reply)) {
        this.#room = Math.min(this.#room, this.#named);
        if (reply.code >= 500) this.#allowance.refused();
        left.push(index);
      } else if (this.#note(index, reply)) return [];
      else this.#named += 1;
    }
    return left;
  }

  /** False where the host takes nothing from us. `rcpts` go along where it reads several commands at once. */
  async #begin({ domain, utf8, indexes }: Group, rcpts: readonly string[]): Promise<boolean> {
    const commands = [...(this.#open === null ? [] : ['RSET']), utf8 ? 'MAIL FROM:<> SMTPUTF8' : 'MAIL FROM:<>'];
    if (this.#open !== null) this.#allowance.reset();
    this.#open = domain;
    this.#named = 0;
    if (this.#pipelines) this.#connection!.send([...commands, ...rcpts]);
    for (const command of commands) {
      if (!this.#pipelines) this.#connection!.send([command]);
      const reply = await this.#read();
      if (reply.code === 250) continue;
      if (this.#bare && reply.code === 530) throw new SmtpFault('tls');
      if (!utf8 || !refusesUtf8(reply)) return this.#refused(reply);
      this.#tell(indexes, { class: 'utf8_unsupported', code: reply.code, enhanced: reply.enhanced });
      for (let unread = this.#pipelines ? rcpts.length : 0; unread > 0; unread--) await this.#read();
      this.#open = null;
      return false;
    }
    return true;
  }

  /** Of those that nothing is known of yet. */
  #tell(indexes: readonly number[], finding: RecipientFinding): void {
    for (const index of indexes) {
      if (this.#found[index] !== null) continue;
      this.#found[index] = finding;
      this.#plan.told?.(index, finding);
    }
  }

  /** True where the host wants no more: what is left would get the same answer. */
  #note(index: number, reply: Reply): boolean {
    const finding: RecipientFinding = { class: classify(reply), code: reply.code, enhanced: reply.enhanced };
    this.#tell([index], finding);
    const { domain } = this.#plan.recipients[index]!;
    if (reply.code >= 400) this.#allowance.refused();
    // Who greylists, in whatever words, takes the name the next time; by then he is to know the random one too.
    if (TAKEN_OR_PUT_OFF.has(finding.class)) this.#allowance.owe(domain);
    if (!sendsAway(reply, finding.class)) return false;
    this.#refused(reply);
    return true;
  }

  /** A host that takes a name nobody has takes any. A failed try leaves the question open. */
  async #random(group: Group): Promise<void> {
    const { domain } = group;
    if (this.#refusal !== null || !this.#allowance.pay(domain)) return;
    const rcpt = `RCPT TO:<${nobodyAt(domain)}@${domain}>`;
    let reply = this.#open === domain && this.#room === Infinity && this.#allowance.namesHere > 0 ? await this.#ask(rcpt) : null;
    if (reply === null || isForAnother(reply)) {
      if (reply !== null) this.#room = Math.min(this.#room, this.#named);
      // Plain, whatever the real names are.
      if (!await this.#begin({ ...group, utf8: false }, [rcpt])) return;
      reply = this.#pipelines ? await this.#read() : await this.#ask(rcpt);
    }
    const found = classify(reply);
    if (found === 'accepted') this.#catchAll.set(domain, true);
    else if (refusesName(reply)) this.#catchAll.set(domain, false);
    if (sendsAway(reply, found)) this.#refused(reply);
  }

  /** A host that says anything but goodbye has answered something else. */
  async #finish(): Promise<void> {
    const reply = await this.#ask('QUIT');
    this.#connection!.close();
    if (!isFarewell(reply)) throw new SmtpFault('astray');
  }

  get #pipelines(): boolean {
    return this.#offers.has('PIPELINING');
  }

  /** `named`: how many are in the transaction already. */
  #atOnce({ domain }: Group, named: number): number {
    return this.#pipelines ? Math.min(Math.max(1, this.#allowance.namesAt(domain)), this.#allowance.namesHere, this.#room - named) : 1;
  }

  #ask(command: string): Promise<Reply> {
    return this.#connection!.ask(command, this.#stepMs());
  }

  #read(): Promise<Reply> {
    return this.#connection!.read(this.#stepMs());
  }

  #leftMs(): number {
    return Math.max(1, this.#endsMs - monotonicMs());
  }

  #stepMs(): number {
    return Math.min(LIMITS.smtpStepMs, this.#leftMs());
  }
}
