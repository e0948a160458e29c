import { LIMITS } from '../config/limits.ts';

export type BodyRead = Uint8Array | 'too_large' | 'gone';

const EMPTY = new Uint8Array(0);

/** Gathers a body that may arrive before anyone asks for it; holds at most what it was asked for, and nothing once it is too large. */
export class IncomingBody {
  readonly #announcedBytes: number | null;
  #bytesMax: number = LIMITS.bodyBytesMax;
  #bytes = 0;
  /** What came so far, and room for more. Not a list of the pieces: a body that comes byte by byte would take a hundred times its length. */
  #held: Uint8Array = EMPTY;
  #state: 'open' | 'ended' | 'gone';
  #settle: ((read: BodyRead) => void) | null = null;

  constructor(announcedBytes: number | null) {
    this.#announcedBytes = announcedBytes;
    this.#state = announcedBytes === 0 ? 'ended' : 'open';
  }

  get open(): boolean {
    return this.#state === 'open';
  }

  /** True where the rest is too long, or of unknown length, to be read for the sake of the next request. */
  get restIsUnbounded(): boolean {
    return this.open && (this.#announcedBytes === null || this.#announcedBytes > LIMITS.bodyBytesMax);
  }

  /** `chunk` is copied. */
  push(chunk: Uint8Array, last: boolean): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#bytesMax) this.#drop();
    else if (chunk.byteLength > 0) this.#keep(chunk, this.#bytes - chunk.byteLength);
    if (last) this.#state = 'ended';
    this.#settleIfKnown();
  }

  /** No more will be taken: the caller left, or has his answer. What ended before stays readable. */
  gone(): void {
    if (!this.open) return;
    this.#state = 'gone';
    this.#drop();
    this.#settleIfKnown();
  }

  read(bytesMax: number): Promise<BodyRead> {
    this.#bytesMax = Math.min(bytesMax, this.#bytesMax);
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#settleIfKnown();
    });
  }

  #settleIfKnown(): void {
    const settle = this.#settle;
    if (settle === null) return;
    const read = this.#known();
    if (read === null) return;
    this.#settle = null;
    this.#drop();
    settle(read);
  }

  /** Of most bodies the first piece is all; what comes after it moves to memory of its own, which is doubled when it is full. */
  #keep(chunk: Uint8Array, at: number): void {
    if (at === 0) {
      this.#held = copyOf(chunk);
      return;
    }
    if (this.#bytes > this.#held.byteLength) {
      const larger = new Uint8Array(Math.min(2 * this.#bytes, this.#bytesMax));
      larger.set(this.#held.subarray(0, at));
      this.#held = larger;
    }
    this.#held.set(chunk, at);
  }

  #drop(): void {
    this.#held = EMPTY;
  }

  #known(): BodyRead | null {
    if (this.#state === 'gone') return 'gone';
    if (Math.max(this.#bytes, this.#announcedBytes ?? 0) > this.#bytesMax) return 'too_large';
    if (this.#state === 'open') return null;
    return this.#held.byteLength === this.#bytes ? this.#held : this.#held.subarray(0, this.#bytes);
  }
}

/** Short bodies share a piece of memory, which costs a third of a buffer of the pool's own. */
const SLAB_BYTES = 32 * 1024;
const SHORT_BYTES = SLAB_BYTES / 8;
let slab = new ArrayBuffer(SLAB_BYTES);
let slabUsed = 0;

function copyOf(chunk: Uint8Array): Uint8Array {
  const bytes = chunk.byteLength;
  // Not `slice`: that of a `Buffer` is the same memory.
  if (bytes > SHORT_BYTES) return new Uint8Array(chunk);
  if (slabUsed + bytes > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    slabUsed = 0;
  }
  const copy = new Uint8Array(slab, slabUsed, bytes);
  slabUsed += bytes;
  copy.set(chunk);
  return copy;
}
