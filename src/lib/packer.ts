/**
 * Objects as numbers and texts, each kind one behind the other. Numbers that every object of a kind has are written and read by the names of
 * their places, in whatever order; the rest, and all texts, in the order in which they are written.
 */

/** Stands for null where a count is meant. */
export const NONE = -1;

/** The place of each name behind the begin of an object: 0, 1, 2 ... `length` is the number of them. */
export function inOrder<Name extends string>(...names: readonly Name[]): Readonly<Record<Name | 'length', number>> {
  const places = Object.fromEntries(names.map((name, place) => [name, place])) as Record<Name, number>;
  return { ...places, length: names.length };
}

type Pair = readonly [number, number];

const FIRST_NUMBERS = 1_024;
const NO_NUMBERS = new Float64Array();

/** The numbers are gathered in memory that all packers of the thread share: one at a time. */
export class Packer {
  static #shared = new Float64Array(FIRST_NUMBERS);
  readonly texts: string[] = [];
  #length = 0;

  /** Where so many numbers go that are written by their places. */
  room(count: number): number {
    const begin = this.#length;
    this.#length += count;
    if (this.#length > Packer.#shared.length) this.#grow();
    return begin;
  }

  number(at: number, value: number): void { Packer.#shared[at] = value; }
  flag(at: number, value: boolean): void { Packer.#shared[at] = value ? 1 : 0; }
  oneOf<T extends string>(at: number, values: readonly T[], value: T): void { Packer.#shared[at] = values.indexOf(value); }

  text(value: string): void { this.texts.push(value); }
  list(values: readonly string[]): void { for (const value of values) this.texts.push(value); }

  column(values: Float64Array): void {
    const begin = this.room(values.length);
    Packer.#shared.set(values, begin);
  }

  pairs(values: readonly Pair[]): void {
    let at = this.room(2 * values.length);
    for (const [one, other] of values) {
      Packer.#shared[at++] = one;
      Packer.#shared[at++] = other;
    }
  }

  numbers(): Float64Array { return Packer.#shared.subarray(0, this.#length); }

  #grow(): void {
    const larger = new Float64Array(2 * this.#length);
    larger.set(Packer.#shared);
    Packer.#shared = larger;
  }
}

/** What stands behind one another is read in the order in which it was written. */
export class Unpacker {
  readonly #numbers: Float64Array;
  readonly #texts: readonly string[];
  #number = 0;
  #text = 0;

  constructor(numbers: Float64Array, texts: readonly string[]) {
    this.#numbers = numbers;
    this.#texts = texts;
  }

  /** Where so many numbers begin that are read by their places. */
  pass(count: number): number {
    const begin = this.#number;
    this.#number += count;
    return begin;
  }

  number(at: number): number { return this.#numbers[at]!; }
  flag(at: number): boolean { return this.#numbers[at] === 1; }
  oneOf<T extends string>(at: number, values: readonly T[]): T { return values[this.#numbers[at]!]!; }

  count(at: number): number | null {
    const value = this.#numbers[at]!;
    return value === NONE ? null : value;
  }

  text(): string { return this.#texts[this.#text++]!; }

  list(length: number): string[] {
    const values: string[] = [];
    while (values.length < length) values.push(this.text());
    return values;
  }

  column(length: number): Float64Array {
    if (length === 0) return NO_NUMBERS;
    const begin = this.pass(length);
    return this.#numbers.subarray(begin, begin + length);
  }

  pairs(length: number): Pair[] {
    const values: Pair[] = [];
    for (let at = this.pass(2 * length); values.length < length; at += 2) values.push([this.#numbers[at]!, this.#numbers[at + 1]!]);
    return values;
  }

  assertRead(): void {
    if (this.#number !== this.#numbers.length || this.#text !== this.#texts.length) throw new Error('what was packed is not what was unpacked');
  }
}
