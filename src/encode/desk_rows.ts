import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../config/limits.ts';
import type { Chunk } from '../model/chunk.ts';
import { threadExpander, type Expander, type Room } from '../segment/expander.ts';
import { viewOf } from '../segment/row_bytes.ts';
import { DESK_ROWS_MODULE } from './desk_rows_module.ts';
import { MergeTable } from './merge_table.ts';
import type { RowLayout } from './row_layout.ts';
import { runEnd, type RowOut, type RowShape } from './rows.ts';

const OPEN = 0x7b;
const COMMA = 0x2c;
const CLOSE = 0x7d;
const NEWLINE = 0x0a;
/** Stands behind each row that was brought: no row holds it, nor those of others that a disk may give in the midst of one. */
export const LINE_END = 0x01;

/**
 * How the label of a field lies on the desk: its bytes, with the brace or the comma before it, and as many ones. Behind the room for those of as many fields as a row may have it is
 * told where each label of a row stands.
 *
 *   0           16                      96                    176
 *   ┌───────────┬───────────────────────┬─────────────────────┐
 *   │ i32 bytes │ ,"company_name":      │ ff ff ... ff 00 ... │
 *   └───────────┴───────────────────────┴─────────────────────┘
 */
const LABEL = { bytes: 0, text: 16, mask: 96, room: 176 } as const;
const LABEL_BYTES_MAX = LABEL.mask - LABEL.text;
const SPANS_AT = LABEL.room * LIMITS.rowFieldsMax;

/** What is made elsewhere than where the rows stand: no place of it is 0. */
const MADE_AT = 64;

/** `last`: the separator, or up to where there is room. */
type Make = (from: number, most: number, label: number, labelEnd: number, spans: number, low: number, high: number, to: number, last: number) => number;

type Word = WebAssembly.Global<'i32'>;

/** See `desk_rows.wat`. */
type DeskModule = { readonly cut: Make; readonly pack: Make; readonly csv: Make; readonly merge: Make; readonly rows: Word; readonly lineEnd: Word; readonly separator: Word; readonly sources: Word };

/** What rows are in an answer: members of a list in JSON, maps of MessagePack, or lines of CSV. */
export type AnswerRows = 'json' | 'msgpack' | 'csv';
/** Or lines of a stream. */
type DeskForm = AnswerRows | 'lines';

type Some = { readonly first: number; readonly end: number };

/** What was made of the first `rows`; lent until the desk is used again. */
type DeskText = { readonly bytes: Uint8Array; readonly rows: number };

type Cut = Pick<RowShape, 'layout' | 'places'>;

/** So many from a place on; `lineEnd`: the byte that stands behind each. */
type Lines = { readonly lines: number; readonly lineEnd: number; readonly from: number };

const NOTHING: DeskText = { bytes: new Uint8Array(0), rows: 0 };

/**
 * Makes of rows what leaves the service, some two million a second, of their text on the scratch of a desk, a line each. It ends before the first that does not stand as this service writes rows,
 * has not all of the fields, or could not be made of its bytes alone: that is for those who look closer.
 */
class DeskRows {
  readonly desk: Expander;
  readonly #module: DeskModule;
  readonly #table: MergeTable;
  /** Whose labels lie on the desk. */
  #layout: RowLayout | null = null;

  constructor(desk: Expander) {
    this.desk = desk;
    this.#table = new MergeTable(desk);
    const module = new WebAssembly.Module(Buffer.from(DESK_ROWS_MODULE, 'base64'));
    this.#module = new WebAssembly.Instance(module, { desk: { memory: desk.memory } }).exports as DeskModule;
  }

  /** Has rows of a chunk stand on the scratch; says how many there is room for. Neighbours are copied in one go. */
  bringChunk({ bytes, start, end: ends }: Chunk, first: number, end: number): number {
    const { bytes: into, scratch } = this.desk;
    let at = scratch.at;
    let row = first;
    while (row < end) {
      const from = start[row]!;
      const room = scratch.end - at;
      let next = runEnd({ start, end: ends }, row, { end, bytesMax: room });
      if (ends[next - 1]! + 1 - from > room) next -= 1;
      if (next === row) break;
      const length = ends[next - 1]! + 1 - from;
      into.fill(viewOf(bytes, from, from + length), at, at + length);
      for (; row < next; row++) into[at + ends[row]! - from] = LINE_END;
      at += length;
    }
    return row - first;
  }

  /** The same of rows before `end`, none of which is filled or has its sources told anew. */
  bringRows(rows: readonly RowOut[], first: number, end: number): number {
    const { bytes: into, scratch } = this.desk;
    // Whoever asks for compact rows may have them spelled on the scratch: before any other stands there.
    for (let row = first; row < end; row++) void rows[row]!.chunk.bytes;
    let at = scratch.at;
    let next = first;
    for (; next < end; next++) {
      const { chunk: { bytes, start, end: ends }, row } = rows[next]!;
      const from = start[row]!;
      const length = ends[row]! - from;
      if (length >= scratch.end - at) break;
      into.fill(viewOf(bytes, from, from + length), at, at + length);
      at += length;
      into[at++] = LINE_END;
    }
    this.desk.end = at;
    return next - first;
  }

  /** Of so many lines: cut down to some fields, a separator behind each. */
  cut(shape: RowShape, lines: number, separator: number, lineEnd: number = LINE_END): DeskText {
    const { at } = this.desk.scratch;
    return this.#make(this.#module.cut, shape, { lines, lineEnd, from: at }, at, separator);
  }

