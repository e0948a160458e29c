import { ByteRuns, ByteTable } from '../lib/byte_table.ts';
import { narrowArray } from '../lib/narrow.ts';
import { NumberList } from '../lib/number_list.ts';
import { sortTexts } from '../lib/text_order.ts';
import { comparable, filteredText } from '../model/compare.ts';
import { draftDictionary } from './dictionary.ts';
import type { PlannedColumn } from './column_plan.ts';
import { NULL_U32 } from './layout.ts';
import { gatherRows, listByCode, rowsByCode, type RowCodes } from './lists.ts';
import { PartMemo } from './part_memo.ts';
import { PostingsWriter, type PostingsContext } from './postings_writer.ts';
import { LIST, unquoted, type ScannedRow } from './scanned_row.ts';
import type { SectionDrafts } from './sections.ts';

const AT_SIGN = 0x40;

/**
 * Gathers one filter's texts, row by row. Codes are given as values are first met, and put in dictionary order at the end.
 * A text is told by its stored bytes, and only the first of its kind is made a text at all. Keeps one entry a distinct text that is
 * read, and 4 bytes a row.
 */
export class TextsDraft {
  readonly plan: PlannedColumn;
  /** Distinct comparable texts in the order in which they were met. */
  readonly keys: string[] = [];
  readonly #displays: string[] = [];
  readonly #codeOfKey = new Map<string, number>();
  /** The bytes that were read, and the code of each. */
  readonly #parts = new ByteTable();
  readonly #codeOfPart = new NumberList();
  readonly #codeOfNumber = new PartMemo();
  readonly #codes = new NumberList();
  /** Where each row's codes end, for a list; else a row has one code. */
  readonly #ends = new NumberList();

  /** Parts of the last rows that are still to be looked up, all at once, and where in `#codes` each is waited for. */
  readonly #runs = new ByteRuns();
  readonly #waiting = new Uint32Array(ByteRuns.MAX);

  readonly #place: number;
  /** Of an address its domain is read: addresses are nearly all different, their domains are not. */
  readonly #readsDomain: boolean;

  constructor(plan: PlannedColumn, row: ScannedRow) {
    this.plan = plan;
    this.#place = row.place(plan.spec.field);
    this.#readsDomain = plan.spec.name === 'email_domain';
  }

  add(row: ScannedRow): void {
    const place = this.#place;
    if (this.plan.listed) this.#addList(row);
    else if (!row.isText(place)) this.#codes.push(NULL_U32);
    else if (row.numbers[place]! >= 0) this.#codes.push(this.#codeOfNumbered(row, row.numbers[place]!, row.from[place]!, row.to[place]!));
    else this.#addLater(row.bytes, row.from[place]!, row.to[place]!);
  }

  /**
   * Looks up what waits: before other rows come in the place of these, and before another text is met. `bytes`: of the row that came last; those before it
   * stand in them too, whatever theirs were.
   */
  catchUp(bytes: Buffer): void {
    const runs = this.#runs;
    if (runs.length === 0) return;
    this.#parts.numberAll(bytes, runs);
    for (let run = 0; run < runs.length; run++) {
      this.#codes.put(this.#waiting[run]!, this.#codeOfPartAt(runs.numbers[run]!, bytes, runs.starts[run]!, runs.ends[run]!));
    }
    runs.length = 0;
  }

