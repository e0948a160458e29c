const UNKNOWN = -2;

/** What was made of the texts of one field, by their numbers; forgotten where a new part of the rows begins, in which the numbers mean other texts. */
export class PartMemo {
  #part = 0;
  #made = new Int32Array(1_024).fill(UNKNOWN);

  /** An unsigned 32-bit number, or -1 where nothing was noted. */
  of(part: number, number: number): number {
    if (part !== this.#part) {
      this.#part = part;
      this.#made.fill(UNKNOWN);
    }
    const made = number < this.#made.length ? this.#made[number]! : UNKNOWN;
    return made === UNKNOWN ? -1 : made >>> 0;
  }

  /** Of the part that was asked of last. Numbers up to 2^32 - 3, and `NULL_U32`. */
  note(number: number, made: number): void {
    if (number >= this.#made.length) {
      const larger = new Int32Array(Math.max(number + 1, this.#made.length * 2)).fill(UNKNOWN);
      larger.set(this.#made);
      this.#made = larger;
    }
    this.#made[number] = made;
  }
}
