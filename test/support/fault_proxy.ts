import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { seeded } from '../../bench/support/figures.ts';
import { ClosedEar } from './closed_ear.ts';

/** What befalls the answers on their way. Bytes are counted on each connection from the moment the fault is set. */
export type Fault =
  | { readonly kind: 'none' }
  /** Connections wait in the kernel for one who never takes them. */
  | { readonly kind: 'unaccepted' }
  /** Nothing listens. */
  | { readonly kind: 'refused' }
  /** Connections are taken, and nothing passes in either direction. */
  | { readonly kind: 'blackhole' }
  | { readonly kind: 'latency'; readonly ms: number; readonly jitterMs: number }
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  /** Pieces of one byte. */
  | { readonly kind: 'slice'; readonly everyMs: number }
  | { readonly kind: 'reset' | 'cut' | 'hang'; readonly afterBytes: number };

export const NO_FAULT: Fault = { kind: 'none' };

/** The next step of a connection that has `waiting` bytes: how many go on after how long, or how it ends. */
type Step = { readonly bytes: number; readonly waitMs: number } | 'reset' | 'cut' | 'hang';

const TICK_MS = 10;

function stepOf(fault: Fault, passed: number, waiting: number, chance: () => number): Step {
  switch (fault.kind) {
    case 'none': return { bytes: waiting, waitMs: 0 };
    case 'latency': return { bytes: waiting, waitMs: fault.ms + chance() * fault.jitterMs };
    case 'bandwidth': return { bytes: Math.min(waiting, Math.max(1, Math.round((fault.bytesPerSecond * TICK_MS) / 1_000))), waitMs: TICK_MS };
    case 'slice': return { bytes: 1, waitMs: fault.everyMs };
    case 'reset': case 'cut': case 'hang': return passed >= fault.afterBytes ? fault.kind : { bytes: Math.min(waiting, fault.afterBytes - passed), waitMs: 0 };
    case 'blackhole': case 'unaccepted': case 'refused': return 'hang';
    default: return fault satisfies never;
  }
}

/** Stands before a server and spoils what it answers, as is said while it runs: what is under way is spoilt too. */
export class FaultProxy {
  readonly port: number;
  readonly #target: number;
  readonly #chance: () => number;
  readonly #relays = new Set<Relay>();
  #fault: Fault = NO_FAULT;
  #answeredBytes = 0;
  #door: Server | ClosedEar | null;
  #listening: Promise<void> = Promise.resolve();

