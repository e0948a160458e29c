import { LIMITS } from '../config/limits.ts';
import { setBit } from '../lib/bits.ts';
import { lowerBound } from '../lib/search.ts';
import { BLOCK_BITS, BLOCK_PAGES, CONTAINER, CONTAINER_WORDS, CONTAINERS_FLAG } from './layout.ts';
import type { Sections } from './sections.ts';

/** The rows of one list: ascending, or in containers of 65,536 rows each. */
export type RowList =
  | { readonly form: 'rows'; readonly rows: Uint32Array }
  | { readonly form: 'containers'; readonly containers: Containers };

/** Sorted rows by list number; see `PostingsWriter` for the layout. */
export class Postings {
  readonly lists: number;
  readonly #counts: Uint32Array;
  readonly #at: Uint32Array;
  readonly #words: Uint32Array;
  readonly #halves: Uint16Array;
  readonly #bits: Int32Array;
  readonly #bytes: Uint8Array;
  /** Of a small number of lists those that were opened: the same few are asked for again and again. */
  readonly #opened: (RowList | undefined)[];

  constructor(sections: Sections, name: string) {
    this.#counts = sections.u32(`${name}.count`);
    this.#at = sections.u32(`${name}.at`);
    this.#words = sections.u32(`${name}.data`);
    const { buffer, byteOffset, length } = this.#words;
    this.#halves = new Uint16Array(buffer, byteOffset, length * 2);
    this.#bits = new Int32Array(buffer, byteOffset, length);
    this.#bytes = new Uint8Array(buffer, byteOffset, length * 4);
    this.lists = this.#counts.length;
    this.#opened = this.lists > LIMITS.listsOpenMax ? [] : Array.from({ length: this.lists });
  }

  count(list: number): number {
    return this.#counts[list]! & ~CONTAINERS_FLAG;
  }

  open(list: number): RowList {
    if (this.#opened.length === 0) return this.#view(list);
    return (this.#opened[list] ??= this.#view(list));
  }

  #view(list: number): RowList {
    const count = this.count(list);
    const at = this.#at[list]!;
    if (count === 1) return { form: 'rows', rows: this.#at.subarray(list, list + 1) };
    if ((this.#counts[list]! & CONTAINERS_FLAG) === 0) return { form: 'rows', rows: this.#words.subarray(at, at + count) };
    return { form: 'containers', containers: new Containers({ words: this.#words, halves: this.#halves, bits: this.#bits, bytes: this.#bytes }, at) };
  }

  /** Sets the bits of the list's rows in [from, to), row `base` being bit 0; false, and nothing is done, where they lie in containers. */
  setPlain(list: number, { from, to }: { readonly from: number; readonly to: number }, bits: Int32Array, base: number): boolean {
    if ((this.#counts[list]! & CONTAINERS_FLAG) !== 0) return false;
    const count = this.#counts[list]!;
    const items = count === 1 ? this.#at : this.#words;
    const start = count === 1 ? list : this.#at[list]!;
    for (let at = lowerBound(items, from, start, start + count); at < start + count && items[at]! < to; at++) setBit(bits, items[at]! - base);
    return true;
  }
}

/** The data of all lists, as words, halves and bytes of them. */
type Views = { readonly words: Uint32Array; readonly halves: Uint16Array; readonly bits: Int32Array; readonly bytes: Uint8Array };

/** A list in containers. Where one was found last is remembered to find the next, and nothing else: all scans of a thread may share it. */
export class Containers {
  readonly length: number;
  readonly #words: Uint32Array;
  readonly halves: Uint16Array;
  readonly bits: Int32Array;
  readonly bytes: Uint8Array;
  readonly #base: number;
  #at = 0;

  constructor({ words, halves, bits, bytes }: Views, base: number) {
    this.#words = words;
    this.halves = halves;
    this.bits = bits;
    this.bytes = bytes;
    this.#base = base;
    this.length = words[base]!;
  }

  /** The first container whose block is not below; `length` where there is none. */
  find(block: number): number {
    const hint = this.#at;
    if (hint < this.length && this.block(hint) === block) return hint;
    if (hint + 1 < this.length && this.block(hint) < block && this.block(hint + 1) >= block) return (this.#at = hint + 1);
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.block(middle) < block) low = middle + 1; else high = middle;
    }
    return (this.#at = low);
  }

  block(container: number): number {
    return this.#header(container, CONTAINER.place) & 0xffff;
  }

  form(container: number): number {
    return this.#header(container, CONTAINER.place) >>> BLOCK_BITS;
  }

  /** Rows of the containers before this one; of all of them for `length`. */
  before(container: number): number {
    return this.#header(container, CONTAINER.before);
  }

  /** Likewise, of the rows that have presence bit `which`. */
  presentBefore(container: number, which: number): number {
    return this.#header(container, CONTAINER.presentBefore + which);
  }

  size(container: number): number {
    return this.before(container + 1) - this.before(container);
  }

  /** Where the container's `size` rows begin in `halves`: places in the block, ascending; only of form ARRAY. */
  halvesAt(container: number): number {
    return (this.#base + this.#header(container, CONTAINER.data)) * 2;
  }

  /** Where the container's bitmap begins in `bits`, one bit a row of the block; only of form BITMAP. */
  bitsAt(container: number): number {
    return this.#base + this.#header(container, CONTAINER.data);
  }

  /** Where the numbers of rows of its pages stand in `bytes`; only of form PAGES. */
  pagesAt(container: number): number {
    return this.bitsAt(container) * 4;
  }

  /** Where the rows of a page of the container begin in `bytes`: four pages a word are added up, in two halves. */
  pageStart(container: number, page: number): number {
    const at = this.bitsAt(container);
    let sums = 0;
    for (let word = at; word < at + (page >>> 2); word++) sums += (this.#words[word]! & 0xff00ff) + ((this.#words[word]! >>> 8) & 0xff00ff);
    let start = at * 4 + BLOCK_PAGES + (sums & 0xffff) + (sums >>> 16);
    for (let rest = at * 4 + (page & ~3); rest < at * 4 + page; rest++) start += this.bytes[rest]!;
    return start;
  }

  #header(container: number, field: number): number {
    return this.#words[this.#base + 1 + container * CONTAINER_WORDS + field]!;
  }
}
