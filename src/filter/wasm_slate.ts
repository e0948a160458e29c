import { LIMITS } from '../config/limits.ts';
import { BLOCK_BITS, BLOCK_ROWS, BLOCK_WORDS } from '../segment/layout.ts';
import { orPart, type PagesPart, type Part, type SparsePart } from './leaf.ts';
import { addWithin } from './plain_slate.ts';
import type { NumberClause } from './reading.ts';
import type { Slate } from './slate.ts';
import { SLATE_MODULE } from './slate_module.ts';
import type { Window } from './windows.ts';

/**
 * The memory of the module, in bytes.
 *
 *   0           8,192       16,384       24,576            286,720          548,864
 *   ┌───────────┬───────────┬────────────┬─────────────────┬────────────────┐
 *   │ words     │ union     │ a bitmap   │ codes of a      │ list           │
 *   │           │           │ that came  │ block that came │                │
 *   └───────────┴───────────┴────────────┴─────────────────┴────────────────┘
 */
const BITMAP_BYTES = BLOCK_WORDS * 4;
const WORDS_AT = 0;
const UNION_AT = BITMAP_BYTES;
const CAME_AT = 2 * BITMAP_BYTES;
const CODES_AT = 3 * BITMAP_BYTES;
const LIST_AT = CODES_AT + BLOCK_ROWS * 4;

/** So few words are brought sooner one by one than by a call of the engine with a view of them. */
const WORDS_BY_ONE = 128;
/** Likewise of rows. */
const ROWS_BY_ONE = 64;
/** Of the bitmap of 256 rows. */
const PAGE_BYTES = 32;

type Combine = (to: number, end: number, from: number) => void;
type Within = (to: number, end: number, from: number, low: number, width: number) => void;

/** See `slate.wat`. */
type SlateModule = {
  readonly memory: WebAssembly.Memory;
  readonly and: Combine;
  readonly andNot: Combine;
  readonly or: Combine;
  readonly orHalves: (to: number, at: number, end: number) => void;
  readonly orPages: (to: number, at: number, end: number, pageEnd: number, counts: number) => void;
  readonly count: (at: number, end: number) => number;
  readonly list: (at: number, end: number, row: number, to: number, limit: number) => number;
  readonly within8: Within;
  readonly within16: Within;
  readonly within32: Within;
};

/** Sixteen bytes at a time, of what is brought to the memory of a module: a bitmap of a whole block in 0.5 us, where word by word takes 2. */
export class WasmSlate implements Slate {
  readonly words: Int32Array;
  readonly union: Int32Array;
  readonly list: Uint32Array;
  readonly #came: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #module: SlateModule;

  constructor() {
    this.#module = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(SLATE_MODULE, 'base64'))).exports as SlateModule;
    const { buffer } = this.#module.memory;
    this.words = new Int32Array(buffer, WORDS_AT, BLOCK_WORDS);
    this.union = new Int32Array(buffer, UNION_AT, BLOCK_WORDS);
    this.list = new Uint32Array(buffer, LIST_AT, BLOCK_ROWS);
    this.#came = new Int32Array(buffer, CAME_AT, BLOCK_WORDS);
    this.#bytes = new Uint8Array(buffer);
  }

  and(window: Window, bits: Int32Array, at: number): void {
    const from = this.#bring(window, bits, at);
    this.#module.and(WORDS_AT + window.first * 4, WORDS_AT + window.last * 4, from);
  }

  andNot(window: Window, bits: Int32Array, at: number): void {
    const from = this.#bring(window, bits, at);
    this.#module.andNot(WORDS_AT + window.first * 4, WORDS_AT + window.last * 4, from);
  }

  add(window: Window, part: Part): void {
    switch (part.form) {
      case 'bits': this.#module.or(UNION_AT + window.first * 4, UNION_AT + window.last * 4, this.#bring(window, part.bits, part.at)); return;
      case 'halves': this.#addHalves(window, part); return;
      case 'pages': this.#addPages(part); return;
      default: orPart(part, window, this.union);
    }
  }

  #addHalves(window: Window, part: SparsePart): void {
    const { items, first, last } = part;
    if (last - first <= ROWS_BY_ONE) return orPart(part, window, this.union);
    this.#bytes.set(bytesOf(items, first, last), CODES_AT);
    this.#module.orHalves(UNION_AT, CODES_AT, CODES_AT + (last - first) * 2);
  }

  /** Their numbers come with the rows, which lie behind them. */
  #addPages({ items, first, last, counts, page, pageEnd }: PagesPart): void {
    this.#bytes.set(bytesOf(items, counts, last), CODES_AT);
    const offset = CODES_AT - counts;
    this.#module.orPages(UNION_AT + page * PAGE_BYTES, first + offset, last + offset, Math.min(pageEnd, last) + offset, CODES_AT + page);
  }

  within(window: Window, clause: NumberClause): void {
    const { codes, intervals } = clause;
    if (codes instanceof Float64Array || intervals.length > LIMITS.intervalsTriedMax) return addWithin(this, window, clause);
    const { within8, within16, within32 } = this.#module;
    const within = codes instanceof Uint8Array ? within8 : codes instanceof Uint16Array ? within16 : within32;
    const base = window.block << BLOCK_BITS;
    this.#bytes.set(bytesOf(codes, base + window.first * 32, Math.min(codes.length, base + window.last * 32)), CODES_AT);
    for (const [low, high] of intervals) within(UNION_AT + window.first * 4, UNION_AT + window.last * 4, CODES_AT, low, high - low);
  }

  count({ first, last }: Window): number {
    return this.#module.count(WORDS_AT + first * 4, WORDS_AT + last * 4);
  }

  rows({ block, first, last }: Window, of: Int32Array, rowsMax: number): number {
    const at = of === this.union ? UNION_AT : WORDS_AT;
    const limit = LIST_AT + Math.min(rowsMax, BLOCK_ROWS) * 4;
    return (this.#module.list(at + first * 4, at + last * 4, (block << BLOCK_BITS) + first * 32, LIST_AT, limit) - LIST_AT) / 4;
  }

  /** Where the window's words of a bitmap lie in the memory. What a bitmap that ends before them does not say no row of the segment asks for. */
  #bring({ first, last }: Window, bits: Int32Array, at: number): number {
    if (bits === this.union) return UNION_AT + first * 4;
    const words = Math.min(last, bits.length - at) - first;
    if (words <= WORDS_BY_ONE) for (let word = first; word < first + words; word++) this.#came[word] = bits[at + word]!;
    else this.#came.set(new Int32Array(bits.buffer, bits.byteOffset + (at + first) * 4, words), first);
    return CAME_AT + first * 4;
  }
}

/** Those of [from, to). A view by its constructor takes half of the time of `subarray`. */
function bytesOf({ buffer, byteOffset, BYTES_PER_ELEMENT }: Uint8Array | Uint16Array | Uint32Array, from: number, to: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + from * BYTES_PER_ELEMENT, (to - from) * BYTES_PER_ELEMENT);
}
