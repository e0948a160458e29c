import { putLetters } from '../lib/letters.ts';
import { MAC_ROOM_BYTES } from '../lib/mac.ts';

const VARINT_BYTES_MAX = 8;
const ONE_BYTE = 128;
const DIGIT_0 = 0x30;

/** Memory that all writers of the thread share: one at a time, read before the next begins. What does not fit has its own, which is not kept. */
const SHARED = Buffer.allocUnsafeSlow(4_096);

/** Texts and numbers one behind the other, as bytes. */
export class CursorWriter {
  #bytes = SHARED;
  /** Room for the key is left before them. */
  #at = MAC_ROOM_BYTES;

  /** Where the next byte will be. */
  get end(): number {
    return this.#at;
  }

  /** All up to the end, and more. Until more is written. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** With its length before it. */
  text(text: string): void {
    const { length } = text;
    if (length < ONE_BYTE) {
      this.#grow(1 + length);
      if (this.#ascii(text, this.#at + 1)) {
        this.#bytes[this.#at] = length;
        this.#at += 1 + length;
        return;
      }
    }
    this.varint(Buffer.byteLength(text));
    this.bare(text);
  }

  /** Without its length. */
  bare(text: string): void {
    this.#grow(3 * text.length);
    this.#at += this.#ascii(text, this.#at) ? text.length : this.#bytes.write(text, this.#at);
  }

  byte(value: number): void {
    this.#grow(1);
    this.#bytes[this.#at++] = value;
  }

  /** In digits. */
  decimal(value: number): void {
    if (value < 10) this.byte(DIGIT_0 + value);
    else this.bare(String(value));
  }

  /** Up to 2^53: arithmetic, not shifts. */
  varint(value: number): void {
    this.#grow(VARINT_BYTES_MAX);
    let left = value;
    for (; left >= ONE_BYTE; left = Math.floor(left / ONE_BYTE)) this.#bytes[this.#at++] = left % ONE_BYTE + ONE_BYTE;
    this.#bytes[this.#at++] = left;
  }

  raw(more: Uint8Array): void {
    this.#grow(more.length);
    this.#bytes.set(more, this.#at);
    this.#at += more.length;
  }

  /** False where there is another letter among them. */
  #ascii(text: string, at: number): boolean {
    return putLetters(this.#bytes, at, text, text.length) < ONE_BYTE;
  }

  #grow(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + more));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
