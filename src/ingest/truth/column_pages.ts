import { unpackNumbers } from '../../lib/packed_numbers.ts';
import { unpackSnappy } from '../../lib/snappy.ts';
import { ThriftReader, type ThriftStruct } from '../../lib/thrift.ts';
import type { TruthColumn } from './footer.ts';

/** The numbers that Parquet's definition gives to what is read of a page's head. */
const PAGE = { type: 1, unpacked: 2, packed: 3, data: 5, dictionary: 7 } as const;
const DATA_PAGE = 0;
const DICTIONARY_PAGE = 2;
const HELD = { count: 1, encoding: 2 } as const;
const PLAIN = 0;
const BY_DICTIONARY = new Set([2, 8]);

/** What unpacking may write beyond the end. */
const SLACK_BYTES = 8;
const LENGTH_BYTES = 4;
const INTEGER_BYTES = 8;

/** The texts of a dictionary as they lie in its page: text i is [starts[i], ends[i]). Copies of words may reach 3 bytes beyond the last. */
export type Texts = { readonly words: DataView; readonly bytes: number; readonly count: number; readonly starts: Int32Array; readonly ends: Int32Array };

/** What an entry is that has no number: the field is null, the list is empty, the value stands in the page itself. */
export const NULL_ENTRY = -1;
export const EMPTY_ENTRY = -2;
export const PLAIN_ENTRY = -3;

/** How many levels there are of what is null, by kind; see Parquet's definition levels. Those of a list: null, empty, a null in it, a value. */
const LEVELS = { integer: 1, text: 1, texts: 3 } as const;
const EMPTY_LEVEL = 1;
const NULL_ITEM_LEVEL = 2;

/**
 * The entries of one column of one group of rows, one after the other. An entry is a row, but of a list one of its texts. Keeps one page unpacked, and
 * the dictionary of the group; its memory serves group after group.
 */
export class ColumnPages {
  readonly kind: TruthColumn['kind'];
  /** Of the texts whose entries have numbers: the same in all pages of a group. It comes before them. */
  dictionary: Texts | null = null;
  /** The bytes of the page, and where in them the value of the last entry stands if it is a `PLAIN_ENTRY`. */
  page: Buffer = Buffer.alloc(0);
  words: DataView = wordsOf(this.page);
  start = 0;
  end = 0;
  #chunk: Buffer = Buffer.alloc(0);
  #chunkAt = 0;
  #entries = 0;
  #entry = 0;
  #levels = new Uint8Array();
  #follows = new Uint8Array();
  /** By value, of those that have numbers. */
  #numbers = new Int32Array();
  #value = 0;
  #byDictionary = false;
  #pageEnd = 0;
  #dictionaryPage: Buffer = Buffer.alloc(0);
  #starts = new Int32Array();
  #ends = new Int32Array();

  constructor(kind: TruthColumn['kind']) {
    this.kind = kind;
  }

  /** The pages of the next group, which must stay until the group after it. */
  begin(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#chunkAt = 0;
    this.#entries = 0;
    this.#entry = 0;
    this.dictionary = null;
  }

