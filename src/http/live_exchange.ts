import type { Exchange, HeaderLines, Headers, RequestHead } from './exchange.ts';
import { IncomingBody, type BodyRead } from './incoming_body.ts';
import type { Waiting } from './stalls.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * What the exchanges of all servers have in common: who hears that the caller left, the one write that may wait for him, and how
 * long he is waited for.
 */
export abstract class LiveExchange implements Exchange, Waiting {
  abstract readonly head: RequestHead;
  live = true;
  begun = false;
  patienceMs = 0;
  patienceEndsMs: number | null = null;
  rosterPlace = -1;
  protected readonly around: Surroundings;
  protected readonly body: IncomingBody;
  #gone = false;
  #goneListeners: (() => void)[] | null = null;
  #writable: (() => void) | null = null;
  /** Of the body, since the patience with it began. */
  #bodyBytesAtPace = 0;

  constructor(bodyBytes: number | null, around: Surroundings) {
    this.around = around;
    this.body = new IncomingBody(bodyBytes);
    around.running.enter();
  }

  abstract readBody(bytesMax: number): Promise<BodyRead>;
  abstract answer(status: number, headers: Headers | HeaderLines, body: Uint8Array | string): void;
  abstract begin(status: number, headers: Headers | HeaderLines): void;
  abstract write(bytes: Uint8Array): Promise<void>;
  abstract end(): void;
  abstract look(): void;
  abstract cut(): void;
  /** Forgets the bytes that wait to be handed over. */
  protected abstract dropPending(): void;
  /** Makes them bytes of its own. */
  protected abstract keepPending(): void;

  writeLent(bytes: Uint8Array): Promise<void> {
    const written = this.write(bytes);
    this.keepPending();
    return written;
  }

  onGone(listener: () => void): void {
    if (this.#gone) this.#tell(listener);
    else if (this.live) (this.#goneListeners ??= []).push(listener);
  }

  /** Going on would lose the bytes that wait, under an honest end. */
  protected assertNoneWaits(): void {
    if (this.#writable !== null) throw new Error('a write is still waiting');
  }

  /** Resolves when `resume` is called. How long it may take is not begun anew: only what the reader takes does that. */
  protected untilWritable(): Promise<void> {
    this.around.stalls.add(this);
    return new Promise((resolve) => { this.#writable = resolve; });
  }

  protected resume(): void {
    this.unwait();
    const resume = this.#writable;
    this.#writable = null;
    resume?.();
  }

  protected wait(patienceMs: number): void {
    this.patient(patienceMs);
    this.around.stalls.add(this);
  }

  /** More of the body. While a write waits, what counts is how the caller reads. One that drips stands still: only what keeps its pace begins the patience anew. */
  protected bodyCame(bytes: number, last: boolean): void {
    if (this.#writable !== null) return;
    this.#bodyBytesAtPace += bytes;
    if (last) this.unwait();
    else if (this.#bodyBytesAtPace >= this.around.bounds.bodyPaceBytes) {
      this.#bodyBytesAtPace = 0;
      this.patient(this.around.bounds.bodyStallMs);
    }
  }

  protected patient(patienceMs: number): void {
    this.patienceMs = patienceMs;
    this.patienceEndsMs = null;
  }

  protected unwait(): void {
    this.around.stalls.remove(this);
  }

  /** The answer is complete as far as the handler is concerned. */
  protected finish(): void {
    this.live = false;
    this.body.gone();
    this.unwait();
    this.#goneListeners = null;
    this.around.running.leave();
  }

  /** The caller left before the end, or was cut. */
  protected leave(): void {
    const listeners = this.#goneListeners;
    this.#gone = true;
    this.finish();
    this.dropPending();
    this.resume();
    for (const listener of listeners ?? []) this.#tell(listener);
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.around.fault(this, error);
    }
  }
}
