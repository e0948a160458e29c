import { ByteTable } from '../lib/byte_table.ts';
import { fold } from '../lib/fold.ts';
import { NumberList } from '../lib/number_list.ts';
import { NULL_U32 } from './layout.ts';
import type { CodeIds, RowCodes } from './lists.ts';
import { PartMemo } from './part_memo.ts';
import { ESCAPED, type ScannedRow } from './scanned_row.ts';
import type { WordIds } from './word_ids.ts';

const BLANK = 0x20;

/** What is between two texts of a row. */
export const BREAK = NULL_U32;

/**
 * Texts that are nearly all different, such as names, as the pieces that blanks part: those are not. Each different piece is folded once, by
 * itself: no rule of folding looks across a blank. Keeps 4 bytes for each piece of each row.
 */
export class LooseDraft {
  readonly #ids: WordIds;
  readonly #pieces = new ByteTable();
  /** Where the words of each piece begin in `#words`. */
  readonly #starts = new NumberList();
  readonly #words = new NumberList();
  readonly #codes = new NumberList();
  readonly #ends = new NumberList();
  readonly #places: readonly number[];
  /** By field: where in `#codes` each numbered text began when it came first. */
  readonly #before: readonly PartMemo[];

  constructor(fields: readonly string[], row: ScannedRow, ids: WordIds) {
    this.#ids = ids;
    this.#places = fields.map((field) => row.place(field));
    this.#before = fields.map(() => new PartMemo());
  }

  add(row: ScannedRow): void {
    for (let field = 0; field < this.#places.length; field++) if (row.isText(this.#places[field]!)) this.#addField(row, field);
    this.#ends.push(this.#codes.length);
  }

  /** A text that came before is found where its pieces were laid down then. */
  #addField(row: ScannedRow, field: number): void {
    const place = this.#places[field]!;
    const number = row.numbers[place]!;
    const before = number < 0 ? -1 : this.#before[field]!.of(row.part, number);
    if (before >= 0) return this.#addAgain(before);
    if (number >= 0) this.#before[field]!.note(number, this.#codes.length);
    if (row.forms[place] === ESCAPED) this.#addWhole(Buffer.from(row.textOf(place)!));
    else this.#addText(row.bytes, row.from[place]!, row.to[place]!);
    this.#codes.push(BREAK);
  }

  #addAgain(before: number): void {
    for (let at = before; ; at++) {
      const code = this.#codes.at(at);
      this.#codes.push(code);
      if (code === BREAK) return;
    }
  }

  /** The pieces of each row, `BREAK` after each text. */
  rowCodes(): RowCodes {
    return { codes: this.#codes.view(), ends: this.#ends.view() };
  }

  /** The words of each piece, by its code; no row comes after this. */
  words(): CodeIds {
    this.#starts.push(this.#words.length);
    return { starts: this.#starts.view(), ids: this.#words.view() };
  }

  #addWhole(text: Buffer): void {
    this.#addText(text, 0, text.length);
  }

  #addText(bytes: Buffer, from: number, to: number): void {
    for (let start = from; start < to;) {
      let end = start;
      while (end < to && bytes[end] !== BLANK) end++;
      if (end > start) this.#addPiece(bytes, start, end);
      start = end + 1;
    }
  }

  #addPiece(bytes: Buffer, start: number, end: number): void {
    const piece = this.#pieces.numberOf(bytes, start, end);
    if (piece === this.#starts.length) {
      this.#starts.push(this.#words.length);
      this.#ids.eachOf(fold(bytes.toString('utf8', start, end)), (id) => this.#words.push(id));
    }
    this.#codes.push(piece);
  }
}
