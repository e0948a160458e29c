import { randomFillSync } from 'node:crypto';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { askTcp } from './tcp.ts';
import { UdpLanes, type Endpoint, type Interest } from './udp.ts';
import { decodeMessage, encodeQuery, RCODE, type Message, type RecordType } from './wire.ts';

export type Reply = Message | 'timeout' | 'unreachable' | 'garbled';

const WANTED: Interest = { abandoned: false };

/** One resolver: UDP first, TCP for what UDP could not bring whole and untouched. */
export class DnsServer {
  /** Whether it was of no use when it was last asked, for whoever shows it. */
  lost = false;
  readonly endpoint: Endpoint;
  readonly #lanes: UdpLanes;
  /** Until then it is left out: its breaker is open. */
  #downUntilMs = 0;
  #answeredMs = -Infinity;
  /** It said nothing where another answered: it is asked last, and looked after at that time. */
  #silent = false;
  #retryMs = 0;

  constructor(endpoint: Endpoint, resendMs: number = LIMITS.dnsResendMs) {
    this.endpoint = endpoint;
    this.#lanes = new UdpLanes(endpoint, resendMs);
  }

  /** Whether it said anything lately: then its silence on one name is not its own. */
  get alive(): boolean {
    return monotonicMs() - this.#answeredMs < LIMITS.dnsAliveMs;
  }

  get down(): boolean {
    return monotonicMs() < this.#downUntilMs;
  }

  get silent(): boolean {
    return this.#silent;
  }

  markUp(): void {
    this.#downUntilMs = 0;
    this.#silent = false;
  }

  markSilent(): void {
    this.#silent = true;
    this.#retryMs = monotonicMs() + LIMITS.dnsServerDownMs;
  }

  /** True once in a while for whoever is to find out whether it speaks again. */
  takeRetry(): boolean {
    if (!this.#silent || monotonicMs() < this.#retryMs) return false;
    this.markSilent();
    return true;
  }

  markDown(): void {
    this.lost = true;
    this.#downUntilMs = monotonicMs() + LIMITS.dnsServerDownMs;
  }

  /** One promise where all goes well: this is the hot path of a batch. */
  ask(name: string, type: RecordType, timeoutMs: number, interest: Interest = WANTED, edns = true): Promise<Reply> {
    const id = randomId();
    const asked = mixCase(name);
    const query = encodeQuery(id, asked, type, edns);
    return new Promise((resolve) => {
      const accept = (bytes: Uint8Array): boolean => {
        const message = decoded(bytes);
        const match = message === null ? null : matches(message, asked, type);
        if (match === 'other') return false;
        this.#answeredMs = monotonicMs();
        if (message === null) resolve(isCut(bytes) ? this.#askTcp(query, asked, type, timeoutMs, interest) : 'garbled');
        else if (match === 'recased' || message.truncated) resolve(this.#askTcp(query, asked, type, timeoutMs, interest));
        else if (edns && (message.rcode === RCODE.formErr || message.rcode === RCODE.notImp)) resolve(this.ask(name, type, timeoutMs, interest, false));
        else resolve(message);
        return true;
      };
      this.#lanes.send(query, id, { interest, accept, settle: resolve }, timeoutMs);
    });
  }

  close(): void {
    this.#lanes.close();
  }

  async #askTcp(query: Uint8Array, asked: string, type: RecordType, timeoutMs: number, interest: Interest): Promise<Reply> {
    if (interest.abandoned) return 'timeout';
    const bytes = await askTcp(this.endpoint, query, timeoutMs);
    // It has just answered by UDP: that it takes no connection, or drops one, fails this name and does not make it unreachable.
    if (bytes === 'unreachable') return 'garbled';
    if (bytes === 'timeout') return bytes;
    const message = decoded(bytes);
    const right = message !== null && bytes[0] === query[0] && bytes[1] === query[1] && matches(message, asked, type) !== 'other';
    return right && !isCutShort(message, type) ? message : 'garbled';
  }
}

/** Some cut in the midst of a record; the head says so all the same (response and truncation bits). */
function isCut(bytes: Uint8Array): boolean {
  return (bytes[2]! & 0x82) === 0x82;
}

/** What fits no message of TCP either: that none of it is there does not say that there is none. An error's code is whole however it is cut. */
function isCutShort({ truncated, rcode, answers }: Message, type: RecordType): boolean {
  return truncated && rcode === RCODE.noError && answers.every((record) => record.type !== type);
}

function decoded(bytes: Uint8Array): Message | null {
  try {
    return decodeMessage(bytes);
  } catch {
    return null;
  }
}

/** `recased`: the right name in another case. Either the server does not keep the case, or somebody guessed: TCP tells. */
function matches({ question, rcode }: Message, asked: string, type: RecordType): 'same' | 'recased' | 'other' {
  if (question === null) return rcode === RCODE.noError || rcode === RCODE.nxDomain ? 'other' : 'same';
  if (question.type !== type) return 'other';
  if (question.name === asked) return 'same';
  return question.name.toLowerCase() === asked.toLowerCase() ? 'recased' : 'other';
}

/** Random bits, drawn in blocks: ids and the case of names must not be guessed. */
const POOL = new Uint16Array(2_048);
let drawn = POOL.length;

function randomId(): number {
  if (drawn === POOL.length) {
    randomFillSync(POOL);
    drawn = 0;
  }
  return POOL[drawn++]!;
}

/** The 0x20 bit of each letter by chance: a forged reply would have to guess them too. */
function mixCase(name: string): string {
  let mixed = '';
  let bits = 0;
  for (let at = 0; at < name.length; at++) {
    if (at % 16 === 0) bits = randomId();
    const code = name.charCodeAt(at);
    mixed += code >= 97 && code <= 122 && ((bits >> at % 16) & 1) === 1 ? String.fromCharCode(code - 32) : name[at];
  }
  return mixed;
}
