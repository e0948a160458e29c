import { LIMITS } from '../config/limits.ts';
import { WASM_PAGE_BYTES } from '../lib/wasm_room.ts';

/** 2 GiB: places are numbers of 32 bits with a sign. */
const PAGES_MAX = 32_767;

/** Each note of a row, of as many fields as there may be and one. */
const NOTE_BYTES = (LIMITS.rowFieldsMax + 1) * 4;

/**
 * The memory in which rows are put together, of `rows.wat`. What every row needs stands at its beginning:
 *
 *   4      i32 bytes of the row's text
 *   8      f64 rank of the row, -1 where it has none
 *   64     notes of the row: i32 by field each of from, to, text at, number, first and last of a list's entries; u8 by field of its form
 *   2048   what each field is made of, 64 bytes each: see FIELD
 *   8192   phrases: i32 place, i32 bytes
 *   40960  by gap: i32 its stencil, -1 where it has none
 *   73728  steps from gap to gap, hashed: i32 gap × 4096 + phrase + 1, or 0; i32 the gap then
 *   204800 texts that are kept
 *   524288 the ground, whose user says what stands there; at the end the room for rows
 */
export const MEMORY = {
  textBytes: 4, rank: 8, notes: 64, forms: 1_600, fields: 2_048, fieldBytes: 64,
  phrases: 8_192, codes: 40_960, steps: 73_728, stepsMask: 0x1ffff, kept: 204_800, ground: 524_288,
} as const;
/** Their numbers have 12 bits. */
export const PHRASES_MAX = 4_095;

/**
 * The words of a field. `entry` to `pageEnd`: where the next entry and the next value of the page stand, and where both end. `texts`: by number, where each stands, and its bytes
 * times eight with its form; or integers. `few`: by number, the phrase that is the whole field, or -1. `lead` to `empty` are phrases: the name alone, with a null, and with an empty
 * list; a text has, in place of the last, the gap of the quote that closes it. `offset`: from the beginning of the lead to the value; of a list where an empty one stands. `follows`: from
 * an entry to whether it goes on with the list; the word behind it is the module's own.
 */
export const FIELD = { kind: 0, entry: 1, entriesEnd: 2, value: 3, pageEnd: 4, texts: 5, few: 6, lead: 7, null: 8, empty: 9, closing: 9, offset: 10, follows: 11, column: 15 } as const;
/** A constant has its form in place of `texts`, and itself from `value` to `pageEnd`. */
export const FIELD_KIND = { rank: 0, text: 1, list: 2, integer: 3, constant: 4 } as const;

/** What is known of the row that was put together last; see `ScannedRow`. */
type Notes = {
  readonly from: Int32Array; readonly to: Int32Array; readonly textAt: Int32Array; readonly numbers: Int32Array; readonly forms: Uint8Array;
  /** By field, of a list: its entries among the words of the memory. */
  readonly itemsFrom: Int32Array; readonly itemsTo: Int32Array;
};

export class RowMemory {
  readonly memory: WebAssembly.Memory;
  /** All of it. They are others once it has grown, as are the notes. */
  bytes: Buffer;
  words: Int32Array;
  reals: Float64Array;
  notes: Notes;
  readonly #fields: number;

  constructor(fields: number) {
    if (fields > LIMITS.rowFieldsMax) throw new Error(`rows have ${fields} fields`);
    this.#fields = fields;
    this.memory = granted(() => new WebAssembly.Memory({ initial: MEMORY.ground / WASM_PAGE_BYTES, maximum: PAGES_MAX }));
    this.bytes = Buffer.from(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
    this.reals = new Float64Array(this.memory.buffer);
    this.notes = this.#notes();
    this.notes.numbers.fill(-1);
  }

  /** Room up to there. Throws where the system has none, or no number for its end. */
  claim(end: number): void {
    if (end <= this.bytes.length) return;
    if (end > PAGES_MAX * WASM_PAGE_BYTES) throw new Error('rows that lie side by side, with their values, take more than the 2 GiB in which they could be put together');
    granted(() => this.memory.grow(Math.ceil((end - this.bytes.length) / WASM_PAGE_BYTES)));
    this.bytes = Buffer.from(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
    this.reals = new Float64Array(this.memory.buffer);
    this.notes = this.#notes();
  }

  setField(place: number, word: number, value: number): void {
    this.words[(MEMORY.fields + place * MEMORY.fieldBytes) / 4 + word] = value;
  }

  field(place: number, word: number): number {
    return this.words[(MEMORY.fields + place * MEMORY.fieldBytes) / 4 + word]!;
  }

  #notes(): Notes {
    const { buffer } = this.memory;
    const noted = (at: number): Int32Array => new Int32Array(buffer, MEMORY.notes + at * NOTE_BYTES, this.#fields);
    return { from: noted(0), to: noted(1), textAt: noted(2), numbers: noted(3), itemsFrom: noted(4), itemsTo: noted(5), forms: new Uint8Array(buffer, MEMORY.forms, this.#fields) };
  }
}

function granted<T>(ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error('the system has no memory in which rows could be put together: a thread takes 10 GB of addresses (ulimit -v), or none beyond what it uses where Node runs with --disable-wasm-trap-handler', { cause: error });
  }
}
