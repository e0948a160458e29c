import { ThriftReader, type ThriftStruct } from '../../lib/thrift.ts';
import { UNPACK_SPARE_BYTES, type Unpacker } from '../../lib/unpacker.ts';
import { FIELD, type RowMemory } from '../../segment/row_memory.ts';
import type { RowWriter } from '../../segment/row_writer.ts';
import { ESCAPED } from '../../segment/scanned_row.ts';
import type { TruthColumn } from './footer.ts';

/** The numbers that Parquet's definition gives to what is read of a page's head. */
const PAGE = { type: 1, unpacked: 2, packed: 3, data: 5, dictionary: 7 } as const;
const DATA_PAGE = 0;
const DICTIONARY_PAGE = 2;
const HELD = { count: 1, encoding: 2 } as const;
const PLAIN = 0;
const BY_DICTIONARY = new Set([2, 8]);
/** A block of Snappy is not packed tighter. */
const PACKED_TIMES_MAX = 32;

const LENGTH_BYTES = 4;
const INTEGER_BYTES = 8;
const ENTRY_BYTES = 4;
/** Of a text that is noted: where it stands, and its bytes times eight with its form. */
export const NOTED_WORDS = 2;
export const FORM_BITS = 3;
const ALIGNMENT = 64;

/** How many levels there are of what is null, by kind; see Parquet's definition levels. Those of a list: null, empty, a null in it, a value. */
const LEVELS = { integer: 1, text: 1, texts: 3 } as const;
const NULL_IN_LIST = -1;

/** Bytes [from, end) of the memory that hold so many entries, or texts of a dictionary, once they are unpacked. */
type Page = { readonly from: number; readonly end: number; readonly unpacked: number; readonly count: number; readonly encoding: number };

/** The texts of a dictionary, noted from `at` on. Integers are not noted: they stand there themselves. */
export type Dictionary = { readonly at: number; readonly count: number };

/** Where pages are unpacked, and whose fields are told of them. */
type Desk = { readonly writer: RowWriter; readonly unpacker: Unpacker };

/**
 * The entries of one column of one group of rows, one after the other, for the field whose values they are. An entry is a row, but of a list one of its
 * texts. One page at a time is unpacked, and the dictionary of the group.
 */
export class ColumnPages {
  readonly kind: TruthColumn['kind'];
  readonly #place: number;
  readonly #desk: Desk;
  readonly #memory: RowMemory;
  #dictionaryPage: Page | null = null;
  #dataPages: Page[] = [];
  #turned = 0;
  /** Where all of it lies in the memory. */
  #dictionaryAt = 0;
  #textsAt = 0;
  #pageAt = 0;
  #entriesAt = 0;
  #followsAt = 0;
  /** Of those that have numbers, by value. */
  #numbersAt = 0;

  constructor(kind: TruthColumn['kind'], place: number, desk: Desk) {
    this.kind = kind;
    this.#place = place;
    this.#desk = desk;
    this.#memory = desk.writer.memory;
  }

  /** The pages of the next group stand packed at [from, end) of the memory. */
  begin(from: number, end: number): void {
    this.#dictionaryPage = null;
    this.#dataPages = [];
    this.#turned = 0;
    const chunk = this.#memory.bytes.subarray(0, end);
    for (let at = from; at < end;) {
      const reader = new ThriftReader(chunk, at);
      const head = reader.struct();
      at = reader.at + numberIn(head, PAGE.packed);
      const isDictionary = head.get(PAGE.type) === DICTIONARY_PAGE;
      if (!isDictionary && head.get(PAGE.type) !== DATA_PAGE) throw new Error('a page is of a kind that the engine does not write');
      const held = head.get(isDictionary ? PAGE.dictionary : PAGE.data) as ThriftStruct | undefined;
      const page = { from: reader.at, end: at, unpacked: numberIn(head, PAGE.unpacked), count: numberIn(held, HELD.count), encoding: numberIn(held, HELD.encoding) };
      if (at > end || page.unpacked > (page.end - page.from) * PACKED_TIMES_MAX) throw new Error('the head of a page is damaged');
      if (isDictionary) this.#dictionaryPage = page;
      else this.#dataPages.push(page);
    }
  }

