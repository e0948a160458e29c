import { ESCAPED, LIST, NULL, NUMBER, PLAIN, WIDE, type FieldForm, type ScannedRow } from '../../segment/scanned_row.ts';
import { type ColumnPages, EMPTY_ENTRY, NULL_ENTRY, PLAIN_ENTRY, type Texts } from './column_pages.ts';
import { copyable, MAY_HALT, RowBuffer } from './row_buffer.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSED = 0x5d;
const NULL_TEXT = 'null';
const ROOM_BYTES = 16;
const ESCAPE_BYTES_MAX = 6;

/** What writes one field of row after row: its name, and its value as JSON. Says where in the buffer it ends, and notes in the row where the value stands. */
export interface Member {
  put(row: ScannedRow, out: RowBuffer, at: number): number;
}

/** The same value in every row. */
export class ConstantMember implements Member {
  readonly #text: DataView;
  readonly #place: number;
  readonly #form: FieldForm;
  readonly #valueAt: number;
  readonly #end: number;

  constructor(lead: string, place: number, value: string | readonly string[]) {
    const bytes = Buffer.from(lead + JSON.stringify(value));
    this.#text = copyable(bytes);
    this.#place = place;
    this.#form = typeof value === 'string' ? formOf(bytes.subarray(Buffer.byteLength(lead))) : LIST;
    this.#valueAt = Buffer.byteLength(lead) + 1;
    this.#end = bytes.length;
  }

