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

  constructor(context: PostingsContext, lists: number, { inPages = false }: { readonly inPages?: boolean } = {}) {
    this.#context = { ...context, inPages };
    this.#counts = new NumberList(lists);
    this.#at = new NumberList(lists);
  }

  add(lists: Lists): void {
    for (let list = 0; list + 1 < lists.starts.length; list++) {
      this.addList(lists.rows.subarray(lists.starts[list], lists.starts[list + 1]));
    }
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

  addList(rows: Uint32Array): void {
    const inContainers = rows.length > CONTAINERS_LEAST && containerWords(rows, this.#context) < rows.length;
    this.#counts.push((rows.length | (inContainers ? CONTAINERS_FLAG : 0)) >>> 0);
    this.#at.push(rows.length === 1 ? rows[0]! : this.#data.length);
    if (inContainers) this.#data.append(encodeContainers(rows, this.#context));
    else if (rows.length > 1) this.#data.append(rows);
  }
}

/** Where the rows of the block of row `from` end. */
function blockEnd(rows: Uint32Array, from: number): number {
  const beyond = ((rows[from]! >>> BLOCK_BITS) + 1) * BLOCK_ROWS;
  if (rows[rows.length - 1]! < beyond) return rows.length;
  return lowerBound(rows, beyond, from, rows.length);
}

type ContainerForm = typeof ARRAY | typeof BITMAP | typeof FULL | typeof PAGES;

/** The smallest form. A page that is full has no number of rows that fits a byte. */
function formOf(rows: Uint32Array, from: number, to: number, { rows: rowsTotal, inPages }: EncodeContext): ContainerForm {
  const count = to - from;
  if (count === Math.min(BLOCK_ROWS, rowsTotal - (rows[from]! >>> BLOCK_BITS) * BLOCK_ROWS)) return FULL;
  const plain = count > ARRAY_MAX ? BITMAP : ARRAY;
  return inPages && dataWords(PAGES, count) < dataWords(plain, count) && !fillsPage(rows, from, to) ? PAGES : plain;
}

function fillsPage(rows: Uint32Array, from: number, to: number): boolean {
  const full = 1 << PAGE_BITS;
  for (let at = from + full - 1; at < to; at++) if (rows[at]! % full === full - 1 && rows[at - full + 1] === rows[at]! - full + 1) return true;
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

function containerWords(rows: Uint32Array, context: EncodeContext): number {
  let words = 1 + CONTAINER_WORDS;
  for (let from = 0, to = 0; from < rows.length; from = to) {
    to = blockEnd(rows, from);
    words += CONTAINER_WORDS + dataWords(formOf(rows, from, to, context), to - from);
  }
  return words;
}

/**
 *   word 0                 number of containers, n
 *   words 1 .. 8(n+1)      headers, 8 words each; one more at the end holds the totals
 *   then                   arrays of 16-bit row numbers within the block, bitmaps of 65,536 bits, and pages
 */
function encodeContainers(rows: Uint32Array, context: EncodeContext): Uint32Array {
  const words = new Uint32Array(containerWords(rows, context));
  let containers = 0;
  for (let from = 0; from < rows.length; from = blockEnd(rows, from)) containers++;
  words[0] = containers;
  let header = 1;
  let data = 1 + (containers + 1) * CONTAINER_WORDS;
  const present = new Uint32Array(PRESENCE_MAX);
  for (let from = 0, to = 0; from < rows.length; from = to) {
    to = blockEnd(rows, from);
    const form = formOf(rows, from, to, context);
    putHeader(words, header, { place: (form << BLOCK_BITS) | (rows[from]! >>> BLOCK_BITS), data, before: from, present });
    putRows(words, data, form, rows.subarray(from, to));
    addPresent(present, context.present, rows, from, to);
    data += dataWords(form, to - from);
    header += CONTAINER_WORDS;
  }
  putHeader(words, header, { place: BLOCK_ROWS - 1, data, before: rows.length, present });
  return words;
}

function putRows(words: Uint32Array, data: number, form: ContainerForm, rows: Uint32Array): void {
  switch (form) {
    case FULL: return;
    case ARRAY: new Uint16Array(words.buffer).set(rows, data * 2); return;
    case BITMAP: {
      for (const row of rows) words[data + ((row & 0xffff) >>> 5)]! |= 1 << (row & 31);
      return;
    }
    case PAGES: {
      const bytes = new Uint8Array(words.buffer);
      for (const row of rows) bytes[data * 4 + ((row & 0xffff) >>> PAGE_BITS)]!++;
      bytes.set(rows, data * 4 + BLOCK_PAGES);
      return;
    }
    default: form satisfies never;
  }
}

type Header = { readonly place: number; readonly data: number; readonly before: number; readonly present: Uint32Array };

function putHeader(words: Uint32Array, at: number, { place, data, before, present }: Header): void {
  words[at + CONTAINER.place] = place;
  words[at + CONTAINER.data] = data;
  words[at + CONTAINER.before] = before;
  words.set(present, at + CONTAINER.presentBefore);
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
