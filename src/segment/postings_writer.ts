import { NumberList } from '../lib/number_list.ts';
import { lowerBound } from '../lib/search.ts';
import { ARRAY, ARRAY_MAX, BITMAP, BLOCK_BITS, BLOCK_PAGES, BLOCK_ROWS, BLOCK_WORDS, CONTAINER, CONTAINER_WORDS, CONTAINERS_FLAG, FULL, PAGE_BITS, PAGES, PRESENCE_MAX } from './layout.ts';
import type { SectionDrafts } from './sections.ts';

/** Ascending rows of each list, one list behind the other: list i is `rows[starts[i], starts[i + 1])`. */
export type Lists = { readonly starts: Uint32Array; readonly rows: Uint32Array };

/** What the encoder must know of the whole segment: how many rows, and of each the bits of what is present; see `presentByRow`. */
export type PostingsContext = { readonly rows: number; readonly present: Uint8Array };

/** `inPages`: one byte a row where rows are neither few nor many. Smaller, but not read in place: not for lists that every search of a column goes through. */
type EncodeContext = PostingsContext & { readonly inPages: boolean };

/** Words that containers take whatever is in them: their number, one header, and the totals. */
const CONTAINERS_LEAST = 1 + 2 * CONTAINER_WORDS;

/**
 * `NAME.count` rows of each list, with the top bit where they lie in containers; `NAME.at` the one row itself, else the list's
 * place in `NAME.data`, in 4-byte words. A list is either its rows, 4 bytes each, or containers, whichever is smaller.
 */
export class PostingsWriter {
  readonly #counts: NumberList;
  readonly #at: NumberList;
  readonly #data = new NumberList();
  readonly #context: EncodeContext;
  /** Of the list that was laid out last, by container: where its rows end, and its form. */
  readonly #ends: Uint32Array;
  readonly #forms: Uint8Array;
  #containers = 0;

  constructor(context: PostingsContext, lists: number, { inPages = false }: { readonly inPages?: boolean } = {}) {
    this.#context = { ...context, inPages };
    this.#counts = new NumberList(lists);
    this.#at = new NumberList(lists);
    this.#ends = new Uint32Array(Math.ceil(context.rows / BLOCK_ROWS));
    this.#forms = new Uint8Array(this.#ends.length);
  }

  add({ starts, rows }: Lists): void {
    for (let list = 0; list + 1 < starts.length; list++) this.addList(rows, starts[list], starts[list + 1]);
  }

  /** The next list, of which only the number of rows is told. */
  leaveOut(count: number): void {
    this.#counts.push(count);
    this.#at.push(0);
  }