  /** The codes as met of each row, nulls left out of a list; a row's code comes once. */
  rowCodes(): RowCodes {
    return { codes: this.#codes.view(), ends: this.plan.listed ? this.#ends.view() : null };
  }

  /** Drafts the column and returns the final code of each code as met, and the final codes of the rows. */
  draft(drafts: SectionDrafts, name: string, context: PostingsContext): { final: Uint32Array; codes: ArrayLike<number> } {
    const sorted = sortTexts([...this.keys]);
    const final = new Uint32Array(this.keys.length);
    sorted.forEach((key, code) => { final[this.#codeOfKey.get(key)!] = code; });
    draftDictionary(drafts, `${name}.keys`, sorted);
    const shown = sorted.map((key) => this.#shown(key));
    draftDictionary(drafts, `${name}.shown`, shown.some((display) => display !== '') ? shown : []);
    const codes = this.#draftCodes(drafts, name, final);
    const postings = new PostingsWriter(context, sorted.length);
    postings.add(this.plan.listed ? gatherRows(sorted.length, context.rows, [{ rows: this.rowCodes(), lists: listByCode(final) }]) : rowsByCode(this.#codes.view(), final));
    postings.draft(drafts, `${name}.rows`);
    return { final, codes };
  }

  /** Empty where the first spelling met is the key itself. */
  #shown(key: string): string {
    const display = this.#displays[this.#codeOfKey.get(key)!]!;
    return display === key ? '' : display;
  }

  #draftCodes(drafts: SectionDrafts, name: string, final: Uint32Array): ArrayLike<number> {
    const none = final.length;
    const codes = narrowArray(this.#codes.length, none);
    const met = this.#codes.view();
    for (let at = 0; at < met.length; at++) codes[at] = met[at] === NULL_U32 ? none : final[met[at]!]!;
    drafts.add(`${name}.codes`, codes);
    if (this.plan.listed) drafts.add(`${name}.ends`, this.#ends.view());
    return codes;
  }

  #addLater(bytes: Buffer, from: number, to: number): void {
    const start = this.#partStart(bytes, from, to);
    const runs = this.#runs;
    if (start >= 0) {
      if (runs.length === ByteRuns.MAX) this.catchUp(bytes);
      runs.starts[runs.length] = start;
      runs.ends[runs.length] = to;
      this.#waiting[runs.length++] = this.#codes.length;
    }
    this.#codes.push(NULL_U32);
  }

  /** Each code once a row. */
  #addList(row: ScannedRow): void {
    const place = this.#place;
    const first = this.#codes.length;
    if (row.forms[place] === LIST) {
      const numbers = row.items[place]!;
      for (let at = row.from[place]!, item = 0; at < row.to[place]!; item++) {
        const end = row.textEnd(at + 1);
        const code = this.#codeOfNumbered(row, numbers[item] ?? -1, at + 1, end);
        if (code !== NULL_U32 && !this.#hasCode(code, first)) this.#codes.push(code);
        at = end + 2;
      }
    }
    this.#ends.push(this.#codes.length);
  }

  #hasCode(code: number, first: number): boolean {
    for (let at = first; at < this.#codes.length; at++) if (this.#codes.at(at) === code) return true;
    return false;
  }

  /** The code of the text at [from, to) of the row, which is that number of its dictionary, or -1. */
  #codeOfNumbered(row: ScannedRow, number: number, from: number, to: number): number {
    if (number < 0) return this.#codeOf(row.bytes, from, to);
    const known = this.#codeOfNumber.of(row.part, number);
    if (known >= 0) return known;
    this.catchUp(row.bytes);
    const code = this.#codeOf(row.bytes, from, to);
    this.#codeOfNumber.note(number, code);
    return code;
  }

  #codeOf(bytes: Buffer, from: number, to: number): number {
    const start = this.#partStart(bytes, from, to);
    return start < 0 ? NULL_U32 : this.#codeOfPartAt(this.#parts.numberOf(bytes, start, to), bytes, start, to);
  }

  /** Where what is read of the text at [from, to) begins; -1 where it has none. */
  #partStart(bytes: Uint8Array, from: number, to: number): number {
    if (!this.#readsDomain) return from;
    for (let start = to; start > from; start--) if (bytes[start - 1] === AT_SIGN) return start;
    return -1;
  }

  /** Of the part at [start, to), by its number. What reads a part of its field takes the sign before that for the beginning of the text. */
  #codeOfPartAt(part: number, bytes: Buffer, start: number, to: number): number {
    if (part === this.#codeOfPart.length) this.#codeOfPart.push(this.#codeOfRaw(unquoted(bytes, this.#readsDomain ? start - 1 : start, to)));
    return this.#codeOfPart.at(part);
  }

  #codeOfRaw(raw: string): number {
    const display = filteredText(this.plan.spec, raw);
    return display === null ? NULL_U32 : this.#codeOfDisplay(display);
  }

  #codeOfDisplay(display: string): number {
    const key = comparable(this.plan.spec.compares, display);
    const known = this.#codeOfKey.get(key);
    if (known !== undefined) return known;
    this.#codeOfKey.set(key, this.keys.length);
    this.#displays.push(display);
    return this.keys.push(key) - 1;
  }
}
