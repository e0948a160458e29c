import type { Phrase, RowWriter } from '../../segment/row_writer.ts';
import { ESCAPED, LIST, NULL, NUMBER, PLAIN, WIDE, type FieldForm, type ScannedRow } from '../../segment/scanned_row.ts';
import { type ColumnPages, EMPTY_ENTRY, NULL_ENTRY, PLAIN_ENTRY, type Texts } from './column_pages.ts';
import { MAY_HALT, RowBuffer } from './row_buffer.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSED = 0x5d;
const EMPTY_LIST = '[]';
const ROOM_BYTES = 16;
const ESCAPE_BYTES_MAX = 6;
/** A dictionary of so few texts is one of levels, states or sizes: its texts go into stencils. */
const FEW_TEXTS = 16;

/** Where rows are put together, and what writes them. */
export type Desk = { readonly out: RowBuffer; readonly writer: RowWriter };

/** What writes one field of row after row: its name, and its value as JSON. Says where the next value will stand, and notes in the row where this one does. */
export interface Member {
  put(row: ScannedRow, at: number): number;
}

/** The same value in every row. */
export class ConstantMember implements Member {
  readonly #desk: Desk;
  readonly #place: number;
  readonly #form: FieldForm;
  readonly #phrase: Phrase;
  readonly #from: number;
  readonly #to: number;
  readonly #leadBytes: number;

  constructor(desk: Desk, lead: string, place: number, value: string | readonly string[]) {
    const text = JSON.stringify(value);
    this.#desk = desk;
    this.#place = place;
    this.#form = typeof value === 'string' ? formOf(Buffer.from(text)) : LIST;
    this.#phrase = desk.writer.phrase(lead + text);
    this.#leadBytes = Buffer.byteLength(lead) + 1;
    this.#from = desk.out.keep(Buffer.from(text)) + 1;
    this.#to = this.#from + Buffer.byteLength(text) - 2;
  }

