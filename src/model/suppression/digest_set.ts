/**
 * A set of digests in shared memory: one thread writes, every thread reads, without locks.
 *
 *   0         64
 *   ┌─────────┬──────────────┬──────────────┬─────
 *   │ counts  │ entry 0      │ entry 1      │ ...     an entry: the first 96 bits of a digest, as three big-endian words
 *   └─────────┴──────────────┴──────────────┴─────
 *
 * The first word chooses the place, so that digests of which only that word is known can be looked for too; a place that is taken
 * leads to the next. 96 bits: among 10 million entries and 10 million rows one chance in 10^14 that a row is hit by accident.
 * 15 bytes for each entry at the fill this keeps to; a look-up is one to three cache lines.
 */
export const FILL_MAX = 0.8;

const HEADER_BYTES = 64;
const WORDS = 3;
/** First words: 0 is an empty place, all ones a place that was given up. A digest that begins so counts as its neighbour. */
const GONE = 0xffffffff;
const TAKEN = 0;
const LIVING = 1;

export class DigestSet {
  readonly shared: SharedArrayBuffer;
  readonly capacity: number;
  readonly #counts: Int32Array;
  readonly #words: Uint32Array;

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.#counts = new Int32Array(shared, 0, HEADER_BYTES / 4);
    this.#words = new Uint32Array(shared, HEADER_BYTES);
    this.capacity = this.#words.length / WORDS;
  }

  /** Room for so many entries. */
  static of(entries: number): DigestSet {
    const capacity = Math.ceil((entries + 1) / FILL_MAX) + 8;
    return new DigestSet(new SharedArrayBuffer(HEADER_BYTES + capacity * WORDS * 4));
  }

  get size(): number {
    return this.#counts[LIVING]!;
  }

  get full(): boolean {
    return this.#counts[TAKEN]! >= this.capacity * FILL_MAX;
  }

  has(digest: Uint8Array): boolean {
    return this.#find(firstWord(digest), word(digest, 4), word(digest, 8)) !== -1;
  }

  /** Whether some entry begins so; `first` as `firstWord` gives it. */
  hasFirst(first: number): boolean {
    for (let at = this.#home(first); ; at = this.#after(at)) {
      const known = this.#words[at]!;
      if (known === first) return true;
      if (known === 0) return false;
    }
  }

  /** False where it was there. Not to be called while `full`. */
  add(digest: Uint8Array): boolean {
    const first = firstWord(digest);
    if (this.has(digest)) return false;
    let at = this.#home(first);
    while (this.#words[at] !== 0) at = this.#after(at);
    // The first word last: it is what makes the place taken.
    this.#words[at + 1] = word(digest, 4);
    this.#words[at + 2] = word(digest, 8);
    Atomics.store(this.#words, at, first);
    this.#counts[TAKEN]! += 1;
    this.#counts[LIVING]! += 1;
    return true;
  }

  /** False where it was not there. */
  remove(digest: Uint8Array): boolean {
    const at = this.#find(firstWord(digest), word(digest, 4), word(digest, 8));
    if (at === -1) return false;
    Atomics.store(this.#words, at, GONE);
    this.#counts[LIVING]! -= 1;
    return true;
  }

  /** A copy with room for more; what was given up is left behind. */
  grown(entries: number): DigestSet {
    const larger = DigestSet.of(entries);
    for (let at = 0; at < this.#words.length; at += WORDS) {
      if (this.#words[at] !== 0 && this.#words[at] !== GONE) larger.#copy(this.#words, at);
    }
    return larger;
  }

  #copy(words: Uint32Array, from: number): void {
    let at = this.#home(words[from]!);
    while (this.#words[at] !== 0) at = this.#after(at);
    this.#words.set(words.subarray(from, from + WORDS), at);
    this.#counts[TAKEN]! += 1;
    this.#counts[LIVING]! += 1;
  }

  #find(first: number, second: number, third: number): number {
    for (let at = this.#home(first); ; at = this.#after(at)) {
      const known = this.#words[at]!;
      if (known === first && this.#words[at + 1] === second && this.#words[at + 2] === third) return at;
      if (known === 0) return -1;
    }
  }

  /** Ascends with the first word, so that the places of a long run of look-ups in order lie in order. */
  #home(first: number): number {
    return Math.floor((first / 0x1_0000_0000) * this.capacity) * WORDS;
  }

  #after(at: number): number {
    return at + WORDS === this.#words.length ? 0 : at + WORDS;
  }
}

/** What a digest is found by: its first 32 bits; never 0, and never all ones. */
export function firstWord(digest: Uint8Array): number {
  return soughtWord(word(digest, 0));
}

/** As `firstWord`, of a digest in a text of a letter a byte. */
export function firstWordOfText(digest: string): number {
  return soughtWord(((digest.charCodeAt(0) << 24) | (digest.charCodeAt(1) << 16) | (digest.charCodeAt(2) << 8) | digest.charCodeAt(3)) >>> 0);
}

/** As `firstWord`, of the first 32 bits of a digest. */
export function soughtWord(first: number): number {
  return first === 0 ? 1 : first === GONE ? GONE - 1 : first;
}

function word(digest: Uint8Array, at: number): number {
  return ((digest[at]! << 24) | (digest[at + 1]! << 16) | (digest[at + 2]! << 8) | digest[at + 3]!) >>> 0;
}
