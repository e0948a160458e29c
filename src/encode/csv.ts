import { LIMITS } from '../config/limits.ts';
import type { FindAnswer } from '../model/answer.ts';
import { inBlocks } from './blocks.ts';
import { ByteSink } from './byte_sink.ts';
import { rowsOnDesk } from './desk_rows.ts';
import type { RowOut, RowShape, RowsText } from './rows.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const LETTER_N = 0x6e;
const LINE_END = new TextEncoder().encode('\r\n');

/** What a spreadsheet may run: a sign that begins a formula, full width too, whatever blanks stand before it; and the blanks that hide one. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;
const NEEDS_QUOTES = /[",\r\n]/;
const UTF8 = new TextDecoder();

/** What the members of the answer that a caller of CSV needs are called as headers. */
export function csvHeaders(answer: FindAnswer): readonly (readonly [name: string, value: string])[] {
  const headers: [string, string][] = [['X-Total', String(answer.total)], ['X-Partial', String(answer.partial)]];
  if (answer.next_cursor !== null) headers.push(['X-Next-Cursor', answer.next_cursor]);
  return headers;
}

/**
 * RFC 4180 with a header row; lists are joined by `; `, null is empty. Lets others run between blocks of rows, of which those that can only be made one by one take 10 us each and, where others
 * are at work, many times that. So it ends behind the first block that is made after `untilMs`, and where the rows are so long that they are too many bytes. Gives how many were written.
 */
export function writeCsv(sink: ByteSink, rows: readonly RowOut[], shape: RowShape, untilMs = Infinity): Promise<number> {
  const table = new CsvTable(shape);
  table.appendHeader(sink);
  return inBlocks(rows.length, untilMs, { make: (first) => table.appendBlock(sink, rows, first), isFull: () => sink.length >= LIMITS.answerBytesMax });
}

/** The same of rows that are lines already. */
export function joinCsv(sink: ByteSink, texts: readonly RowsText[], shape: RowShape): void {
  new CsvTable(shape).appendHeader(sink);
  for (const { bytes, start, end } of texts) sink.bytes(bytes, start, end);
}

/** Of this thread: each row leaves it before another is filled. */
const FILLED = new ByteSink(LIMITS.sinkBytesMax, LIMITS.rowSinkBytes);

class CsvTable {
  readonly #shape: RowShape;
  readonly #places: readonly number[];

  constructor(shape: RowShape) {
    this.#shape = shape;
    this.#places = shape.places;
  }

  /** No name of a field needs quotes. */
  appendHeader(sink: ByteSink): void {
    sink.text(this.#places.map((place) => this.#shape.layout.names[place]).join());
    sink.bytes(LINE_END);
  }

  /** As many as an answer has room for; gives the next. Many at a time on the desk, and where one can only be told by who reads it, by itself. */
  appendBlock(sink: ByteSink, rows: readonly RowOut[], first: number): number {
    const end = Math.min(rows.length, first + LIMITS.csvRowsUntimed);
    let next = first;
    while (next < end && sink.length < LIMITS.answerBytesMax) {
      const made = rowsOnDesk('csv', rows, { first: next, end }, this.#shape);
      if (made.rows > 0) sink.bytes(made.bytes);
      else this.#appendRow(sink, rows[next]!);
      next += Math.max(1, made.rows);
    }
    return next;
  }

  #appendRow(sink: ByteSink, row: RowOut): void {
    const bytes = this.#locate(row);
    const spans = this.#shape.layout.scratch;
    let first = true;
    for (const place of this.#places) {
      if (!first) sink.byte(COMMA);
      first = false;
      const from = spans[2 * place]!;
      if (from !== -1 && bytes[from] !== LETTER_N) appendCell(sink, bytes, from, spans[2 * place + 1]!);
    }
    sink.bytes(LINE_END);
  }

  /** Finds the values where the row lies, or in its filled form; where they stand is in the scratch of the layout. */
  #locate(out: RowOut): Uint8Array {
    const { layout } = this.#shape;
    if (out.fill === null && out.sources === null) {
      const { chunk, row } = out;
      layout.locate(chunk.bytes, chunk.start[row]!, chunk.end[row]!, layout.scratch);
      return chunk.bytes;
    }
    FILLED.reset();
    this.#shape.append(FILLED, out);
    const filled = FILLED.view();
    layout.locate(filled, 0, filled.length, layout.scratch);
    return filled;
  }
}

/** A value of a row's JSON as a cell. Texts that need nothing are copied; numbers are no formulas, whatever their sign. */
function appendCell(sink: ByteSink, bytes: Uint8Array, from: number, to: number): void {
  const first = bytes[from];
  if (first === QUOTE) {
    if (isPlain(bytes, from + 1, to - 1)) sink.bytes(bytes, from + 1, to - 1);
    else sink.text(cellOf(JSON.parse(UTF8.decode(bytes.slice(from, to)))));
  } else if (first === OPEN_ARRAY) {
    const list: readonly string[] = JSON.parse(UTF8.decode(bytes.slice(from, to)));
    sink.text(cellOf(list.join('; ')));
  } else {
    sink.bytes(bytes, from, to);
  }
}

/** Begins with an ASCII letter or digit and holds no comma and no escape: then it is its own cell. */
function isPlain(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === to) return true;
  const first = bytes[from]!;
  if (first < 0x30 || first > 0x7a || first === 0x3d || first === 0x40) return false;
  for (let at = from; at < to; at++) if (bytes[at] === COMMA || bytes[at] === BACKSLASH) return false;
  return true;
}

export function cellOf(text: string): string {
  if (FORMULA.test(text)) return `"'${text.replaceAll('"', '""')}"`;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
