import { isUtf8 } from 'node:buffer';
import { SourceFailure, type FoundRow } from '../source.ts';
import type { TableColumns } from './columns.ts';
import { AT, FIELD, SURE } from './own_names.ts';

/** A member of each row as it is called, with what stands before it. `isList`: an empty one is null, which lists of the server cannot be. */
type Member = { readonly called: Buffer; readonly isList: boolean };

const bytes = (text: string): number[] => [...Buffer.from(text)];
const [NEWLINE, QUOTE, ESCAPE, COMMA, LIST, LIST_END, END, YES] = bytes('\n"\\,[]}1') as [number, number, number, number, number, number, number, number];
/** Stands before the name of each field as a statement defines it: see `columns.ts`. */
const [MARK, MARK_END] = bytes(FIELD) as [number, number];
/** Signs before that: a brace or a comma, and a quote. */
const BEFORE_MARK = 2;
const NULL = Buffer.from('null');
const SURE_MEMBER = Buffer.from(`,${JSON.stringify(SURE)}:`);
const AT_MEMBER = Buffer.from(`,${JSON.stringify(AT)}:"`);

/**
 * Rows out of whole lines of an answer, byte by byte: nothing is made a text but the key. A line is the row itself, its members in their order under the
 * names by which the statement defines them, with two behind it:
 *
 *   {"f:id":"crm:7",...,"f:updated_at":null,"@sure":1,"@at":"a@b.c"}
 *
 * A query around this one could name the members as they are called, but an old server takes five times as long for it where the table is Distributed.
 */
export class RowReader {
  readonly #members: readonly Member[];
  #lines: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The rows, one behind the other: none is longer than its line. */
  #rows: Buffer = Buffer.alloc(0);
  #end = 0;

  constructor(fields: readonly string[], columns: Pick<TableColumns, 'isList'>) {
    this.#members = fields.map((field, nth) => ({ called: Buffer.from(`${nth === 0 ? '{' : ','}"${field}":`), isList: columns.isList(field) }));
  }

  /** `phase`: what all of them share. */
  found(lines: Buffer, phase: { readonly at: number; readonly keyClass: number }): FoundRow[] {
    const rows: FoundRow[] = [];
    this.#begin(lines);
    while (this.#hasLine()) {
      const json = this.#row();
      const sure = this.#lines[this.#pass(SURE_MEMBER)] === YES;
      this.#at += 1;
      rows.push({ json, phase: phase.at, key: this.#key(), keyClass: phase.keyClass, sure });
      this.#endLine();
    }
    return rows;
  }

  /** Of lines with no more than that. */
  texts(lines: Buffer): string[] {
    const rows: string[] = [];
    this.#begin(lines);
    while (this.#hasLine()) {
      rows.push(this.#row().toString());
      this.#endLine();
    }
    return rows;
  }

  /** The server lets bytes through that are no UTF-8. */
  #begin(lines: Buffer): void {
    this.#lines = isUtf8(lines) ? lines : Buffer.from(lines.toString());
    this.#at = 0;
    this.#rows = Buffer.allocUnsafeSlow(this.#lines.length);
    this.#end = 0;
  }

  #hasLine(): boolean {
    while (this.#lines[this.#at] === NEWLINE) this.#at += 1;
    return this.#at < this.#lines.length;
  }

  /** Looked at and copied in one go, in plain loops: a call for each value costs as much as 100 of its bytes. */
  #row(): Buffer {
    const lines = this.#lines;
    const rows = this.#rows;
    const start = this.#end;
    let at = this.#at;
    let to = start;
    for (const { called, isList } of this.#members) {
      for (let nth = 0; nth < called.length; nth++) {
        if (nth === BEFORE_MARK && (lines[at++] !== MARK || lines[at++] !== MARK_END)) throw otherMembers();
        const sign = called[nth]!;
        if (lines[at++] !== sign) throw otherMembers();
        rows[to++] = sign;
      }
      if (isList && lines[at] === LIST && lines[at + 1] === LIST_END) {
        at += 2;
        for (let nth = 0; nth < NULL.length; nth++) rows[to++] = NULL[nth]!;
        continue;
      }
      // A text, a number, null, or a list of texts.
      for (let isInList = false; at < lines.length;) {
        const sign = lines[at]!;
        if (!isInList && (sign === COMMA || sign === END)) break;
        rows[to++] = sign;
        at += 1;
        if (sign === QUOTE) {
          for (let letter = lines[at++]!; ; letter = lines[at++]!) {
            rows[to++] = letter;
            if (letter === QUOTE || at >= lines.length) break;
            if (letter === ESCAPE) rows[to++] = lines[at++]!;
          }
        } else if (sign === LIST) isInList = true;
        else if (sign === LIST_END) isInList = false;
      }
    }
    rows[to++] = END;
    this.#at = at;
    this.#end = to;
    return rows.subarray(start, to);
  }

  #key(): string {
    const start = this.#pass(AT_MEMBER);
    const lines = this.#lines;
    let at = start;
    let isPlain = true;
    for (; at < lines.length && lines[at] !== QUOTE; at++) {
      if (lines[at] !== ESCAPE) continue;
      isPlain = false;
      at += 1;
    }
    this.#at = at + 1;
    const key = lines.toString('utf8', start, at);
    return isPlain ? key : JSON.parse(`"${key}"`) as string;
  }

  /** Passes over what must stand here, and tells where it ends. */
  #pass(member: Buffer): number {
    for (let nth = 0; nth < member.length; nth++) if (this.#lines[this.#at++] !== member[nth]) throw otherMembers();
    return this.#at;
  }

  #endLine(): void {
    if (this.#lines[this.#at++] !== END) throw otherMembers();
  }
}

function otherMembers(): SourceFailure {
  return new SourceFailure('malformed', 'a row has other members than were asked for');
}
