import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../config/limits.ts';
import type { Chunk } from '../model/chunk.ts';
import { threadExpander, type Expander } from '../segment/expander.ts';
import { viewOf } from '../segment/row_bytes.ts';
import { DESK_ROWS_MODULE } from './desk_rows_module.ts';
import type { RowLayout } from './row_layout.ts';
import { runEnd, type RowOut, type RowShape } from './rows.ts';

const OPEN = 0x7b;
const COMMA = 0x2c;
const CLOSE = 0x7d;
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

/** See `desk_rows.wat`. */
type DeskModule = { readonly cut: Make; readonly pack: Make; readonly csv: Make; readonly rows: WebAssembly.Global<'i32'>; readonly lineEnd: WebAssembly.Global<'i32'> };

/** What rows are in an answer: members of a list in JSON, maps of MessagePack, or lines of CSV. */
export type AnswerRows = 'json' | 'msgpack' | 'csv';

/** What was made of the first `rows`; lent until the desk is used again. */
type DeskText = { readonly bytes: Uint8Array; readonly rows: number };

const NOTHING: DeskText = { bytes: new Uint8Array(0), rows: 0 };

/**
 * Makes of rows what leaves the service, some two million a second, of their text on the scratch of a desk, a line each. It ends before the first that does not stand as this service writes rows,
 * has not all of the fields, or could not be made of its bytes alone: that is for those who look closer.
 */
class DeskRows {
  readonly desk: Expander;
  readonly #module: DeskModule;
  /** Whose labels lie on the desk. */
  #layout: RowLayout | null = null;

  constructor(desk: Expander) {
    this.desk = desk;
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

  /** The same of rows before `end` up to one that is filled, or whose sources are told anew. */
  bringRows(rows: readonly RowOut[], first: number, end: number): number {
    const { bytes: into, scratch } = this.desk;
    // Whoever asks for compact rows may have them spelled on the scratch: before any other stands there.
    for (let row = first; row < end; row++) void rows[row]!.chunk.bytes;
    let at = scratch.at;
    let next = first;
    for (; next < end; next++) {
      const { chunk: { bytes, start, end: ends }, row, fill, sources } = rows[next]!;
      const from = start[row]!;
      const length = ends[row]! - from;
      if (fill !== null || sources !== null || length >= scratch.end - at) break;
      into.fill(viewOf(bytes, from, from + length), at, at + length);
      at += length;
      into[at++] = LINE_END;
    }
    this.desk.end = at;
    return next - first;
  }

  /** Of so many lines: cut down to some fields, a separator behind each. */
  cut(shape: RowShape, lines: number, separator: number, lineEnd: number = LINE_END): DeskText {
    return this.#make(this.#module.cut, shape, { lines, lineEnd }, this.desk.scratch.at, separator);
  }

  /** Of so many lines, up to where the text on the scratch ends: as they leave in an answer of that form. In JSON a comma stands behind each. */
  made(form: AnswerRows, shape: RowShape, lines: number): DeskText {
    switch (form) {
      case 'json': return this.cut(shape, lines, COMMA);
      case 'msgpack': return this.#makeApart(this.#module.pack, shape, lines);
      case 'csv': return this.#makeApart(this.#module.csv, shape, lines);
      default: return form satisfies never;
    }
  }

  /** Of texts as they are: whoever takes them apart puts a sign of its own where what has rotted is no UTF-8, of which a strict reader would refuse the whole answer. */
  #makeApart(make: Make, shape: RowShape, lines: number): DeskText {
    const { bytes, scratch } = this.desk;
    return isUtf8(bytes.subarray(scratch.at, this.desk.end)) ? this.#make(make, shape, { lines, lineEnd: LINE_END }, MADE_AT, LIMITS.expandWindowBytes) : NOTHING;
  }

  #make(make: Make, { layout, places }: RowShape, { lines, lineEnd }: { readonly lines: number; readonly lineEnd: number }, to: number, last: number): DeskText {
    if (lines === 0 || places.length === 0) return NOTHING;
    if (this.#layout !== layout) this.#lay(layout);
    const { bytes, scratch, labels: { at: labels } } = this.desk;
    let [low, high] = [0, 0];
    for (const place of places) {
      if (place < 32) low |= 1 << place;
      else high |= 1 << (place - 32);
    }
    this.#module.lineEnd.value = CLOSE | (lineEnd << 8);
    try {
      const end = make(scratch.at, lines, labels, labels + LABEL.room * layout.names.length, labels + SPANS_AT, low, high, to, last);
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
export function rowsOnDesk(form: AnswerRows, rows: readonly RowOut[], { first, end }: { readonly first: number; readonly end: number }, shape: RowShape): DeskText {
  const onDesk = threadDeskRows();
  if (onDesk === null) return NOTHING;
  const lines = onDesk.bringRows(rows, first, Math.min(end, first + reach));
  const made = onDesk.made(form, shape, lines);
  reach = lines > 0 && made.rows === lines ? Math.max(reach, 2 * lines) : 1;
  return made;
}
