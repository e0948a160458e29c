import { quoted } from '../lib/json_text.ts';
import type { FindAnswer } from '../model/answer.ts';
import type { Outcome } from '../model/outcome.ts';
import type { ByteSink } from './byte_sink.ts';
import { runLength, type RowOut, type RowShape } from './rows.ts';

const COMMA = 0x2c;

/** The whole answer of a page: `{"results":[...],"total":...}`. The rows are copied, never parsed. */
export function encodeJson(sink: ByteSink, rows: readonly RowOut[], shape: RowShape, answer: FindAnswer): void {
  sink.text('{"results":[');
  appendResults(sink, rows, shape);
  sink.text(`],${answerMembers(answer)}`);
}

/** Rows that lie one after the other in a segment are copied at once, and their line ends made commas. */
function appendResults(sink: ByteSink, rows: readonly RowOut[], shape: RowShape): void {
  for (let at = 0; at < rows.length;) {
    if (at > 0) sink.byte(COMMA);
    const first = rows[at]!;
    const count = runLength(rows, at, shape);
    if (count === 1) shape.append(sink, first);
    else appendRun(sink, first, rows[at + count - 1]!.row);
    at += count;
  }
}

function appendRun(sink: ByteSink, { chunk: { bytes, start, end }, row }: RowOut, last: number): void {
  const shift = sink.length - start[row]!;
  sink.bytes(bytes, start[row], end[last]);
  for (let each = row; each < last; each++) sink.patch(end[each]! + shift, COMMA);
}

/** `JSON.stringify(answer)` less its first brace, put together by hand: a page has one, and the walk over its objects costs 4 us. */
export function answerMembers(answer: FindAnswer): string {
  const { total, warnings, errors, type, returned, next_cursor, total_relation, partial, took_ms, request_id, facets, client_ref, sources } = answer;
  return `"total":${total},"warnings":${list(warnings)},"errors":${list(errors)},"type":"${type}","returned":${returned},"next_cursor":${quoted(next_cursor)}`
    + `,"total_relation":"${total_relation}","partial":${partial},"took_ms":${took_ms},"request_id":${quoted(request_id)}`
    + `,"facets":${facets === null ? 'null' : JSON.stringify(facets)},"client_ref":${quoted(client_ref)},"sources":[${sources.map(outcomeText).join()}]}`;
}

function outcomeText({ source, status, reason, returned, matched, took_ms, filters: { pushed, residual, unsupported } }: Outcome): string {
  return `{"source":${quoted(source)},"status":"${status}","reason":${quoted(reason)},"returned":${returned},"matched":${matched},"took_ms":${took_ms}`
    + `,"filters":{"pushed":${list(pushed)},"residual":${list(residual)},"unsupported":${list(unsupported)}}}`;
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? '[]' : `[${texts.map(quoted).join()}]`;
}
