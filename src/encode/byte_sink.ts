import { LIMITS } from '../config/limits.ts';

const FIRST_BYTES = 64 * 1024;
/** Below this many bytes a loop beats the fixed cost of a view and a native copy. */
const SHORT_BYTES = 40;

/** Bytes in the making: grows as needed, is used again and again, never holds more than `bytesMax`. */
export class ByteSink {
  #buffer: Buffer;
  #length = 0;
  readonly #bytesMax: number;

  constructor(bytesMax: number = LIMITS.sinkBytesMax, firstBytes: number = FIRST_BYTES) {
    this.#bytesMax = bytesMax;
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(firstBytes, bytesMax));
  }

  get length(): number {
    return this.#length;
  }

  /** What has been written; valid until the next write or reset. */
  view(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Forgets what was written. A buffer that one large answer blew up is given back. */
  reset(): void {
    this.#length = 0;
    if (this.#buffer.length > LIMITS.sinkKeptBytes) this.#buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  byte(byte: number): void {
    if (this.#length === this.#buffer.length) this.#grow(1);
    this.#buffer[this.#length++] = byte;
  }

  /** `source[start, end)`; the source may be shared memory. */
  bytes(source: Uint8Array, start = 0, end: number = source.length): void {
    const count = end - start;
    if (this.#length + count > this.#buffer.length) this.#grow(count);
    const buffer = this.#buffer;
    if (count < SHORT_BYTES) {
      for (let from = start, to = this.#length; from < end; from++, to++) buffer[to] = source[from]!;
    } else if (source.buffer instanceof SharedArrayBuffer) {
      // Fills with the very bytes: a plain native copy. `set` takes shared memory, whose words lie otherwise, byte by byte: 4 instead of 15 GB/s.
      buffer.fill(source.subarray(start, end), this.#length, this.#length + count);
    } else {
      buffer.set(source.subarray(start, end), this.#length);
    }
    this.#length += count;
  }

  /** Text as UTF-8. */
  text(text: string): void {
    if (this.#length + 3 * text.length > this.#buffer.length) this.#grow(3 * text.length);
    this.#length += this.#buffer.write(text, this.#length);
  }

  /** The memory itself, with room for `bytes` more from `length` on; `advance` keeps what was written there. Valid until the next write or reset. */
  room(bytes: number): Buffer {
    if (this.#length + bytes > this.#buffer.length) this.#grow(bytes);
    return this.#buffer;
  }

  /** Keeps what stands in the `room` before `end`. */
  advance(end: number): void {
    this.#length = end;
  }

  /** Writes over a byte that is there. */
  patch(at: number, byte: number): void {
    this.#buffer[at] = byte;
  }

  #grow(count: number): void {
    const needed = this.#length + count;
    if (needed > this.#bytesMax) throw new Error(`an answer of more than ${this.#bytesMax} bytes`);
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#bytesMax, Math.max(needed, 2 * this.#buffer.length)));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
