import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { foundBehind, readAnswer, type Answer, type FailureCause, type Lead, type Reading } from './answer.ts';
import { DnsServer, type Reply } from './server.ts';
import type { Endpoint, Interest } from './udp.ts';
import { isHostName, RCODE, type RecordType } from './wire.ts';

export type Reach = { readonly servers: number; readonly lost: number };

/** `heard`: one answered this very query, rather than another of late. */
type Control = { readonly answers: boolean; readonly heard: boolean; readonly works: boolean };
const DOWN: Answer = { kind: 'failed', cause: 'backend' };
const ASTRAY: Answer = { kind: 'failed', cause: 'servfail' };

/** Several resolvers as one: the next is asked where one is silent or fails; what all fail on is told from our own outage by a control query. */
export class DnsClient {
  /** Sent so far. */
  queries = 0;
  #servers: readonly DnsServer[];
  readonly #endpointsNow: () => readonly Endpoint[];
  readonly #controlName: string;
  readonly #patience: number;
  #control: Promise<Control> | null = null;
  #renewAtMs = 0;

  /** `endpointsNow`: which resolvers there are; looked at again when none of those in use can be reached. */
  constructor(endpointsNow: () => readonly Endpoint[], controlName: string, patience: number) {
    this.#endpointsNow = endpointsNow;
    this.#controlName = controlName;
    this.#patience = patience;
    this.#servers = this.#serversAt(endpointsNow());
  }

  async ask(name: string, type: RecordType, interest: Interest): Promise<Answer> {
    const leads: Lead[] = [];
    for (let at = name; ;) {
      const read = await this.#askNow(at, type, interest);
      if (read.kind !== 'lead') return foundBehind(leads, read);
      if (leads.push(read) > LIMITS.dnsAliasesMax || !isHostName(read.name)) return ASTRAY;
      at = read.name;
    }
  }

