import type { MessagePort } from 'node:worker_threads';

/**
 * The way of a request to another thread and of its page back, in memory that both share, and nothing beside it:
 *
 *   server   names the tray of order n, `sent` += 1, rings for a batch ──▶ thread     sleeps on `rung` while there is nothing to do
 *   server   sends the tray, which is free again ◀── fills it, `done` += 1 ── thread   pings, by message, where the server said it is about to sleep
 *
 * As many orders as trays may be under way, so that none is written over. Of the free trays the last used is taken: its memory is in the caches yet.
 */
export type TripMemory = {
  readonly words: Int32Array;
  /** Which tray each order is for. */
  readonly orders: Int32Array;
  readonly trays: SharedArrayBuffer;
  readonly pageBytes: number;
};

/** More than any load has connections. A power of two: the counts of orders run over the end of 32 bits. */
export const TRIPS_MAX = 256;
/** A full batch does not wait for the end of the turn: its thread would stand idle meanwhile. */
const BATCH = 8;
/** No two trays share a line of the caches. */
const LINE_BYTES = 64;

/** Places of the words. */
const RUNG = 0;
const SENT = 1;
const DONE = 2;
const PING_WANTED = 3;
const WORDS = 4;

/** Memory that is not written takes none. */
export function makeTripMemory(pageBytes: number): TripMemory {
  const words = (count: number): Int32Array => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * count));
  return { words: words(WORDS), orders: words(TRIPS_MAX), trays: new SharedArrayBuffer(TRIPS_MAX * strideOf(pageBytes)), pageBytes };
}

const strideOf = (pageBytes: number): number => Math.ceil(pageBytes / LINE_BYTES) * LINE_BYTES;

function traysOf({ trays, pageBytes }: TripMemory): Buffer[] {
  return Array.from({ length: TRIPS_MAX }, (_, tray) => Buffer.from(trays, tray * strideOf(pageBytes), pageBytes));
}

/** The server's end, which never waits. */
export class NearEnd<T> {
  readonly #words: Int32Array;
  readonly #orders: Int32Array;
  readonly #trays: readonly Buffer[];
  readonly #free = Array.from({ length: TRIPS_MAX }, (_, tray) => tray);
  readonly #travellers: (T | null)[] = Array.from({ length: TRIPS_MAX }, () => null);
  readonly #back: (traveller: T, page: Buffer) => void;
  #sent = 0;
  #unrung = 0;
  #taken = 0;
  /** Whether this turn of the event loop has brought something. */
  #moved = false;
  #awaitsPing = false;
  #isDue = false;
  readonly #turnOver = (): void => {
    this.#isDue = false;
    if (this.#unrung > 0) this.#ring();
    this.look();
  };

  /** `back` gets each page, which is the caller's until it returns. */
  constructor(memory: TripMemory, back: (traveller: T, page: Buffer) => void) {
    this.#words = memory.words;
    this.#orders = memory.orders;
    this.#trays = traysOf(memory);
    this.#back = back;
  }

  /** False where too many are under way. */
  send(traveller: T): boolean {
    const tray = this.#free.pop();
    if (tray === undefined) return false;
    const slot = slotOf(this.#sent);
    this.#orders[slot] = tray;
    this.#travellers[slot] = traveller;
    this.#sent = (this.#sent + 1) | 0;
    this.#moved = true;
    this.#unrung += 1;
    if (this.#unrung === BATCH) this.#ring();
    this.#lookSoon();
    return true;
  }

  /** On a ping, and once a turn while turns bring something; after one that brought nothing the loop may sleep, and the thread is asked for a ping. */
  look(): void {
    if (this.#awaitsPing) this.#wantPing(false);
    this.#take();
    if (this.#taken === this.#sent) return;
    if (!this.#moved) {
      this.#wantPing(true);
      // What was done before the thread could see that would never be told.
      this.#take();
    }
    if (this.#moved) this.#lookSoon();
    this.#moved = false;
  }

  #wantPing(wanted: boolean): void {
    this.#awaitsPing = wanted;
    Atomics.store(this.#words, PING_WANTED, wanted ? 1 : 0);
  }

  #take(): void {
    for (const done = Atomics.load(this.#words, DONE); this.#taken !== done;) {
      const slot = slotOf(this.#taken);
      const tray = this.#orders[slot]!;
      const traveller = this.#travellers[slot]!;
      this.#travellers[slot] = null;
      this.#taken = (this.#taken + 1) | 0;
      this.#moved = true;
      this.#back(traveller, this.#trays[tray]!);
      this.#free.push(tray);
    }
  }

  #ring(): void {
    this.#unrung = 0;
    Atomics.store(this.#words, SENT, this.#sent);
    Atomics.add(this.#words, RUNG, 1);
    Atomics.notify(this.#words, RUNG);
  }

  #lookSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(this.#turnOver);
  }
}

/** The thread's end, which sleeps while there is nothing to do. */
export class FarEnd {
  readonly #words: Int32Array;
  readonly #orders: Int32Array;
  readonly #trays: readonly Buffer[];
  readonly #pings: MessagePort;
  #taken = 0;

  constructor(memory: TripMemory, pings: MessagePort) {
    this.#words = memory.words;
    this.#orders = memory.orders;
    this.#trays = traysOf(memory);
    this.#pings = pings;
  }

  /** Waits for the next page to fill. */
  next(): Buffer {
    for (;;) {
      const rung = Atomics.load(this.#words, RUNG);
      if (Atomics.load(this.#words, SENT) !== this.#taken) return this.#trays[this.#orders[slotOf(this.#taken)]!]!;
      Atomics.wait(this.#words, RUNG, rung);
    }
  }

  /** The page is full. */
  done(): void {
    this.#taken = (this.#taken + 1) | 0;
    Atomics.store(this.#words, DONE, this.#taken);
    if (Atomics.exchange(this.#words, PING_WANTED, 0) === 1) this.#pings.postMessage(null);
  }
}

function slotOf(count: number): number {
  return count & (TRIPS_MAX - 1);
}
