/** A list of unsigned 32-bit numbers that grows by doubling: 4 bytes a number, no object each. */
export class NumberList {
  length = 0;
  #items: Uint32Array;

  constructor(capacity = 1_024) {
    this.#items = new Uint32Array(capacity);
  }

  push(item: number): void {
    if (this.length === this.#items.length) this.#grow(this.length + 1);
    this.#items[this.length++] = item;
  }

  /** In place of the number that is there. */
  put(index: number, item: number): void {
    this.#items[index] = item;
  }

  append(items: ArrayLike<number>): void {
    this.#grow(this.length + items.length);
    this.#items.set(items, this.length);
    this.length += items.length;
  }

  /** So many more numbers, zeros, which may be put in place until the next is added. */
  extend(count: number): Uint32Array {
    this.#grow(this.length + count);
    this.length += count;
    return this.#items.subarray(this.length - count, this.length);
  }

  at(index: number): number {
    return this.#items[index]!;
  }

  /** The numbers so far, without a copy: valid until the next `push`. */
  view(): Uint32Array {
    return this.#items.subarray(0, this.length);
  }

  #grow(wanted: number): void {
    if (wanted <= this.#items.length) return;
    const larger = new Uint32Array(Math.max(wanted, this.#items.length * 2));
    larger.set(this.#items.subarray(0, this.length));
    this.#items = larger;
  }
}
