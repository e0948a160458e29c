import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { LIMITS } from '../../config/limits.ts';

export type Endpoint = { readonly address: string; readonly port: number };

/** Gives true to take a datagram as the reply, false to wait on: it was for nobody here. */
type Accept = (bytes: Uint8Array) => boolean;
type Pending = { readonly accept: Accept; readonly settle: (outcome: 'timeout' | 'unreachable') => void };

/**
 * Connected sockets to one server, so that only its datagrams arrive. A query takes a lane at random; a lane retires after a number
 * of queries, and the next one has a new random port. A guess must meet port, id and the case of the name.
 */
export class UdpLanes {
  readonly #endpoint: Endpoint;
  readonly #lanes: (Lane | undefined)[] = [];
  #closed = false;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Sends `query` under `id`; `accept` sees what comes back under it. `settle` is told when nothing was accepted in time. */
  send(query: Uint8Array, id: number, pending: Pending, timeoutMs: number): void {
    if (this.#closed) return pending.settle('unreachable');
    this.#lane(id).send(query, id, pending, timeoutMs);
  }

  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes) lane?.close();
    this.#lanes.length = 0;
  }

  #lane(id: number): Lane {
    const index = Math.floor(Math.random() * LIMITS.dnsLanes);
    const lane = this.#lanes[index];
    if (lane !== undefined && !lane.broken && lane.sent < LIMITS.dnsLaneQueriesMax && !lane.holds(id)) return lane;
    lane?.retire();
    return this.#lanes[index] = new Lane(this.#endpoint);
  }
}

class Lane {
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending & { readonly timer: NodeJS.Timeout }>();
  /** Until the socket is connected. */
  #waiting: Uint8Array[] | null = [];
  #retired = false;
  sent = 0;
  /** Never got connected. */
  broken = false;

  constructor({ address, port }: Endpoint) {
    this.#socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', recvBufferSize: LIMITS.dnsReceiveBufferBytes });
    this.#socket.unref();
    this.#socket.on('message', (bytes) => this.#receive(bytes));
    this.#socket.on('error', () => this.#fail());
    this.#socket.on('connect', () => {
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      for (const query of waiting) this.#write(query);
    });
    this.#socket.connect(port, address);
  }

  holds(id: number): boolean {
    return this.#pending.has(id);
  }

  send(query: Uint8Array, id: number, pending: Pending, timeoutMs: number): void {
    this.sent += 1;
    const timer = setTimeout(() => {
      this.#forget(id);
      pending.settle('timeout');
    }, timeoutMs);
    this.#pending.set(id, { ...pending, timer });
    if (this.#waiting === null) this.#write(query);
    else this.#waiting.push(query);
  }

  retire(): void {
    this.#retired = true;
    if (this.#pending.size === 0) this.#end();
  }

  close(): void {
    this.#fail();
    this.retire();
  }

  #write(query: Uint8Array): void {
    if (this.#ended) return;
    this.#socket.send(query, (error) => { if (error !== null) this.#fail(); });
  }

  #receive(bytes: Buffer): void {
    if (bytes.length < 12) return;
    const id = bytes.readUInt16BE(0);
    const pending = this.#pending.get(id);
    if (pending === undefined || !pending.accept(bytes)) return;
    clearTimeout(pending.timer);
    this.#forget(id);
  }

  /** The server's machine refuses, or cannot be reached: that holds for all that wait. */
  #fail(): void {
    this.broken ||= this.#waiting !== null;
    for (const [id, { timer, settle }] of this.#pending) {
      clearTimeout(timer);
      this.#forget(id);
      settle('unreachable');
    }
  }

  #forget(id: number): void {
    this.#pending.delete(id);
    if (this.#retired && this.#pending.size === 0) this.#end();
  }

  #ended = false;

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.close();
  }
}
