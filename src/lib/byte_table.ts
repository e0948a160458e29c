const SLOTS_MIN = 1_024;
const WORDS_MIN = 1 << 14;

/** Of a slot: the hash, and where the record is, in words; 0 where the slot is free. */
const SLOT_WORDS = 2;
/** Of a record: its number and its length; then its bytes, four to a word, little end first; the last word ends with the last byte. */
const HEAD_WORDS = 2;

/** Runs [starts[i], ends[i]) of some bytes, to be numbered together. */
export class ByteRuns {
  static readonly MAX = 64;
  length = 0;
  readonly starts = new Int32Array(ByteRuns.MAX);
  readonly ends = new Int32Array(ByteRuns.MAX);
  readonly numbers = new Uint32Array(ByteRuns.MAX);
}

/**
 * Numbers runs of bytes from 0 on, the same for the same bytes: what a map does for texts, but without a text for each that is asked, and
 * with two places of memory to look at. Costs the bytes of each run once, and 24 to 40 bytes beside them; all runs together may have 8 GiB.
 */
export class ByteTable {
  size = 0;
  #records = new Int32Array(WORDS_MIN);
  #filled = HEAD_WORDS;
  /** Open addressing; at most half of the slots are taken. */
  #slots = new Int32Array(SLOTS_MIN * SLOT_WORDS);
  /** The bytes that were asked of last, and the same as words: read so, four bytes cost what one does. */
  #bytes: Uint8Array = new Uint8Array();
  #words: DataView = new DataView(this.#bytes.buffer);
  /** Where the record of each of some runs may be. */
  readonly #places = new Int32Array(ByteRuns.MAX);

  /** The number of bytes [start, end); equal to the `size` of before where they are new. */
  numberOf(bytes: Uint8Array, start: number, end: number): number {
    if (bytes !== this.#bytes) this.#turnTo(bytes);
    const hash = hashWords(this.#words, start, end);
    const mask = this.#slots.length - 1;
    let slot = (hash * SLOT_WORDS) & mask;
    for (; this.#slots[slot + 1] !== 0; slot = (slot + SLOT_WORDS) & mask) {
      const record = this.#slots[slot + 1]!;
      if (this.#slots[slot] === hash && this.#holds(record, start, end)) return this.#records[record]!;
    }
    return this.#add(hash, slot, start, end);
  }

  /**
   * Gives each of the runs its number, as `numberOf` would one after the other. What a look-up waits for is memory: here the slots of all runs are under way
   * at once, and then their records.
   */
  numberAll(bytes: Uint8Array, { length, starts, ends, numbers }: ByteRuns): void {
    if (bytes !== this.#bytes) this.#turnTo(bytes);
    const [words, slots, records, places] = [this.#words, this.#slots, this.#records, this.#places];
    const mask = slots.length - 1;
    for (let run = 0; run < length; run++) {
      const hash = hashWords(words, starts[run]!, ends[run]!);
      let slot = (hash * SLOT_WORDS) & mask;
      while (slots[slot + 1] !== 0 && slots[slot] !== hash) slot = (slot + SLOT_WORDS) & mask;
      places[run] = slots[slot + 1]!;
    }
    for (let run = 0; run < length; run++) numbers[run] = records[places[run]!]!;
    for (let run = 0; run < length; run++) {
      // Runs that are new here, and the few that share a hash.
      if (places[run] === 0 || !this.#holds(places[run]!, starts[run]!, ends[run]!)) numbers[run] = this.numberOf(bytes, starts[run]!, ends[run]!);
    }
  }

  #turnTo(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #holds(record: number, start: number, end: number): boolean {
    const records = this.#records;
    const words = this.#words;
    if (records[record + 1] !== end - start) return false;
    let word = record + HEAD_WORDS;
    let at = start;
    for (; at + 4 <= end; at += 4) if (records[word++] !== words.getInt32(at, true)) return false;
    return at === end || records[word] === lastWordOf(words, start, end);
  }

  #add(hash: number, slot: number, start: number, end: number): number {
    this.#reserve(HEAD_WORDS + ((end - start + 3) >>> 2));
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = this.#filled;
    const records = this.#records;
    let word = this.#filled;
    records[word++] = this.size;
    records[word++] = end - start;
    let at = start;
    for (; at + 4 <= end; at += 4) records[word++] = this.#words.getInt32(at, true);
    if (at < end) records[word++] = lastWordOf(this.#words, start, end);
    this.#filled = word;
    if (++this.size * 2 * SLOT_WORDS > this.#slots.length) this.#spread();
    return this.size - 1;
  }

  #reserve(words: number): void {
    if (this.#filled + words <= this.#records.length) return;
    if (this.#filled + words > 2 ** 31 - 1) throw new Error('more different texts in one column than 8 GiB');
    const larger = new Int32Array(Math.max(this.#filled + words, this.#records.length * 2));
    larger.set(this.#records);
    this.#records = larger;
  }

  #spread(): void {
    const before = this.#slots;
    const slots = new Int32Array(before.length * 2);
    const mask = slots.length - 1;
    for (let old = 0; old < before.length; old += SLOT_WORDS) {
      if (before[old + 1] === 0) continue;
      let slot = (before[old]! * SLOT_WORDS) & mask;
      while (slots[slot + 1] !== 0) slot = (slot + SLOT_WORDS) & mask;
      slots[slot] = before[old]!;
      slots[slot + 1] = before[old + 1]!;
    }
    this.#slots = slots;
  }
}

/** The word that ends with the last byte; of fewer bytes than a word has, with zeros. */
function lastWordOf(words: DataView, start: number, end: number): number {
  if (end - start >= 4) return words.getInt32(end - 4, true);
  let word = 0;
  for (let at = end - 1; at >= start; at--) word = (word << 8) | words.getUint8(at);
  return word;
}

/** Four bytes at a time: one multiplication for them instead of one each. */
function hashWords(words: DataView, start: number, end: number): number {
  let hash = 0x811c9dc5 ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ words.getInt32(at, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  if (at < end) hash = Math.imul(hash ^ lastWordOf(words, start, end), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