  /** Of so many lines, up to where the text on the scratch ends: as they leave in an answer of that form. In JSON a comma stands behind each. */
  made(form: DeskForm, shape: RowShape, lines: number): DeskText {
    const stored = { lines, lineEnd: LINE_END, from: this.desk.scratch.at };
    switch (form) {
      case 'json': return this.cut(shape, lines, COMMA);
      case 'lines': return this.cut(shape, lines, NEWLINE);
      case 'msgpack': return this.#makeApart(this.#module.pack, shape, stored, { at: MADE_AT, end: LIMITS.expandWindowBytes });
      case 'csv': return this.#makeApart(this.#module.csv, shape, stored, { at: MADE_AT, end: LIMITS.expandWindowBytes });
      default: return form satisfies never;
    }
  }

  /** The same of rows of which some are filled, or have their sources told anew. What is to be taken apart is put together whole before that. */
  merged(form: DeskForm, rows: readonly RowOut[], some: Some, shape: RowShape): DeskText {
    switch (form) {
      case 'json': return this.#merge(rows, some, shape, { whole: shape.wanted === null, separator: COMMA });
      case 'lines': return this.#merge(rows, some, shape, { whole: shape.wanted === null, separator: NEWLINE });
      case 'msgpack': return this.#mergeApart(this.#module.pack, rows, some, shape);
      case 'csv': return this.#mergeApart(this.#module.csv, rows, some, shape);
      default: return form satisfies never;
    }
  }

  /** `whole`: rows that nobody fills leave as they stand. */
  #merge(rows: readonly RowOut[], some: Some, { layout, places }: Cut, { whole, separator }: { readonly whole: boolean; readonly separator: number }): DeskText {
    const lines = this.#table.bring(rows, some, whole);
    this.#module.separator.value = separator;
    this.#module.sources.value = layout.place('sources');
    return this.#make(this.#module.merge, { layout, places }, { lines, lineEnd: NEWLINE, from: this.desk.scratch.at }, MADE_AT, LIMITS.expandWindowBytes);
  }

  #mergeApart(make: Make, rows: readonly RowOut[], some: Some, shape: RowShape): DeskText {
    const { layout } = shape;
    const whole = this.#merge(rows, some, { layout, places: layout.places }, { whole: true, separator: LINE_END });
    this.desk.end = MADE_AT + whole.bytes.length;
    return this.#makeApart(make, shape, { lines: whole.rows, lineEnd: LINE_END, from: MADE_AT }, this.desk.scratch);
  }

  /** Of texts as they are: whoever takes them apart puts a sign of its own where what has rotted is no UTF-8, of which a strict reader would refuse the whole answer. */
  #makeApart(make: Make, shape: RowShape, lines: Lines, { at, end }: Room): DeskText {
    return isUtf8(this.desk.bytes.subarray(lines.from, this.desk.end)) ? this.#make(make, shape, lines, at, end) : NOTHING;
  }

  #make(make: Make, { layout, places }: Cut, { lines, lineEnd, from }: Lines, to: number, last: number): DeskText {
    if (lines === 0 || places.length === 0) return NOTHING;
    if (this.#layout !== layout) this.#lay(layout);
    const { bytes, labels: { at: labels } } = this.desk;
    let [low, high] = [0, 0];
    for (const place of places) {
      if (place < 32) low |= 1 << place;
      else high |= 1 << (place - 32);
    }
    this.#module.lineEnd.value = CLOSE | (lineEnd << 8);
    try {
      const end = make(from, lines, labels, labels + LABEL.room * layout.names.length, labels + SPANS_AT, low, high, to, last);
      return { bytes: bytes.subarray(to, end), rows: this.#module.rows.value };
    } catch (error) {
      // Of what has rotted it may look for the end beyond the memory.
      if (error instanceof WebAssembly.RuntimeError) return NOTHING;
      throw error;
    }
  }

  #lay(layout: RowLayout): void {
    const { bytes, labels: { at: first } } = this.desk;
    for (const [place, label] of layout.labels.entries()) {
      const at = first + LABEL.room * place;
      const length = label.length + 1;
      if (length > LABEL_BYTES_MAX) throw new Error(`a name of ${length} bytes`);
      bytes.fill(0, at, at + LABEL.room);
      bytes.writeInt32LE(length, at + LABEL.bytes);
      bytes[at + LABEL.text] = place === 0 ? OPEN : COMMA;
      bytes.set(label, at + LABEL.text + 1);
      bytes.fill(0xff, at + LABEL.mask, at + LABEL.mask + length);
    }
    this.#layout = layout;
  }
}

let shared: DeskRows | null | undefined;

/** Of the thread's desk; null where the system has no room for one. */
export function threadDeskRows(): DeskRows | null {
  if (shared === undefined) {
    const desk = threadExpander();
    shared = desk === null ? null : new DeskRows(desk);
  }
  return shared;
}

/** Rows that are brought to the desk at a time: those behind one that cannot be made there are so for nothing. */
let reach = 1;

/** Rows from `first` on and before `end`, some of those that can be made on the desk of the thread; in JSON with a comma behind each. None where the first cannot. */
export function rowsOnDesk(form: DeskForm, rows: readonly RowOut[], { first, end }: Some, shape: RowShape): DeskText {
  const onDesk = threadDeskRows();
  if (onDesk === null) return NOTHING;
  const last = Math.min(end, first + reach);
  const asked = last - first;
  const made = isMerged(rows, first, last) ? onDesk.merged(form, rows, { first, end: last }, shape) : onDesk.made(form, shape, onDesk.bringRows(rows, first, last));
  if (made.rows === asked) reach = Math.max(reach, 2 * asked);
  else if (2 * made.rows < asked) reach = 1;
  return made;
}

function isMerged(rows: readonly RowOut[], first: number, end: number): boolean {
  for (let at = first; at < end; at++) if (rows[at]!.fill !== null || rows[at]!.sources !== null) return true;
  return false;
}
