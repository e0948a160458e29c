const WORD_BYTES = 4;
/** Some byte of a text may be one that JSON spells otherwise. */
export const MAY_HALT = 0x40;

/** Where rows are put together: bytes that grow, written from the front on, four at a time. What is written last may leave 3 bytes behind its end. */
export class RowBuffer {
  bytes: Buffer;
  /** The same, to be read and written four at a time. */
  words: DataView;

  constructor(bytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(bytes);
    this.words = wordsOf(this.bytes);
  }

  /** What is kept stands before all that is written: texts that rows have in stencils, where whoever reads a row finds them. */
  static readonly KEPT_BYTES = 1 << 16;
  #kept = 0;

  mayKeep(bytes: number): boolean {
    return this.#kept + bytes <= RowBuffer.KEPT_BYTES;
  }

  /** Says where they stand from now on. */
  keep(bytes: Uint8Array): number {
    if (!this.mayKeep(bytes.length)) throw new Error('more fixed texts than a row has room for');
    this.reserve(0, RowBuffer.KEPT_BYTES);
    this.bytes.set(bytes, this.#kept);
    this.#kept += bytes.length;
    return this.#kept - bytes.length;
  }

  /** Room for so many bytes from `at` on, at least; what stands before stays. */
  reserve(at: number, bytes: number): void {
    if (at + bytes + WORD_BYTES <= this.bytes.length) return;
    this.bytes = Buffer.concat([this.bytes.subarray(0, at)], Math.max(at + bytes + WORD_BYTES, this.bytes.length * 2));
    this.words = wordsOf(this.bytes);
  }

  /** Copies bytes [start, end) of a source that has 3 bytes more; says where they end. */
  copy(at: number, from: DataView, start: number, end: number): number {
    const words = this.words;
    let to = at;
    for (let place = start; place < end; place += WORD_BYTES, to += WORD_BYTES) words.setInt32(to, from.getInt32(place, true), true);
    return at + end - start;
  }

  /**
   * The same, and tells whether a JSON text may hold them as they stand: 0 where they are plain ASCII, else 0x80 where there are
   * other letters, and `MAY_HALT`. Four bytes at a time, with the old tricks that find a byte among them.
   */
  copyLooking(at: number, from: DataView, start: number, end: number): number {
    const words = this.words;
    let to = at;
    let seen = 0;
    let place = start;
    for (; place + WORD_BYTES <= end; place += WORD_BYTES, to += WORD_BYTES) {
      const word = from.getInt32(place, true);
      words.setInt32(to, word, true);
      seen |= oddBytes(word);
    }
    if (place < end) {
      const word = from.getInt32(place, true);
      words.setInt32(to, word, true);
      // What lies behind the end is made a letter.
      const rest = (1 << (8 * (end - place))) - 1;
      seen |= oddBytes((word & rest) | (0x61616161 & ~rest));
    }
    return seen;
  }
}

/** Bit 7 where some byte is above ASCII, `MAY_HALT` where some may be a quote, a backslash or a control character. */
function oddBytes(word: number): number {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  const halts = ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((word - 0x20202020) & ~word);
  return ((halts & 0x80808080) === 0 ? 0 : MAY_HALT) | ((word & 0x80808080) === 0 ? 0 : 0x80);
}

/** Ready to be copied from: 3 bytes behind the end may be read. */
export function copyable(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(bytes.length + WORD_BYTES);
  padded.set(bytes);
  return wordsOf(padded);
}

function wordsOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
