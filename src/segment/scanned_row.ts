import { isPresent } from '../model/compare.ts';
import type { Row } from '../model/field.ts';
import type { Vocabulary } from '../model/vocabulary.ts';

/** What a field holds, as its stored bytes tell. A PLAIN text is ASCII as it stands, a WIDE one has other letters, an ESCAPED one backslashes. */
export const NULL = 0;
export const PLAIN = 1;
export const WIDE = 2;
export const ESCAPED = 3;
export const LIST = 4;
export const NUMBER = 5;
export type FieldForm = typeof NULL | typeof PLAIN | typeof WIDE | typeof ESCAPED | typeof LIST | typeof NUMBER;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const ASCII_MAX = 0x7f;

/** Bytes at which a text may end, or must not go on: quotes, backslashes, control characters. */
const HALTS = Uint8Array.from({ length: 256 }, (_, byte) => (byte < BLANK || byte === QUOTE || byte === BACKSLASH ? 1 : 0));

/**
 * A stored row in its place: where the value of each field stands in the bytes, told by whoever put the row together. No object is made of a row.
 * One instance serves row after row; its arrays may be others for each.
 */
export class ScannedRow {
  /** The bytes that the offsets are of; the stored row is [start, end). Values that it has in a stencil stand elsewhere in them. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  /** By field: [from, to) of its value, of a text without the quotes, of a list without the brackets. */
  from: Int32Array;
  to: Int32Array;
  /** By field: where the value begins in the text of the row. */
  textAt: Int32Array;
  forms: Uint8Array;
  /**
   * By field: the number of a text in the dictionary that it came from, and of a list the numbers of its texts; -1, and none, where they are not known.
   * Within a `part` of the rows the same number of a field means the same text.
   */
  numbers: Int32Array;
  readonly items: readonly number[][];
  part = 0;
  /** Of the row's text, its newline with it. */
  textBytes = 0;
  /** The place of the row in the order of identity. */
  rank = -1;
  readonly #places: ReadonlyMap<string, number>;

  constructor({ fields }: Vocabulary) {
    this.from = new Int32Array(fields.length);
    this.to = new Int32Array(fields.length);
    this.textAt = new Int32Array(fields.length);
    this.forms = new Uint8Array(fields.length);
    this.numbers = new Int32Array(fields.length).fill(-1);
    this.items = fields.map(() => []);
    this.#places = new Map(fields.map(({ name }, place) => [name, place]));
  }

  /** The number of a field, by which its value is asked for. */
  place(field: string): number {
    const place = this.#places.get(field);
    if (place === undefined) throw new Error(`rows have no field ${field}`);
    return place;
  }

  /** Says where the value of a field stands, once it is known. */
  note(place: number, form: FieldForm, from: number, to: number, textAt: number): void {
    this.forms[place] = form;
    this.from[place] = from;
    this.to[place] = to;
    this.textAt[place] = textAt;
  }

  /** Where the quote stands that ends the text which begins at `from`. */
  textEnd(from: number): number {
    const { bytes } = this;
    for (let at = from; ; at++) {
      const byte = bytes[at]!;
      if (HALTS[byte] === 0) continue;
      if (byte === QUOTE) return at;
      if (byte !== BACKSLASH) throw this.#malformed();
      at += 1;
    }
  }

  isText(place: number): boolean {
    const form = this.forms[place]!;
    return form === PLAIN || form === WIDE || form === ESCAPED;
  }

  /** Whether the field is a text of ASCII as it stands, with no blank at either end, and not empty. */
  isTrim(place: number): boolean {
    return this.forms[place] === PLAIN && this.to[place]! > this.from[place]! && this.bytes[this.from[place]!] !== BLANK && this.bytes[this.to[place]! - 1] !== BLANK;
  }

  /** As `isPresent` of its value. */
  isPresent(place: number): boolean {
    const form = this.forms[place];
    if (form === NULL) return false;
    const from = this.from[place]!;
    const to = this.to[place]!;
    const begins = form === LIST ? from + 1 : from;
    const first = this.bytes[begins]!;
    // A letter of ASCII to begin with is told at a glance.
    if (begins < to && first > BLANK && first <= ASCII_MAX && HALTS[first] === 0) return true;
    return isPresent(this.valueOf(place));
  }

  /** The text of a field; null where it holds none. */
  textOf(place: number): string | null {
    const [from, to] = [this.from[place]!, this.to[place]!];
    switch (this.forms[place] as FieldForm) {
      case PLAIN: return this.bytes.toString('latin1', from, to);
      case WIDE: return this.bytes.toString('utf8', from, to);
      case ESCAPED: return unquoted(this.bytes, from, to);
      case NULL: case LIST: case NUMBER: return null;
      default: throw this.#malformed();
    }
  }

  /** The value of a field, as it is in an object of the row. */
  valueOf(place: number): Row[string] {
    switch (this.forms[place] as FieldForm) {
      case PLAIN: case WIDE: case ESCAPED: return this.textOf(place);
      case NULL: return null;
      case LIST: return JSON.parse(this.bytes.toString('utf8', this.from[place]! - 1, this.to[place]! + 1)) as string[];
      case NUMBER: return Number(this.bytes.toString('latin1', this.from[place]!, this.to[place]!));
      default: throw this.#malformed();
    }
  }

  #malformed(): Error {
    return new Error('a row does not stand as rows are stored');
  }
}

/** The text that stands between two quotes. */
export function unquoted(bytes: Buffer, from: number, to: number): string {
  return JSON.parse(`"${bytes.toString('utf8', from, to)}"`) as string;
}