  put(row: ScannedRow, out: RowBuffer, at: number): number {
    out.reserve(at, this.#end);
    row.note(this.#place, this.#form, at + this.#valueAt, at + this.#end - 1);
    return out.copy(at, this.#text, 0, this.#end);
  }
}

/** What stands before each value of a field, and the value where there is none. */
class Lead {
  readonly bytes: number;
  readonly #place: number;
  readonly #withNull: DataView;

  constructor(lead: string, place: number) {
    this.bytes = Buffer.byteLength(lead);
    this.#place = place;
    this.#withNull = copyable(Buffer.from(lead + NULL_TEXT));
  }

  /** Says where the value begins, for which there is so much room. */
  put(out: RowBuffer, at: number, room: number): number {
    out.reserve(at, this.bytes + room);
    return out.copy(at, this.#withNull, 0, this.bytes);
  }

  putNull(row: ScannedRow, out: RowBuffer, at: number): number {
    const valueAt = at + this.bytes;
    out.reserve(at, this.bytes + ROOM_BYTES);
    row.note(this.#place, NULL, valueAt, valueAt);
    return out.copy(at, this.#withNull, 0, this.bytes + NULL_TEXT.length);
  }
}

export class TextMember implements Member {
  readonly #place: number;
  readonly #lead: Lead;
  readonly #quoted: QuotedTexts;
  readonly #pages: ColumnPages;

  constructor(lead: string, place: number, pages: ColumnPages) {
    this.#place = place;
    this.#lead = new Lead(lead, place);
    this.#quoted = new QuotedTexts(`${lead}"`, pages);
    this.#pages = pages;
  }

  put(row: ScannedRow, out: RowBuffer, at: number): number {
    const number = this.#pages.next();
    if (number === NULL_ENTRY) return this.#lead.putNull(row, out, at);
    const end = this.#quoted.put(number, out, at);
    row.note(this.#place, this.#quoted.form, at + this.#lead.bytes + 1, end - 1);
    row.numbers[this.#place] = number;
    return end;
  }
}

export class ListMember implements Member {
  readonly #place: number;
  readonly #lead: Lead;
  readonly #quoted: QuotedTexts;
  readonly #pages: ColumnPages;

  constructor(lead: string, place: number, pages: ColumnPages) {
    this.#place = place;
    this.#lead = new Lead(lead, place);
    this.#quoted = new QuotedTexts('"', pages);
    this.#pages = pages;
  }

  put(row: ScannedRow, out: RowBuffer, at: number): number {
    const pages = this.#pages;
    const items = row.items[this.#place]!;
    items.length = 0;
    let number = pages.next();
    if (number === NULL_ENTRY) return this.#lead.putNull(row, out, at);
    let end = this.#lead.put(out, at, ROOM_BYTES);
    out.bytes[end++] = OPEN;
    const from = end;
    if (number !== EMPTY_ENTRY) {
      for (;;) {
        items.push(number);
        end = this.#quoted.put(number, out, end);
        out.reserve(end, ROOM_BYTES);
        if (!pages.followsOn()) break;
        out.bytes[end++] = COMMA;
        number = pages.next();
      }
    }
    out.bytes[end] = CLOSED;
    row.note(this.#place, LIST, from, end);
    return end + 1;
  }
}

export class IntegerMember implements Member {
  readonly #place: number;
  readonly #lead: Lead;
  readonly #integers: Integers;

  constructor(lead: string, place: number, pages: ColumnPages) {
    this.#place = place;
    this.#lead = new Lead(lead, place);
    this.#integers = new Integers(pages);
  }

  put(row: ScannedRow, out: RowBuffer, at: number): number {
    const integer = this.#integers.next();
    if (integer === null) return this.#lead.putNull(row, out, at);
    const from = this.#lead.put(out, at, 2 * ROOM_BYTES);
    const end = from + out.bytes.write(String(integer), from, 'latin1');
    row.note(this.#place, NUMBER, from, end);
    return end;
  }
}

export class Integers {
  readonly #pages: ColumnPages;

  constructor(pages: ColumnPages) {
    this.#pages = pages;
  }

  next(): number | null {
    const number = this.#pages.next();
    if (number === NULL_ENTRY) return null;
    if (number === PLAIN_ENTRY) return integerAt(this.#pages.words, this.#pages.start);
    const { words, starts } = this.#pages.dictionary!;
    return integerAt(words, starts[number]!);
  }
}

function integerAt(words: DataView, at: number): number {
  return words.getInt32(at + 4, true) * 2 ** 32 + words.getUint32(at, true);
}

/** The texts of a column between quotes, each behind the same lead: those of a dictionary are made ready once, others as they come. */
class QuotedTexts {
  /** Of the text that was put last. */
  form: FieldForm = PLAIN;
  readonly #lead: Buffer;
  readonly #leadWords: DataView;
  readonly #pages: ColumnPages;
  /** The dictionary that was made ready, where each of its texts ends, and the form of each. */
  #made: Texts | null = null;
  readonly #ready = new RowBuffer(ROOM_BYTES);
  #ends = new Int32Array();
  #forms = new Uint8Array();

  constructor(lead: string, pages: ColumnPages) {
    this.#lead = Buffer.from(lead);
    this.#leadWords = copyable(this.#lead);
    this.#pages = pages;
  }

  put(number: number, out: RowBuffer, at: number): number {
    if (number === PLAIN_ENTRY) return this.#putRaw(this.#pages.words, this.#pages.start, this.#pages.end, out, at);
    if (this.#pages.dictionary !== this.#made) this.#make(this.#pages.dictionary!);
    const start = number === 0 ? 0 : this.#ends[number - 1]!;
    const end = this.#ends[number]!;
    this.form = this.#forms[number] as FieldForm;
    out.reserve(at, end - start);
    return out.copy(at, this.#ready.words, start, end);
  }

  #putRaw(words: DataView, start: number, end: number, out: RowBuffer, at: number): number {
    out.reserve(at, this.#lead.length + (end - start) * ESCAPE_BYTES_MAX + ROOM_BYTES);
    const from = out.copy(at, this.#leadWords, 0, this.#lead.length);
    const seen = out.copyLooking(from, words, start, end);
    let to = from + end - start;
    if ((seen & MAY_HALT) === 0) this.form = seen === 0 ? PLAIN : WIDE;
    else {
      to = from + out.bytes.write(JSON.stringify(out.bytes.toString('utf8', from, to)).slice(1, -1), from);
      this.form = formOf(out.bytes.subarray(from, to));
    }
    out.bytes[to] = QUOTE;
    return to + 1;
  }

  #make(dictionary: Texts): void {
    const { words, bytes, count, starts, ends } = dictionary;
    this.#made = dictionary;
    this.#ready.reserve(0, bytes + count * this.#lead.length);
    if (this.#ends.length < count) {
      this.#ends = new Int32Array(count);
      this.#forms = new Uint8Array(count);
    }
    let at = 0;
    for (let number = 0; number < count; number++) {
      at = this.#putRaw(words, starts[number]!, ends[number]!, this.#ready, at);
      this.#ends[number] = at;
      this.#forms[number] = this.form;
    }
  }
}

/** Of the bytes of a JSON text. */
function formOf(bytes: Uint8Array): FieldForm {
  let form: FieldForm = PLAIN;
  for (const byte of bytes) {
    if (byte === 0x5c) return ESCAPED;
    if (byte > 0x7f) form = WIDE;
  }
  return form;
}