  /** The number of the next entry's text, or what else it is. */
  next(): number {
    if (this.#entry === this.#entries && !this.#turn()) throw new Error('a column ends before its rows do');
    const level = this.#levels[this.#entry++]!;
    if (level !== LEVELS[this.kind]) {
      if (level === NULL_ITEM_LEVEL) throw new Error('a list has a null in it');
      return level === EMPTY_LEVEL ? EMPTY_ENTRY : NULL_ENTRY;
    }
    if (this.#byDictionary) return this.#numbers[this.#value++]!;
    this.start = this.kind === 'integer' ? this.end : this.end + LENGTH_BYTES;
    this.end = this.start + (this.kind === 'integer' ? INTEGER_BYTES : this.words.getInt32(this.end, true));
    if (this.end < this.start || this.end > this.#pageEnd) throw new Error('a page ends too early');
    return PLAIN_ENTRY;
  }

  /** Whether the next entry goes on with the list of the last. */
  followsOn(): boolean {
    return (this.#entry < this.#entries || this.#turn()) && this.#follows[this.#entry] === 1;
  }

  /** Whether all entries of the group were given. */
  isSpent(): boolean {
    return this.#entry === this.#entries && !this.#turn();
  }

  /** Unpacks the next page that has entries; false where there is none. */
  #turn(): boolean {
    while (this.#chunkAt < this.#chunk.length) {
      const reader = new ThriftReader(this.#chunk, this.#chunkAt);
      const head = reader.struct();
      const [packed, unpacked] = [numberIn(head, PAGE.packed), numberIn(head, PAGE.unpacked)];
      this.#chunkAt = reader.at + packed;
      const from = this.#chunk.subarray(reader.at, this.#chunkAt);
      switch (head.get(PAGE.type)) {
        case DICTIONARY_PAGE: this.#readDictionary(from, unpacked, head.get(PAGE.dictionary) as ThriftStruct); break;
        case DATA_PAGE: this.#readData(from, unpacked, head.get(PAGE.data) as ThriftStruct); break;
        default: throw new Error('a page is of a kind that the engine does not write');
      }
      if (this.#entry < this.#entries) return true;
    }
    return false;
  }

  #readDictionary(from: Buffer, unpacked: number, held: ThriftStruct): void {
    this.#dictionaryPage = withRoom(this.#dictionaryPage, unpacked);
    const bytes = unpackSnappy(from, this.#dictionaryPage);
    const words = wordsOf(this.#dictionaryPage);
    const count = numberIn(held, HELD.count);
    if (this.#starts.length < count) {
      this.#starts = new Int32Array(count);
      this.#ends = new Int32Array(count);
    }
    const [starts, ends] = [this.#starts, this.#ends];
    let at = 0;
    for (let text = 0; text < count; text++) {
      const start = this.kind === 'integer' ? at : at + LENGTH_BYTES;
      starts[text] = start;
      at = start + (this.kind === 'integer' ? INTEGER_BYTES : words.getInt32(at, true));
      if (at < start || at > bytes) throw new Error('a page ends too early');
      ends[text] = at;
    }
    this.dictionary = { words, bytes, count, starts, ends };
  }

  #readData(from: Buffer, unpacked: number, held: ThriftStruct): void {
    if (this.page.length < unpacked + SLACK_BYTES) {
      this.page = withRoom(this.page, unpacked);
      this.words = wordsOf(this.page);
    }
    this.#pageEnd = unpackSnappy(from, this.page);
    const count = numberIn(held, HELD.count);
    if (this.#levels.length < count) this.#levels = new Uint8Array(count);
    this.#entry = 0;
    this.#entries = count;
    let at = 0;
    if (this.kind === 'texts') {
      if (this.#follows.length < count) this.#follows = new Uint8Array(count);
      at = readLevels(this.page, at, 1, count, this.#follows);
    }
    at = readLevels(this.page, at, LEVELS[this.kind] === 1 ? 1 : 2, count, this.#levels);
    const encoding = numberIn(held, HELD.encoding);
    this.#byDictionary = BY_DICTIONARY.has(encoding);
    if (this.#byDictionary) this.#readNumbers(at, count);
    else if (encoding !== PLAIN) throw new Error(`a page is written in encoding ${encoding}, which the engine did not use`);
    this.end = at;
  }

  #readNumbers(at: number, entries: number): void {
    const full = LEVELS[this.kind];
    let count = 0;
    for (let entry = 0; entry < entries; entry++) if (this.#levels[entry] === full) count++;
    if (this.#numbers.length < count) this.#numbers = new Int32Array(entries);
    this.#value = 0;
    if (count === 0) return;
    const width = this.page.readUInt8(at);
    unpackNumbers(this.page.subarray(0, this.#pageEnd), at + 1, width, count, this.#numbers);
    let largest = 0;
    for (let value = 0; value < count; value++) largest = Math.max(largest, this.#numbers[value]!);
    if (largest >= (this.dictionary?.count ?? 0)) throw new Error('a value is not in its dictionary');
  }
}

function withRoom(page: Buffer, bytes: number): Buffer {
  return page.length >= bytes + SLACK_BYTES ? page : Buffer.allocUnsafeSlow(bytes + SLACK_BYTES);
}

function wordsOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Levels stand behind the bytes that they take. Says where the next begins. */
function readLevels(page: Buffer, at: number, width: number, count: number, to: Uint8Array): number {
  const bytes = page.readUInt32LE(at);
  unpackNumbers(page, at + LENGTH_BYTES, width, count, to);
  return at + LENGTH_BYTES + bytes;
}

function numberIn(struct: ThriftStruct | undefined, field: number): number {
  const value = struct?.get(field);
  // A size below zero would lead back to a page that was read.
  if (typeof value !== 'number' || value < 0) throw new Error('the head of a page is damaged');
  return value;
}
