import { LIMITS } from '../config/limits.ts';

/**
 * Pages on their way from a scan thread to the socket: their text is written once, where the service's own thread hands it to the kernel.
 *
 *   thread   reserves ▶ [ room before │ rows, a comma between │ room behind ]   never over what the other end still holds
 *   service  writes the rest of its answer into the room, sends, releases
 *
 * A reservation lies in one piece and is a multiple of `UNIT_BYTES`. They are released in any order, and written over in the order in which they were
 * made; a page for which there is no place goes another way. Both ends count units, which run over the end of 32 bits.
 */
export type PageRing = { readonly released: Int32Array; readonly bytes: SharedArrayBuffer };

const UNIT_BYTES = 64;
/** Room before the rows of a page: `{"results":[`. */
export const RING_FRONT_BYTES = 64;

export function makePageRing(bytes: number = LIMITS.pageRingBytes): PageRing {
  return { released: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), bytes: new SharedArrayBuffer(bytes) };
}

/** Bytes [at, at + length) of the ring. `units`: how many the reservation took, with what it left free before it. */
export type Reservation = { readonly at: number; readonly length: number; readonly units: number };

/** The thread's end. */
export class PageWriter {
  readonly bytes: Buffer;
  readonly #released: Int32Array;
  /** Units reserved so far. */
  #reserved = 0;

  constructor({ released, bytes }: PageRing) {
    this.bytes = Buffer.from(bytes);
    this.#released = released;
    this.#reserved = Atomics.load(released, 0);
  }

  /** Null where there is no place of this length now. */
  reserve(length: number): Reservation | null {
    const size = this.bytes.length / UNIT_BYTES;
    const wanted = Math.ceil(length / UNIT_BYTES);
    const start = (this.#reserved >>> 0) % size;
    const skipped = start + wanted <= size ? 0 : size - start;
    const held = (this.#reserved - Atomics.load(this.#released, 0)) | 0;
    if (held + skipped + wanted > size) return null;
    const units = skipped + wanted;
    this.#reserved = (this.#reserved + units) | 0;
    return { at: ((start + skipped) % size) * UNIT_BYTES, length: wanted * UNIT_BYTES, units };
  }
}

/** Bytes to be read and written until `release`, which counts once. */
export type HeldBytes = { readonly bytes: Buffer; readonly release: () => void };

type Held = { readonly units: number; isOver: boolean };

/** The service's end: takes every reservation in the order in which they were made. */
export class PageReader {
  readonly #bytes: Buffer;
  readonly #released: Int32Array;
  readonly #held: Held[] = [];

  constructor({ released, bytes }: PageRing) {
    this.#bytes = Buffer.from(bytes);
    this.#released = released;
  }

  take({ at, length, units }: Reservation): HeldBytes {
    const held: Held = { units, isOver: false };
    this.#held.push(held);
    return { bytes: this.#bytes.subarray(at, at + length), release: () => { this.#release(held); } };
  }

  #release(held: Held): void {
    held.isOver = true;
    let units = 0;
    while (this.#held[0]?.isOver === true) units += this.#held.shift()!.units;
    if (units > 0) Atomics.add(this.#released, 0, units);
  }
}