  /** The largest number of entries of a page. */
  get entriesMax(): number {
    return Math.max(0, ...this.#dataPages.map(({ count }) => count));
  }

  /** Says what of the memory it takes, from `at` on; gives where that ends. `numbersAt`: where any column may unpack numbers. */
  lay(at: number, numbersAt: number): number {
    this.#numbersAt = numbersAt;
    this.#dictionaryAt = at;
    this.#textsAt = aligned(this.#dictionaryAt + (this.#dictionaryPage?.unpacked ?? 0));
    this.#pageAt = aligned(this.#textsAt + (this.#dictionaryPage?.count ?? 0) * NOTED_WORDS * 4);
    this.#entriesAt = aligned(this.#pageAt + Math.max(0, ...this.#dataPages.map(({ unpacked }) => unpacked)));
    this.#followsAt = aligned(this.#entriesAt + this.entriesMax * ENTRY_BYTES);
    return this.kind === 'texts' ? aligned(this.#followsAt + this.entriesMax * ENTRY_BYTES) : this.#followsAt;
  }

  /** Unpacks the dictionary of the group; null where it has none. Texts that JSON spells otherwise are written to `free` and on; gives where that ends. */
  readDictionary(free: number): { readonly dictionary: Dictionary | null; readonly free: number } {
    const { writer: { calls }, unpacker } = this.#desk;
    this.#memory.setField(this.#place, FIELD.entry, 0);
    this.#memory.setField(this.#place, FIELD.entriesEnd, 0);
    const page = this.#dictionaryPage;
    if (page === null) return { dictionary: null, free };
    const { from, end, unpacked, count } = page;
    const bytes = unpacker.snappy(from, end, this.#dictionaryAt, unpacked);
    if (this.kind === 'integer') {
      if (count * INTEGER_BYTES > bytes) throw new Error('a page ends too early');
      this.#memory.setField(this.#place, FIELD.texts, this.#dictionaryAt);
      return { dictionary: { at: this.#dictionaryAt, count }, free };
    }
    this.#memory.setField(this.#place, FIELD.texts, this.#textsAt);
    const odd = calls.note_texts(this.#dictionaryAt, this.#dictionaryAt + bytes, count, this.#textsAt);
    return { dictionary: { at: this.#textsAt, count }, free: odd === 0 ? free : this.#spell(count, free) };
  }

  /** Unpacks the next page that has entries, and tells the field; false where there is none. */
  turn(): boolean {
    while (this.#turned < this.#dataPages.length) {
      const page = this.#dataPages[this.#turned++]!;
      this.#readData(page);
      if (page.count > 0) return true;
    }
    return false;
  }

  /** Whether all entries of the group were given. */
  isSpent(): boolean {
    return this.#memory.field(this.#place, FIELD.entry) === this.#memory.field(this.#place, FIELD.entriesEnd) && !this.turn();
  }

  /** Texts of the dictionary that JSON spells otherwise. */
  #spell(count: number, free: number): number {
    let to = free;
    for (let text = this.#textsAt / 4; text < this.#textsAt / 4 + count * NOTED_WORDS; text += NOTED_WORDS) {
      const { words } = this.#memory;
      if ((words[text + 1]! & (2 ** FORM_BITS - 1)) !== ESCAPED) continue;
      const spelled = this.#desk.writer.spelled(words[text]!, words[text + 1]! >>> FORM_BITS);
      this.#memory.claim(to + spelled.length);
      this.#memory.bytes.set(spelled, to);
      this.#memory.words[text] = to;
      this.#memory.words[text + 1] = (spelled.length << FORM_BITS) | ESCAPED;
      to += spelled.length;
    }
    return to;
  }

  #readData({ from, end: packedEnd, unpacked, count, encoding }: Page): void {
    const { unpacker } = this.#desk;
    const end = this.#pageAt + unpacker.snappy(from, packedEnd, this.#pageAt, unpacked);
    let at = this.#pageAt;
    if (this.kind === 'texts') at = this.#readLevels(at, end, 1, count, this.#followsAt);
    at = this.#readLevels(at, end, LEVELS[this.kind] === 1 ? 1 : 2, count, this.#entriesAt);
    const byDictionary = BY_DICTIONARY.has(encoding);
    if (!byDictionary && encoding !== PLAIN) throw new Error(`a page is written in encoding ${encoding}, which the engine did not use`);
    const numbers = byDictionary && at < end ? unpacker.numbers(at + 1, end, this.#memory.bytes[at]!, count, this.#numbersAt) : 0;
    this.#nameEntries(count, byDictionary ? numbers : null);
    const tell = (word: number, value: number): void => { this.#memory.setField(this.#place, word, value); };
    tell(FIELD.entry, this.#entriesAt);
    tell(FIELD.entriesEnd, this.#entriesAt + count * ENTRY_BYTES);
    tell(FIELD.value, at);
    tell(FIELD.pageEnd, end);
    tell(FIELD.follows, this.#followsAt - this.#entriesAt);
  }

  /** Levels stand behind the bytes that they take. Says where the next begins. */
  #readLevels(at: number, end: number, width: number, count: number, to: number): number {
    const stop = at + LENGTH_BYTES + this.#memory.bytes.readUInt32LE(at);
    if (stop > end || this.#desk.unpacker.numbers(at + LENGTH_BYTES, stop, width, count, to) < count) throw new Error('packed numbers are damaged');
    return stop;
  }

  /** Makes of the level of each entry what it is. `numbers`: so many there are of values; null where they stand in the page. */
  #nameEntries(count: number, numbers: number | null): void {
    const { calls } = this.#desk.writer;
    const end = calls.name_entries(this.#entriesAt, count, LEVELS[this.kind], numbers === null ? 0 : this.#numbersAt, this.#dictionaryPage?.count ?? 0);
    if (end === NULL_IN_LIST) throw new Error('a list has a null in it');
    if (numbers !== null && end > this.#numbersAt + numbers * ENTRY_BYTES) throw new Error('a page ends too early');
  }
}

/** Behind what stands there, and what may be written behind it. */
export function aligned(end: number): number {
  return Math.ceil((end + UNPACK_SPARE_BYTES) / ALIGNMENT) * ALIGNMENT;
}

function numberIn(struct: ThriftStruct | undefined, field: number): number {
  const value = struct?.get(field);
  // A size below zero would lead back to a page that was read.
  if (typeof value !== 'number' || value < 0) throw new Error('the head of a page is damaged');
  return value;
}
