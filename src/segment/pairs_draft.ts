import { NumberList } from '../lib/number_list.ts';
import { PAIR_VALUES_COMMON } from './layout.ts';
import type { CodeIds } from './lists.ts';
import type { SectionDrafts } from './sections.ts';

/** Held values are numbered from `base` by the place in `order`, which gives their codes. */
export type HeldValues = { readonly words: CodeIds; readonly order: Uint32Array; readonly base: number };

/**
 * Words that stand one after the other in a held value:
 *
 *   pairs.at           for each word where the pairs that it begins lie
 *   pairs.seconds      the second word of each pair, ascending within a first word
 *   pairs.values.at    for each pair where its held values lie in `pairs.values`, ascending
 *   pairs.common       the pairs of many values, ascending: their rows, of whatever text, have a posting list each
 */
export class PairsDraft {
  readonly #words: number;
  readonly #at: Uint32Array;
  readonly #seconds = new NumberList();
  readonly #valuesAt = new NumberList();
  readonly #values = new NumberList();
  readonly #common = new NumberList();
  /** Place among the common pairs by first and second word, and which words begin one at all. */
  readonly #placeOf = new Map<number, number>();
  readonly #begins: Uint8Array;

  /** Words are known by their places in a dictionary of so many. */
  constructor(held: readonly HeldValues[], words: number) {
    this.#words = words;
    this.#at = new Uint32Array(words + 1);
    this.#begins = new Uint8Array(words);
    const { firsts, seconds, values } = pairsOfValues(held);
    // Sorted by the second word, then by the first; each sort keeps what is equal in order, so that values ascend.
    const bySecond = placesByKey(seconds, words, seconds.map((_, at) => at)).places;
    const byFirst = placesByKey(firsts, words, bySecond);
    for (let first = 0; first < words; first++) {
      this.#at[first] = this.#seconds.length;
      for (let place = byFirst.starts[first]!; place < byFirst.starts[first + 1]!; place++) {
        const at = byFirst.places[place]!;
        this.#add(first, seconds[at]!, values[at]!);
      }
      this.#noteCommon(first);
    }
    this.#at[words] = this.#seconds.length;
    this.#valuesAt.push(this.#values.length);
  }

  get common(): number {
    return this.#common.length;
  }

  /** The place of a pair among the common ones, -1 where it is none of them. */
  commonPlace(first: number, second: number): number {
    return this.#begins[first] === 0 ? -1 : this.#placeOf.get(first * this.#words + second) ?? -1;
  }

  draft(drafts: SectionDrafts): void {
    drafts.add('pairs.at', this.#at);
    drafts.add('pairs.seconds', this.#seconds.view());
    drafts.add('pairs.values.at', this.#valuesAt.view());
    drafts.add('pairs.values', this.#values.view());
    drafts.add('pairs.common', this.#common.view());
  }

  #add(first: number, second: number, value: number): void {
    const last = this.#seconds.length - 1;
    if (last < this.#at[first]! || this.#seconds.at(last) !== second) {
      this.#seconds.push(second);
      this.#valuesAt.push(this.#values.length);
    } else if (this.#values.at(this.#values.length - 1) === value) return;
    this.#values.push(value);
  }

  #noteCommon(first: number): void {
    for (let pair = this.#at[first]!; pair < this.#seconds.length; pair++) {
      const end = pair + 1 < this.#seconds.length ? this.#valuesAt.at(pair + 1) : this.#values.length;
      if (end - this.#valuesAt.at(pair) < PAIR_VALUES_COMMON) continue;
      this.#begins[first] = 1;
      this.#placeOf.set(first * this.#words + this.#seconds.at(pair), this.#common.length);
      this.#common.push(pair);
    }
  }
}

/** Every pair of every value, by ascending value. */
function pairsOfValues(held: readonly HeldValues[]): { readonly firsts: Uint32Array; readonly seconds: Uint32Array; readonly values: Uint32Array } {
  const [firsts, seconds, values] = [new NumberList(), new NumberList(), new NumberList()];
  for (const { words: { starts, ids }, order, base } of held) {
    for (let place = 0; place < order.length; place++) {
      const code = order[place]!;
      for (let at = starts[code]! + 1; at < starts[code + 1]!; at++) {
        firsts.push(ids[at - 1]!);
        seconds.push(ids[at]!);
        values.push(base + place);
      }
    }
  }
  return { firsts: firsts.view(), seconds: seconds.view(), values: values.view() };
}

/** Places sorted by the key of each, equal ones in the order in which they are given; those of key i begin at `starts[i]`. */
function placesByKey(keys: Uint32Array, keysMax: number, given: Uint32Array): { readonly starts: Uint32Array; readonly places: Uint32Array } {
  const starts = new Uint32Array(keysMax + 1);
  for (const key of keys) starts[key + 1]!++;
  for (let key = 0; key < keysMax; key++) starts[key + 1]! += starts[key]!;
  const next = starts.slice(0, keysMax);
  const places = new Uint32Array(given.length);
  for (const place of given) places[next[keys[place]!]!++] = place;
  return { starts, places };
}
