import { NumberList } from './number_list.ts';

const SLOTS_MIN = 1_024;
const BYTES_MIN = 1 << 16;

/**
 * Numbers runs of bytes from 0 on, the same for the same bytes: what a map does for texts, but without a text for each that is asked.
 * Costs the bytes of each run once, and 16 to 24 bytes beside them.
 */
export class ByteTable {
  readonly #hashes = new NumberList();
  /** Where each run begins in `#bytes`, and where the last ends. */
  readonly #starts = new NumberList();
  #bytes = Buffer.allocUnsafeSlow(BYTES_MIN);
  #filled = 0;
  /** Open addressing: the number of a run plus one, 0 where free. At most half of them are taken. */
  #slots = new Int32Array(SLOTS_MIN);

  constructor() {
    this.#starts.push(0);
  }

  get size(): number {
    return this.#hashes.length;
  }

  /** The number of bytes [start, end); equal to the `size` of before where they are new. */
  numberOf(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashBytes(bytes, start, end);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const known = this.#slots[slot]! - 1;
      if (this.#hashes.at(known) === hash && this.#holds(known, bytes, start, end)) return known;
    }
    return this.#add(hash, slot, bytes, start, end);
  }

  #holds(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#starts.at(number);
    if (this.#starts.at(number + 1) - from !== end - start) return false;
    const own = this.#bytes;
    for (let at = start, mine = from; at < end; at++, mine++) if (own[mine] !== bytes[at]) return false;
    return true;
  }

  #add(hash: number, slot: number, bytes: Uint8Array, start: number, end: number): number {
    this.#reserve(end - start);
    for (let at = start; at < end; at++) this.#bytes[this.#filled++] = bytes[at]!;
    this.#starts.push(this.#filled);
    this.#hashes.push(hash);
    this.#slots[slot] = this.#hashes.length;
    if (this.#hashes.length * 2 > this.#slots.length) this.#spread();
    return this.#hashes.length - 1;
  }

  #reserve(bytes: number): void {
    if (this.#filled + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#filled + bytes, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#filled);
    this.#bytes = larger;
  }

  #spread(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#hashes.length; number++) {
      let slot = this.#hashes.at(number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** Four bytes at a time: one multiplication for them instead of one each. */
function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