  put(row: ScannedRow, at: number): number {
    const { out, writer } = this.#desk;
    row.note(this.#place, this.#form, this.#from, this.#to, writer.textBytes + this.#leadBytes);
    return writer.fixed(this.#phrase, out, at);
  }
}

/** A field that is null in some rows. */
abstract class NullableMember implements Member {
  protected readonly desk: Desk;
  protected readonly place: number;
  protected readonly pages: ColumnPages;
  readonly #lead: Phrase;
  readonly #null: Phrase;

  /** `opening`: what stands between the lead and each value. */
  constructor(desk: Desk, lead: string, place: number, pages: ColumnPages, opening = '') {
    this.desk = desk;
    this.place = place;
    this.pages = pages;
    this.#lead = desk.writer.phrase(lead + opening);
    this.#null = desk.writer.phrase(`${lead}null`);
  }

  put(row: ScannedRow, at: number): number {
    const number = this.pages.next();
    if (number !== NULL_ENTRY) return this.putEntry(row, number, at);
    row.note(this.place, NULL, at, at, 0);
    return this.desk.writer.fixed(this.#null, this.desk.out, at);
  }

  /** Says where a value is to be written. */
  protected open(at: number): number {
    const { out, writer } = this.desk;
    return writer.open(out, writer.fixed(this.#lead, out, at));
  }

  protected abstract putEntry(row: ScannedRow, number: number, at: number): number;
}

export class TextMember extends NullableMember {
  readonly #leadBytes: number;
  readonly #ends: Phrase;
  readonly #texts: JsonTexts;
  readonly #few: FewTexts;

  constructor(desk: Desk, lead: string, place: number, pages: ColumnPages) {
    super(desk, lead, place, pages, '"');
    this.#leadBytes = Buffer.byteLength(lead) + 1;
    this.#ends = desk.writer.phrase('"');
    this.#texts = new JsonTexts(pages, false);
    this.#few = new FewTexts(desk, lead, this.#texts);
  }

  protected override putEntry(row: ScannedRow, number: number, at: number): number {
    const { out, writer } = this.desk;
    row.numbers[this.place] = number;
    const few = number === PLAIN_ENTRY ? null : this.#few.find(number);
    if (few !== null) {
      row.note(this.place, few.form, few.from, few.to, writer.textBytes + this.#leadBytes);
      return writer.fixed(few.phrase, out, at);
    }
    const from = this.open(at);
    const end = this.#texts.put(number, out, from);
    row.note(this.place, this.#texts.form, from, end, writer.textBytes);
    writer.close(end - from);
    return writer.fixed(this.#ends, out, end);
  }
}

export class ListMember extends NullableMember {
  readonly #empty: Phrase;
  readonly #emptyAt: number;
  readonly #texts: JsonTexts;

  constructor(desk: Desk, lead: string, place: number, pages: ColumnPages) {
    super(desk, lead, place, pages);
    this.#empty = desk.writer.phrase(lead + EMPTY_LIST);
    this.#emptyAt = desk.out.keep(Buffer.from(EMPTY_LIST)) + 1;
    this.#texts = new JsonTexts(pages, true);
  }

  override put(row: ScannedRow, at: number): number {
    row.items[this.place]!.length = 0;
    return super.put(row, at);
  }

  protected override putEntry(row: ScannedRow, first: number, at: number): number {
    const { pages, place, desk: { out, writer } } = this;
    const items = row.items[place]!;
    if (first === EMPTY_ENTRY) {
      row.note(place, LIST, this.#emptyAt, this.#emptyAt, 0);
      return writer.fixed(this.#empty, out, at);
    }
    const from = this.open(at);
    out.reserve(from, ROOM_BYTES);
    out.bytes[from] = OPEN;
    let end = from + 1;
    for (let number = first; ; number = pages.next()) {
      items.push(number);
      end = this.#texts.put(number, out, end);
      out.reserve(end, ROOM_BYTES);
      if (!pages.followsOn()) break;
      out.bytes[end++] = COMMA;
    }
    out.bytes[end] = CLOSED;
    row.note(place, LIST, from + 1, end, writer.textBytes + 1);
    writer.close(end + 1 - from);
    return end + 1;
  }
}

export class IntegerMember extends NullableMember {
  protected override putEntry(row: ScannedRow, number: number, at: number): number {
    const { out, writer } = this.desk;
    const from = this.open(at);
    out.reserve(from, 2 * ROOM_BYTES);
    const end = from + out.bytes.write(String(integerOf(this.pages, number)), from, 'latin1');
    row.note(this.place, NUMBER, from, end, writer.textBytes);
    writer.close(end - from);
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
    return number === NULL_ENTRY ? null : integerOf(this.#pages, number);
  }
}

function integerOf(pages: ColumnPages, number: number): number {
  if (number === PLAIN_ENTRY) return integerAt(pages.words, pages.start);
  const { words, starts } = pages.dictionary!;
  return integerAt(words, starts[number]!);
}

function integerAt(words: DataView, at: number): number {
  return words.getInt32(at + 4, true) * 2 ** 32 + words.getUint32(at, true);
}

/** The texts of a column as they stand in JSON, with their quotes or without: those of a dictionary are made ready once, others as they come. */
class JsonTexts {
  /** Of the text that was put last. */
  form: FieldForm = PLAIN;
  readonly #quotes: 0 | 1;
  readonly #pages: ColumnPages;
  /** The dictionary that was made ready, where each of its texts ends, and the form of each. */
  #made: Texts | null = null;
  readonly #ready = new RowBuffer(ROOM_BYTES);
  #ends = new Int32Array();
  #forms = new Uint8Array();

  constructor(pages: ColumnPages, quoted: boolean) {
    this.#quotes = quoted ? 1 : 0;
    this.#pages = pages;
  }

  /** Says where it ends. */
  put(number: number, out: RowBuffer, at: number): number {
    if (number === PLAIN_ENTRY) return this.#putRaw(this.#pages.words, this.#pages.start, this.#pages.end, out, at);
    this.ready();
    const start = number === 0 ? 0 : this.#ends[number - 1]!;
    const end = this.#ends[number]!;
    this.form = this.#forms[number] as FieldForm;
    out.reserve(at, end - start);
    return out.copy(at, this.#ready.words, start, end);
  }

  /** The dictionary of the rows that come now, made ready. */
  ready(): Texts {
    const dictionary = this.#pages.dictionary!;
    if (dictionary !== this.#made) this.#make(dictionary);
    return dictionary;
  }

  #putRaw(words: DataView, start: number, end: number, out: RowBuffer, at: number): number {
    out.reserve(at, (end - start) * ESCAPE_BYTES_MAX + ROOM_BYTES);
    const from = at + this.#quotes;
    const seen = out.copyLooking(from, words, start, end);
    let to = from + end - start;
    if ((seen & MAY_HALT) === 0) this.form = seen === 0 ? PLAIN : WIDE;
    else {
      to = from + out.bytes.write(JSON.stringify(out.bytes.toString('utf8', from, to)).slice(1, -1), from);
      this.form = formOf(out.bytes.subarray(from, to));
    }
    if (this.#quotes === 0) return to;
    out.bytes[at] = QUOTE;
    out.bytes[to] = QUOTE;
    return to + 1;
  }

  #make(dictionary: Texts): void {
    const { words, bytes, count, starts, ends } = dictionary;
    this.#made = dictionary;
    this.#ready.reserve(0, bytes + 2 * count);
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

type FewText = { readonly phrase: Phrase; readonly form: FieldForm; readonly from: number; readonly to: number };

/** The texts of a column that has few of them: with the name before them and the quotes they are fixed, and values no more. */
class FewTexts {
  readonly #desk: Desk;
  readonly #lead: string;
  readonly #texts: JsonTexts;
  readonly #known = new Map<string, FewText>();
  readonly #scratch = new RowBuffer(ROOM_BYTES);
  #of: Texts | null = null;
  #byNumber: readonly (FewText | null)[] = [];

  constructor(desk: Desk, lead: string, texts: JsonTexts) {
    this.#desk = desk;
    this.#lead = lead;
    this.#texts = texts;
  }

  find(number: number): FewText | null {
    const dictionary = this.#texts.ready();
    if (dictionary !== this.#of) {
      this.#of = dictionary;
      const count = dictionary.count <= FEW_TEXTS ? dictionary.count : 0;
      this.#byNumber = Array.from({ length: count }, (_, at) => this.#fewOf(at));
    }
    return this.#byNumber[number] ?? null;
  }

  #fewOf(number: number): FewText | null {
    const end = this.#texts.put(number, this.#scratch, 0);
    const bytes = this.#scratch.bytes.subarray(0, end);
    const text = bytes.toString('latin1');
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const { out, writer } = this.#desk;
    if (this.#known.size === FEW_TEXTS || !out.mayKeep(end)) return null;
    const from = out.keep(bytes);
    const few = { phrase: writer.phrase(`${this.#lead}"${bytes.toString()}"`), form: this.#texts.form, from, to: from + end };
    this.#known.set(text, few);
    return few;
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