  async #askNow(name: string, type: RecordType, interest: Interest): Promise<Reading> {
    const servers = this.#servers;
    const answer = await this.#askAll(name, type, interest);
    if (answer.kind !== 'failed' || answer.cause !== 'backend') return answer;
    this.#renew();
    return servers === this.#servers || interest.abandoned ? answer : this.#askAll(name, type, interest);
  }

  async #askAll(name: string, type: RecordType, interest: Interest): Promise<Reading> {
    const answer = await this.#round(name, type, LIMITS.dnsTryMs * this.#patience, interest);
    if (answer.kind !== 'failed' || answer.cause === 'servfail' || answer.cause === 'backend') return answer;
    if (interest.abandoned) {
      // Nobody waits for this answer, but the next one who asks is not to find out anew that a resolver is silent.
      if (answer.cause === 'timeout') void this.#controlled();
      return answer;
    }
    const { answers, heard, works } = await this.#controlled();
    if (answer.cause === 'refused') return works ? answer : DOWN;
    if (!answers) return DOWN;
    const again = await this.#round(name, type, LIMITS.dnsSecondTryMs * this.#patience, interest);
    if (heard || again.kind !== 'failed' || again.cause !== 'timeout' || interest.abandoned) return again;
    // What answered shortly before may have died since: by now it would have answered something.
    return (await this.#controlled()).answers ? again : DOWN;
  }

  /** How the resolvers were when they were last asked. Those of no use are asked anew, behind the answer: who looks twice sees them come back. */
  reach(): Reach {
    if (this.#servers.every(({ lost }) => lost)) this.#renew();
    if (this.#servers.some(({ lost, down }) => lost && !down)) void this.#controlled();
    return { servers: this.#servers.length, lost: this.#servers.filter(({ lost }) => lost).length };
  }

  close(): void {
    this.#renewAtMs = Infinity;
    for (const server of this.#servers) server.close();
  }

  #serversAt(endpoints: readonly Endpoint[]): readonly DnsServer[] {
    return endpoints.map((endpoint) => new DnsServer(endpoint, LIMITS.dnsResendMs * this.#patience));
  }

  /** A machine that was moved to another network, or had none when we began, has other resolvers by now. Who still waits for the old ones is told that they are gone. */
  #renew(): void {
    if (monotonicMs() < this.#renewAtMs) return;
    this.#renewAtMs = monotonicMs() + LIMITS.dnsServerDownMs;
    const endpoints = this.#endpointsNow();
    const before = this.#servers;
    if (isDeepStrictEqual(endpoints, before.map(({ endpoint }) => endpoint))) return;
    this.#servers = this.#serversAt(endpoints);
    this.#control = null;
    for (const server of before) server.close();
  }

  /** All resolvers once, the first usable answer wins. */
  async #round(name: string, type: RecordType, timeoutMs: number, interest: Interest): Promise<Reading> {
    let worst: FailureCause = 'backend';
    const silent: DnsServer[] = [];
    for (const server of this.#servers) if (server.takeRetry()) void this.#askControl(server);
    for (const server of silentLast(this.#servers)) {
      if (server.down) continue;
      if (interest.abandoned) return { kind: 'failed', cause: 'timeout' };
      const reply = await this.#askServer(server, name, type, timeoutMs, interest);
      mark(server, reply);
      const answer = readReply(reply, name, type);
      if (answer.kind !== 'failed') {
        for (const other of silent) if (!other.alive) other.markSilent();
        return answer;
      }
      if (reply === 'timeout') silent.push(server);
      worst = graver(worst, answer.cause);
    }
    return { kind: 'failed', cause: worst };
  }

  /** One for all who wonder at the same time. A server that does not answer even this is left out for a while. */
  #controlled(): Promise<Control> {
    const servers = this.#servers;
    this.#control ??= Promise.all(servers.map(async (server) => {
      const reply = await this.#askControl(server);
      if (reply === 'timeout' && !server.alive) server.markDown();
      if (reply !== 'timeout' && !isUsable(reply)) server.lost = true;
      return reply === 'timeout' && server.alive ? 'busy' : reply;
    })).then((replies) => {
      const control = controlOf(replies);
      for (const [at, server] of servers.entries()) if (control.heard && replies[at] === 'timeout') server.markSilent();
      return control;
    }).finally(() => { this.#control = null; });
    return this.#control;
  }

  async #askControl(server: DnsServer): Promise<Reply> {
    const reply = await this.#askServer(server, this.#controlName, 'NS', LIMITS.dnsTryMs * this.#patience);
    mark(server, reply);
    return reply;
  }

  #askServer(server: DnsServer, name: string, type: RecordType, timeoutMs: number, interest?: Interest): Promise<Reply> {
    this.queries += 1;
    return server.ask(name, type, timeoutMs, interest);
  }
}

function controlOf(replies: readonly (Reply | 'busy')[]): Control {
  return {
    answers: replies.some((reply) => reply !== 'timeout' && reply !== 'unreachable'),
    heard: replies.some((reply) => typeof reply === 'object' || reply === 'garbled'),
    works: replies.some((reply) => reply === 'busy' || isUsable(reply)),
  };
}

function mark(server: DnsServer, reply: Reply): void {
  if (reply === 'unreachable') server.markDown();
  else if (reply !== 'timeout') server.markUp();
  if (isUsable(reply)) server.lost = false;
}

/** Whoever waits for a silent one before the others pays for it at every name; whether it speaks again is found out on the side. */
function silentLast(servers: readonly DnsServer[]): readonly DnsServer[] {
  if (!servers.some(({ silent }) => silent)) return servers;
  return [...servers.filter(({ silent }) => !silent), ...servers.filter(({ silent }) => silent)];
}

function readReply(reply: Reply, name: string, type: RecordType): Reading {
  switch (reply) {
    case 'timeout': return { kind: 'failed', cause: 'timeout' };
    case 'unreachable': return DOWN;
    case 'garbled': return { kind: 'failed', cause: 'servfail' };
    default:
      if (isUsable(reply)) return readAnswer(reply, name, type);
      return { kind: 'failed', cause: reply.rcode === RCODE.refused ? 'refused' : 'servfail' };
  }
}

function isUsable(reply: Reply | 'busy'): boolean {
  return typeof reply === 'object' && (reply.rcode === RCODE.noError || reply.rcode === RCODE.nxDomain);
}

/** What an answering server says weighs more than the silence of another. */
function graver(a: FailureCause, b: FailureCause): FailureCause {
  return WEIGHT[a] >= WEIGHT[b] ? a : b;
}

const WEIGHT: Readonly<Record<FailureCause, number>> = { backend: 0, timeout: 1, refused: 2, servfail: 3 };
