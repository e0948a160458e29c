import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';

export type Endpoint = { readonly address: string; readonly port: number };

/** `abandoned`: nobody wants the answer any more: no further try is made. */
export type Interest = { readonly abandoned: boolean };

/** Who waits for the reply to one query. */
type Waiting = {
  readonly interest: Interest;
  /** Gives true to take a datagram as the reply, false to wait on: it was for nobody here. */
  accept(bytes: Uint8Array): boolean;
  /** Told when nothing was accepted in time. */
  settle(outcome: 'timeout' | 'unreachable'): void;
};

/**
 * Connected sockets to one server, so that only its datagrams arrive. A query takes a lane at random; a lane retires after a number
 * of queries, and the next one has a new random port. A guess must meet port, id and the case of the name.
 *
 * What is asked in one turn of the event loop leaves together: the first datagram wakes the server, the others find it awake. No more
 * are on their way at once than its buffer holds; one that was not answered for a while counts as read, so that a slow domain holds
 * up nobody. A lost one is sent once more. One timer serves all that wait.
 */
export class UdpLanes {
  readonly #endpoint: Endpoint;
  readonly #lanes: (Lane | undefined)[] = [];
  readonly #retired = new Set<Lane>();
  readonly #road: Road;
  #outbox: Query[] = [];
  #moving = false;
  #sweep: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(endpoint: Endpoint, resendMs: number) {
    this.#endpoint = endpoint;
    this.#road = { young: 0, resendMs, moved: () => this.#move() };
  }

  /** Sends `bytes` under `id`; `waiting` sees what comes back under it. */
  send(bytes: Uint8Array, id: number, waiting: Waiting, timeoutMs: number): void {
    if (this.#closed) return waiting.settle('unreachable');
    const lane = this.#lane(id);
    const query: Query = { lane, id, bytes, waiting, timeoutMs, endsMs: Infinity, sends: 0, sentMs: 0, young: false, over: false };
    lane.add(query);
    this.#outbox.push(query);
    this.#sweep ??= setInterval(() => setImmediate(this.#look), LIMITS.dnsSweepMs);
    this.#move();
  }

  close(): void {
    this.#closed = true;
    for (const lane of [...this.#lanes, ...this.#retired]) lane?.close();
    this.#rest();
  }

  #move(): void {
    if (this.#moving || this.#closed || this.#outbox.length === 0) return;
    this.#moving = true;
    setImmediate(this.#leave);
  }

  readonly #leave = (): void => {
    this.#moving = false;
    const nowMs = monotonicMs();
    const held: Query[] = [];
    let at = 0;
    for (; at < this.#outbox.length && this.#road.young < LIMITS.dnsYoungQueriesMax; at++) {
      const query = this.#outbox[at]!;
      if (query.over) continue;
      if (query.waiting.interest.abandoned) query.lane.giveUp(query);
      else if (!query.lane.transmit(query, nowMs)) held.push(query);
    }
    this.#outbox = [...held, ...this.#outbox.slice(at)];
  };

  /** After what has arrived was read: a process that was held up must not take its own delay for silence. */
  readonly #look = (): void => {
    const nowMs = monotonicMs();
    let waiting = 0;
    for (const lane of [...this.#lanes, ...this.#retired]) {
      if (lane === undefined) continue;
      waiting += lane.sweep(nowMs, this.#outbox);
      if (lane.ended) this.#retired.delete(lane);
    }
    if (waiting === 0) this.#rest();
    else this.#move();
  };

  #rest(): void {
    if (this.#sweep !== null) clearInterval(this.#sweep);
    this.#sweep = null;
  }

  #lane(id: number): Lane {
    const index = Math.floor(Math.random() * LIMITS.dnsLanes);
    const lane = this.#lanes[index];
    if (lane !== undefined && !lane.broken && lane.used < LIMITS.dnsLaneQueriesMax && !lane.holds(id)) return lane;
    if (lane !== undefined) {
      this.#retired.add(lane);
      lane.retire();
    }
    return this.#lanes[index] = new Lane(this.#endpoint, this.#road);
  }
}

/** Shared by the lanes: how many queries the server may not have read yet, when one is taken for lost, and who is told when there is room. */
type Road = { young: number; readonly resendMs: number; moved(): void };

type Query = {
  readonly lane: Lane;
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly waiting: Waiting;
  readonly timeoutMs: number;
  /** Counted from the sending: what waits here is no silence of the server. */
  endsMs: number;
  sends: number;
  sentMs: number;
  young: boolean;
  over: boolean;
};

class Lane {
  readonly #socket: Socket;
  readonly #road: Road;
  readonly #pending = new Map<number, Query>();
  #connected = false;
  #retired = false;
  used = 0;
  ended = false;
  /** Never got connected. */
  broken = false;

  constructor({ address, port }: Endpoint, road: Road) {
    this.#road = road;
    this.#socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', recvBufferSize: LIMITS.dnsReceiveBufferBytes });
    this.#socket.unref();
    this.#socket.on('message', (bytes) => this.#receive(bytes));
    this.#socket.on('error', () => this.#fail());
    this.#socket.on('connect', () => {
      this.#connected = true;
      road.moved();
    });
    this.#socket.connect(port, address);
  }

  holds(id: number): boolean {
    return this.#pending.has(id);
  }

  add(query: Query): void {
    this.used += 1;
    this.#pending.set(query.id, query);
  }

  /** False where it has to wait for its socket. */
  transmit(query: Query, nowMs: number): boolean {
    if (!this.#connected) return false;
    if (query.sends === 0) query.endsMs = nowMs + query.timeoutMs;
    query.sends += 1;
    query.sentMs = nowMs;
    query.young = true;
    this.#road.young += 1;
    this.#socket.send(query.bytes, this.#sent);
    return true;
  }

  /** Ends what waited too long, puts into `outbox` what may be lost; gives how many still wait. */
  sweep(nowMs: number, outbox: Query[]): number {
    for (const query of this.#pending.values()) {
      if (query.young && nowMs - query.sentMs >= LIMITS.dnsYoungMs) this.#age(query);
      if (nowMs >= query.endsMs) this.giveUp(query);
      else if (query.sends === 1 && !query.waiting.interest.abandoned && !query.young && nowMs - query.sentMs >= this.#road.resendMs) {
        query.sentMs = Infinity;
        outbox.push(query);
      }
    }
    return this.#pending.size;
  }

  giveUp(query: Query): void {
    this.#forget(query);
    query.waiting.settle('timeout');
  }

  retire(): void {
    this.#retired = true;
    if (this.#pending.size === 0) this.#end();
  }

  close(): void {
    this.#fail();
    this.retire();
  }

  readonly #sent = (error: Error | null): void => {
    if (error !== null) this.#fail();
  };

  #receive(bytes: Buffer): void {
    if (bytes.length < 12) return;
    const query = this.#pending.get(bytes.readUInt16BE(0));
    if (query === undefined || !query.waiting.accept(bytes)) return;
    this.#forget(query);
  }

  /** The server's machine refuses, or cannot be reached: that holds for all that wait. */
  #fail(): void {
    this.broken ||= !this.#connected;
    for (const query of this.#pending.values()) {
      this.#forget(query);
      query.waiting.settle('unreachable');
    }
  }

  #forget(query: Query): void {
    query.over = true;
    this.#pending.delete(query.id);
    this.#age(query);
    if (this.#retired && this.#pending.size === 0) this.#end();
  }

  /** No longer young: there is room for another. */
  #age(query: Query): void {
    if (!query.young) return;
    query.young = false;
    this.#road.young -= 1;
    this.#road.moved();
  }

  #end(): void {
    if (this.ended) return;
    this.ended = true;
    this.#socket.close();
  }
}
