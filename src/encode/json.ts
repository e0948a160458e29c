import { LIMITS } from '../config/limits.ts';
import { quoted } from '../lib/json_text.ts';
import { hundredths, hundredthsText } from '../lib/rounding.ts';
import type { FindAnswer } from '../model/answer.ts';
import type { Outcome } from '../model/outcome.ts';
import { inBlocks } from './blocks.ts';
import type { ByteSink } from './byte_sink.ts';
import { appendNext } from './next_rows.ts';
import type { RowOut, RowShape, RowsText } from './rows.ts';

const COMMA = 0x2c;
/** Of one UTF-16 unit. */
const UTF8_BYTES_MAX = 3;

const HEAD = Buffer.from('{"results":[');

/**
 * The rows of a page, `{"results":[...`, for `encodeJson` to end; copied, never parsed. Lets others run between blocks of rows: a thousand that can only be filled
 * one by one take 30 ms. So it ends behind the first block that is written after `untilMs`, and where the rows are so long that they are too many bytes. Gives how many
 * were written.
 */
export function writeResults(sink: ByteSink, rows: readonly RowOut[], shape: RowShape, untilMs = Infinity): Promise<number> {
  sink.bytes(HEAD);
  return inBlocks(rows.length, untilMs, { make: (first) => appendBlock(sink, rows, first, shape), isFull: () => sink.length >= LIMITS.answerBytesMax });
}

/** The whole answer of a page: `{"results":[...],"total":...}`. */
export function encodeJson(sink: ByteSink, answer: FindAnswer): Uint8Array {
  sink.text(`],${answerMembers(answer)}`);
  return sink.view();
}

/** The same of rows that are text already: one that has room for the rest of the answer stays where it is. */
export function encodeTexts(sink: ByteSink, texts: readonly RowsText[], answer: FindAnswer): Uint8Array {
  const tail = `],${answerMembers(answer)}`;
  const only = texts.length === 1 ? texts[0]! : null;
  if (only !== null && only.start >= HEAD.length && only.bytes.length - only.end >= UTF8_BYTES_MAX * tail.length) {
    const { bytes, end } = only;
    const start = only.start - HEAD.length;
    // So few bytes are sooner written one by one.
    for (let at = 0; at < HEAD.length; at += 1) bytes[start + at] = HEAD[at]!;
    return bytes.subarray(start, end + bytes.write(tail, end));
  }
  sink.bytes(HEAD);
  texts.forEach(({ bytes, start, end }, at) => {
    if (at > 0) sink.byte(COMMA);
    sink.bytes(bytes, start, end);
  });
  sink.text(tail);
  return sink.view();
}

/** Rows from `at` on, until so many are written that it is time to look at the clock, or too long; gives the next. */
function appendBlock(sink: ByteSink, rows: readonly RowOut[], at: number, shape: RowShape): number {
  const end = Math.min(rows.length, at + LIMITS.rowsWrittenUntimed);
  let next = at;
  while (next < end && sink.length < LIMITS.answerBytesMax) {
    if (next > 0) sink.byte(COMMA);
    next += appendNext(sink, rows, { at: next, end }, shape, 'json');
  }
  return next;
}

/**
 * `JSON.stringify(answer)` less its first brace, put together by hand: a page has one, and the walk over its objects costs 4 us. Cursors and our own
 * ids are letters, digits and dashes alone.
 */
export function answerMembers(answer: FindAnswer): string {
  const { total, warnings, errors, type, returned, next_cursor, total_relation, partial, took_ms, request_id, facets, client_ref, sources } = answer;
  return `"total":${total},"warnings":${list(warnings)},"errors":${list(errors)},"type":"${type}","returned":${returned},"next_cursor":${next_cursor === null ? 'null' : `"${next_cursor}"`}`
    + `,"total_relation":"${total_relation}","partial":${partial},"took_ms":${timeText(took_ms)},"request_id":"${request_id}"`
    + `,"facets":${facets === null ? 'null' : JSON.stringify(facets)},"client_ref":${quoted(client_ref)},"sources":[${joined(sources, outcomeText)}]}`;
}

/** Of a time that is rounded already, as all in an answer are. */
function timeText(ms: number): string {
  return hundredths(ms) === ms ? hundredthsText(ms) : JSON.stringify(ms);
}

function outcomeText({ source, status, reason, returned, matched, took_ms, filters: { pushed, residual, unsupported } }: Outcome): string {
  return `{"source":${quoted(source)},"status":"${status}","reason":${quoted(reason)},"returned":${returned},"matched":${matched},"took_ms":${timeText(took_ms)}`
    + `,"filters":{"pushed":${list(pushed)},"residual":${list(residual)},"unsupported":${list(unsupported)}}}`;
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? '[]' : `[${joined(texts, quoted)}]`;
}

/** Each with a comma before the next: a list of the texts, joined, costs more than they do. */
function joined<T>(values: readonly T[], textOf: (value: T) => string): string {
  let text = '';
  for (let at = 0; at < values.length; at += 1) text += at === 0 ? textOf(values[at]!) : `,${textOf(values[at]!)}`;
  return text;
}
