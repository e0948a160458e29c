const VARINT_BYTES_MAX = 8;

/** Texts and numbers one behind the other, in memory that all writers of the thread share: one at a time, read before the next begins. */
export class CursorWriter {
  static #bytes = Buffer.allocUnsafeSlow(512);
  #at: number;

  /** Leaves room for `first` bytes. */
  constructor(first: number) {
    this.#at = first;
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.varint(length);
    this.#grow(length);
    this.#at += CursorWriter.#bytes.write(text, this.#at);
  }

  /** Up to 2^53: arithmetic, not shifts. */
  varint(value: number): void {
    this.#grow(VARINT_BYTES_MAX);
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) CursorWriter.#bytes[this.#at++] = left % 128 + 128;
    CursorWriter.#bytes[this.#at++] = left;
  }

  view(): Buffer {
    return CursorWriter.#bytes.subarray(0, this.#at);
  }

  #grow(more: number): void {
    if (this.#at + more <= CursorWriter.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + more));
    CursorWriter.#bytes.copy(larger, 0, 0, this.#at);
    CursorWriter.#bytes = larger;
  }
}