  draft(drafts: SectionDrafts, name: string): void {
    drafts.add(`${name}.count`, this.#counts.view());
    drafts.add(`${name}.at`, this.#at.view());
    drafts.add(`${name}.data`, this.#data.view());
  }

  /** The next list: the rows in [from, to). */
  addList(rows: Uint32Array, from = 0, to = rows.length): void {
    const count = to - from;
    const words = count > CONTAINERS_LEAST ? this.#layOut(rows, from, to) : count;
    this.#counts.push((words < count ? count | CONTAINERS_FLAG : count) >>> 0);
    this.#at.push(count === 1 ? rows[from]! : this.#data.length);
    if (words < count) this.#encode(rows, from, this.#data.extend(words));
    else if (count > CONTAINERS_LEAST) this.#data.append(rows.subarray(from, to));
    else if (count > 1) for (let at = from; at < to; at++) this.#data.push(rows[at]!);
  }

  /** Lays the rows out in containers and says how many words they take; breaks off where that is not less than one a row. */
  #layOut(rows: Uint32Array, from: number, to: number): number {
    let words = 1 + CONTAINER_WORDS;
    this.#containers = 0;
    for (let start = from, end = from; start < to && words < to - from; start = end) {
      end = blockEnd(rows, start, to);
      const form = formOf(rows, start, end, this.#context);
      this.#ends[this.#containers] = end;
      this.#forms[this.#containers++] = form;
      words += CONTAINER_WORDS + dataWords(form, end - start);
    }
    return words;
  }

  /**
   *   word 0                 number of containers, n
   *   words 1 .. 8(n+1)      headers, 8 words each; one more at the end holds the totals
   *   then                   arrays of 16-bit row numbers within the block, bitmaps of 65,536 bits, and pages
   */
  #encode(rows: Uint32Array, from: number, words: Uint32Array): void {
    const containers = this.#containers;
    const present = new Uint32Array(PRESENCE_MAX);
    words[0] = containers;
    let data = 1 + (containers + 1) * CONTAINER_WORDS;
    let start = from;
    for (let container = 0; container < containers; container++) {
      const end = this.#ends[container]!;
      const form = this.#forms[container] as ContainerForm;
      putHeader(words, container, { place: (form << BLOCK_BITS) | (rows[start]! >>> BLOCK_BITS), data, before: start - from, present });
      putRows(words.subarray(data, data + dataWords(form, end - start)), form, rows, start, end);
      addPresent(present, this.#context.present, rows, start, end);
      data += dataWords(form, end - start);
      start = end;
    }
    putHeader(words, containers, { place: BLOCK_ROWS - 1, data, before: start - from, present });
  }
}

/** Where the rows of the block of row `from` end. */
function blockEnd(rows: Uint32Array, from: number, to: number): number {
  const beyond = ((rows[from]! >>> BLOCK_BITS) + 1) * BLOCK_ROWS;
  if (rows[to - 1]! < beyond) return to;
  return lowerBound(rows, beyond, from, to);
}

type ContainerForm = typeof ARRAY | typeof BITMAP | typeof FULL | typeof PAGES;

/** The smallest form. A page that is full has no number of rows that fits a byte. */
function formOf(rows: Uint32Array, from: number, to: number, { rows: rowsTotal, inPages }: EncodeContext): ContainerForm {
  const count = to - from;
  if (count === Math.min(BLOCK_ROWS, rowsTotal - (rows[from]! >>> BLOCK_BITS) * BLOCK_ROWS)) return FULL;
  const plain = count > ARRAY_MAX ? BITMAP : ARRAY;
  return inPages && dataWords(PAGES, count) < dataWords(plain, count) && !fillsPage(rows, from, to) ? PAGES : plain;
}

/** One in so many rows lies in any page that is full, and tells where that would begin. */
function fillsPage(rows: Uint32Array, from: number, to: number): boolean {
  const full = 1 << PAGE_BITS;
  for (let at = from; at < to; at += full) {
    const inPage = rows[at]! % full;
    const begins = at - inPage;
    if (begins >= from && begins + full <= to && rows[begins] === rows[at]! - inPage && rows[begins + full - 1] === rows[begins]! + full - 1) return true;
  }
  return false;
}

function dataWords(form: ContainerForm, count: number): number {
  switch (form) {
    case ARRAY: return (count + 1) >>> 1;
    case BITMAP: return BLOCK_WORDS;
    case FULL: return 0;
    case PAGES: return (BLOCK_PAGES + count + 3) >>> 2;
    default: return form satisfies never;
  }
}

/** Into words that are zero. */
function putRows(words: Uint32Array, form: ContainerForm, rows: Uint32Array, from: number, to: number): void {
  switch (form) {
    case FULL: return;
    case ARRAY: {
      const halves = new Uint16Array(words.buffer, words.byteOffset, to - from);
      for (let at = from; at < to; at++) halves[at - from] = rows[at]!;
      return;
    }
    case BITMAP: {
      for (let at = from; at < to; at++) words[(rows[at]! & 0xffff) >>> 5]! |= 1 << (rows[at]! & 31);
      return;
    }
    case PAGES: {
      const bytes = new Uint8Array(words.buffer, words.byteOffset, BLOCK_PAGES + to - from);
      for (let at = from; at < to; at++) {
        bytes[(rows[at]! & 0xffff) >>> PAGE_BITS]!++;
        bytes[BLOCK_PAGES + at - from] = rows[at]!;
      }
      return;
    }
    default: form satisfies never;
  }
}

type Header = { readonly place: number; readonly data: number; readonly before: number; readonly present: Uint32Array };

function putHeader(words: Uint32Array, container: number, { place, data, before, present }: Header): void {
  const at = 1 + container * CONTAINER_WORDS;
  words[at + CONTAINER.place] = place;
  words[at + CONTAINER.data] = data;
  words[at + CONTAINER.before] = before;
  for (let which = 0; which < PRESENCE_MAX; which++) words[at + CONTAINER.presentBefore + which] = present[which]!;
}

/** Counts the rows that have each presence, all of them in one look at each. */
function addPresent(counts: Uint32Array, present: Uint8Array, rows: Uint32Array, from: number, to: number): void {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = from; at < to; at++) {
    const bits = present[rows[at]!]!;
    first += bits & 1;
    second += (bits >>> 1) & 1;
    third += (bits >>> 2) & 1;
    fourth += bits >>> 3;
  }
  counts[0]! += first;
  counts[1]! += second;
  counts[2]! += third;
  counts[3]! += fourth;
}

/** By row the bits of what is present. */
export function presentByRow(presence: readonly Int32Array[], rows: number): Uint8Array {
  const present = new Uint8Array(rows);
  presence.forEach((has, which) => { for (let row = 0; row < rows; row++) present[row]! |= ((has[row >>> 5]! >>> (row & 31)) & 1) << which; });
  return present;
}