  private constructor(target: number, seed: number, door: Server) {
    this.#target = target;
    this.#chance = seeded(seed);
    this.#door = door;
    this.port = (door.address() as AddressInfo).port;
    door.on('connection', (client: Socket) => this.#relay(client));
  }

  /** Before a server on a port of the loopback. `seed` is that of the jitter. */
  static async start(target: number, seed = 1): Promise<FaultProxy> {
    const door = createServer({ noDelay: true, pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(door, 'listening');
    return new FaultProxy(target, seed, door);
  }

  get fault(): Fault { return this.#fault; }
  get connections(): number { return this.#relays.size; }
  /** Bytes of answers that were handed on so far, to all clients there ever were. */
  get answeredBytes(): number { return this.#answeredBytes; }

  /** Resolves when new connections meet the fault, too. */
  set(fault: Fault): Promise<void> {
    this.#fault = fault;
    for (const relay of this.#relays) relay.turn(fault);
    this.#listening = this.#listening.then(() => this.#listen(fault));
    return this.#listening;
  }

  /** Resets what is connected now. */
  drop(): void {
    for (const relay of this.#relays) relay.reset();
  }

  async close(): Promise<void> {
    await this.set({ kind: 'refused' });
    this.drop();
  }

  async #listen({ kind }: Fault): Promise<void> {
    const wanted = kind === 'refused' ? 'nobody' : kind === 'unaccepted' ? 'deaf' : 'open';
    const present = this.#door === null ? 'nobody' : this.#door instanceof ClosedEar ? 'deaf' : 'open';
    if (wanted === present) return;
    if (this.#door instanceof ClosedEar) await this.#door.close();
    // Whoever is connected stays so: `close` would wait for them.
    else if (this.#door !== null) this.#door.close();
    if (wanted === 'nobody') this.#door = null;
    else if (wanted === 'deaf') this.#door = await ClosedEar.open(this.port);
    else {
      this.#door = createServer({ noDelay: true, pauseOnConnect: true }, (client) => this.#relay(client)).listen(this.port, '127.0.0.1');
      await once(this.#door, 'listening');
    }
  }

  #relay(client: Socket): void {
    const relay = new Relay(client, connect({ port: this.#target, host: '127.0.0.1', noDelay: true }), this.#fault, this.#chance, (bytes) => { this.#answeredBytes += bytes; });
    this.#relays.add(relay);
    client.once('close', () => this.#relays.delete(relay));
  }
}

/** One connection, and the one behind it. What is not passed on is not read on either. */
class Relay {
  readonly #client: Socket;
  readonly #chance: () => number;
  readonly #answered: (bytes: number) => void;
  #fault: Fault;
  #passed = 0;
  /** Who waits for time to pass, for room, or for another fault. */
  readonly #waiting = new Set<() => void>();

  constructor(client: Socket, server: Socket, fault: Fault, chance: () => number, answered: (bytes: number) => void) {
    this.#client = client;
    this.#answered = answered;
    this.#fault = fault;
    this.#chance = chance;
    // One that ends or breaks takes the other with it.
    for (const [one, other] of [[client, server], [server, client]] as const) {
      one.on('error', () => {});
      one.once('close', (broken: boolean) => {
        this.#wake();
        if (broken) other.resetAndDestroy();
      });
    }
    client.once('close', () => server.destroy());
    void this.#pass(client, server, () => (this.#fault.kind === 'blackhole' ? 'hang' : { bytes: Infinity, waitMs: 0 }));
    void this.#pass(server, client, (waiting) => stepOf(this.#fault, this.#passed, waiting, this.#chance));
  }

  turn(fault: Fault): void {
    this.#fault = fault;
    this.#passed = 0;
    this.#wake();
  }

  reset(): void {
    this.#client.resetAndDestroy();
  }

  async #pass(from: Socket, to: Socket, next: (waiting: number) => Step): Promise<void> {
    try {
      for await (const piece of from as AsyncIterable<Buffer>) {
        for (let rest = piece; rest.length > 0;) rest = await this.#step(to, rest, next(rest.length));
      }
      while (this.#fault.kind === 'hang' || this.#fault.kind === 'blackhole') await this.#turned(Infinity);
      to.end();
    } catch { /* the sockets tell each other */ }
  }

  /** What is left of `rest` after the step. */
  async #step(to: Socket, rest: Buffer, step: Step): Promise<Buffer> {
    if (this.#client.destroyed) throw new Error('the connection is gone');
    if (step === 'hang') await this.#turned(Infinity);
    else if (step === 'reset') this.reset();
    else if (step === 'cut') {
      this.#client.end();
      await this.#turned(Infinity);
    } else {
      const fault = this.#fault;
      if (step.waitMs > 0) await this.#turned(step.waitMs);
      // What was to be done under another fault is thought over.
      if (fault !== this.#fault) return rest;
      const now = rest.subarray(0, step.bytes);
      if (to === this.#client) {
        this.#passed += now.length;
        this.#answered(now.length);
      }
      if (!to.write(now)) await this.#until((go) => { to.once('drain', go); });
      return rest.subarray(now.length);
    }
    return rest;
  }

  /** Waits so long, or until the fault is another or the connection gone. */
  #turned(ms: number): Promise<void> {
    return this.#until((go) => { if (ms !== Infinity) setTimeout(go, ms).unref(); });
  }

  #until(arm: (go: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#waiting.delete(go);
        resolve();
      };
      this.#waiting.add(go);
      arm(go);
    });
  }

  #wake(): void {
    for (const go of this.#waiting) go();
  }
}
