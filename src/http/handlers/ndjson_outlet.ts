import type { Denial } from '../../accounts/denial.ts';
import { LIMITS } from '../../config/limits.ts';
import { ByteSink } from '../../encode/byte_sink.ts';
import { cutRows } from '../../encode/cut_rows.ts';
import { appendLine, appendLines, controlLine, type ControlLine } from '../../encode/ndjson.ts';
import { isOfBrokenRow } from '../../encode/row_layout.ts';
import { runEnd, runOf, type RowOut, type RowShape } from '../../encode/rows.ts';
import type { StreamOutlet } from '../../find/late_outlet.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { nextTurn, turnIsOver } from '../../lib/turns.ts';
import type { Chunk, SpelledRows } from '../../model/chunk.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { Call } from '../call.ts';
import { problemOf } from '../problem.ts';

const HEARTBEAT = new TextEncoder().encode('{"@heartbeat":{}}\n');

type Going = { readonly count: number; readonly mayGo: () => boolean };

const NEWLINE = 0x0a;

/** Where a piece of rows ends that begins at `at`: behind a row, or, where one is longer than a piece, behind that. */
function pieceEnd(run: Uint8Array, at: number, bytesMax: number): number {
  if (run.length - at <= bytesMax) return run.length;
  const behind = Buffer.from(run.buffer, run.byteOffset + at, bytesMax).lastIndexOf(NEWLINE) + 1;
  if (behind > 0) return at + behind;
  const end = run.indexOf(NEWLINE, at + bytesMax) + 1;
  return end === 0 ? run.length : end;
}

/** How many of the first rows of a chunk end before `place`. */
function rowsBefore({ end }: Chunk, place: number, count: number): number {
  let rows = 0;
  while (rows < count && end[rows]! < place) rows++;
  return rows;
}

/** Writes what a stream delivers as lines, as fast as its reader takes them, and a heartbeat where nothing comes for long. */
export class NdjsonOutlet implements StreamOutlet {
  rowsSent = 0;
  /** Time spent waiting for the reader. */
  deliverMs = 0;
  readonly #call: Call;
  readonly #shape: RowShape;
  readonly #key: { readonly revoked: boolean };
  readonly #sink = new ByteSink();
  #heart: NodeJS.Timeout;
  #lastMs = monotonicMs();
  /** The heartbeat under way: an exchange takes one write at a time. */
  #beating: Promise<void> | null = null;
  #writing = false;
  /** Of the next piece: what a slow reader has before him when the stream is to end comes to him before its last line does. */
  #pieceBytes: number = LIMITS.streamPieceBytes;
  /** Of text, of the rows that were spelled last. */
  #rowBytes = 0;
  /** Rows that the units reserved so far pay for. */
  #paid = LIMITS.unitRows;

  constructor(call: Call, shape: RowShape, key: { readonly revoked: boolean }) {
    this.#call = call;
    this.#shape = shape;
    this.#key = key;
    this.#heart = setTimeout(() => this.#beat(), LIMITS.heartbeatMs);
    call.exchange.onGone(() => clearTimeout(this.#heart));
  }

  /** What has come and waits for a slow reader is not for one whose key is revoked meanwhile. */
  get gone(): boolean { return this.#key.revoked || !this.#call.exchange.live; }

  /** Neighbours are copied in one go; where all are, none is copied: they go out from where they are stored. */
  chunk(chunk: Chunk, count: number, mayGo: () => boolean): Promise<number> {
    if (!this.#shape.copies({ chunk, row: 0, fill: null, sources: null })) return this.#cut(chunk, { count, mayGo });
    if (chunk.spell !== undefined) return this.#made((first, end) => chunk.spell!(first, end), { count, mayGo });
    const run = runOf(chunk, count);
    return run === null ? this.#gathered(chunk, { count, mayGo }) : this.#inPlace(chunk, run, { count, mayGo });
  }

  /** In pieces of whole rows: a slow reader takes minutes for all, and what he has not got by then may have to stay. */
  async #inPlace(chunk: Chunk, run: Uint8Array, { count, mayGo }: Going): Promise<number> {
    const before = this.rowsSent;
    this.rowsSent += count;
    for (let at = 0; at < run.length;) {
      const end = pieceEnd(run, at, this.#pieceBytes);
      await this.#write(run.subarray(at, end));
      at = end;
      if (at === run.length || mayGo()) continue;
      const sent = rowsBefore(chunk, chunk.start[0]! + at, count);
      this.rowsSent = before + sent;
      return sent;
    }
    return count;
  }

  async #gathered(chunk: Chunk, { count, mayGo }: Going): Promise<number> {
    const { bytes, start, end } = chunk;
    for (let row = 0; row < count;) {
      const sent = row;
      const bytesMax = Math.min(this.#pieceBytes, LIMITS.streamGatheredBytes);
      while (row < count && this.#sink.length < bytesMax) {
        const next = runEnd(chunk, row, { end: count, bytesMax: bytesMax - this.#sink.length });
        this.#sink.bytes(bytes, start[row]!, end[next - 1]! + 1);
        row = next;
      }
      await this.#flush(row - sent);
      if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
      if (row < count && !mayGo()) return row;
    }
    return count;
  }

  async #cut(chunk: Chunk, going: Going): Promise<number> {
    const cut = await this.#made((first, end) => cutRows(chunk, { first, end }, this.#shape), going);
    if (cut === going.count || (cut > 0 && !going.mayGo()) || chunk.isSound?.() === false) return cut;
    return this.#cutClosely(chunk, cut, going);
  }

  /** Row by row, from `first` on, up to one that is broken. */
  async #cutClosely(chunk: Chunk, first: number, { count, mayGo }: Going): Promise<number> {
    for (let row = first, sent = first; row < count;) {
      try {
        appendLine(this.#sink, { chunk, row, fill: null, sources: null }, this.#shape);
      } catch (error) {
        if (!isOfBrokenRow(error)) throw error;
        if (row > sent) await this.#flush(row - sent);
        return row;
      }
      row += 1;
      if (row % LIMITS.streamRowsUntimed === 0 && turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
      if (row < count && this.#sink.length < Math.min(this.#pieceBytes, LIMITS.streamGatheredBytes)) continue;
      await this.#flush(row - sent);
      sent = row;
      if (row < count && !mayGo()) return row;
    }
    return count;
  }

  /** Rows whose text is made here, a piece at a time, and handed over before anybody else makes some. Gives where none could be made. */
  async #made(make: (first: number, end: number) => SpelledRows, { count, mayGo }: Going): Promise<number> {
    for (let row = 0; row < count;) {
      if (this.#beating !== null) await this.#beating;
      const isFast = this.#pieceBytes === LIMITS.streamPieceBytes;
      const { bytes, next } = make(row, isFast ? count : Math.min(count, row + Math.ceil(this.#pieceBytes / this.#rowBytes)));
      if (next === row) return row;
      this.#rowBytes = bytes.length / (next - row);
      this.rowsSent += next - row;
      await this.#handOver(bytes, true);
      row = next;
      // Of few fields the connection takes those of many rows at once.
      if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
      if (row < count && !mayGo()) return row;
    }
    return count;
  }

  async rows(rows: readonly RowOut[]): Promise<void> {
    try {
      for (let at = 0, timed = 0; at < rows.length;) {
        at += appendLines(this.#sink, rows, at, this.#shape);
        if (at < timed) continue;
        timed = at + LIMITS.streamRowsUntimed;
        if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
      }
    } catch (error) {
      this.#sink.reset();
      throw error;
    }
    await this.#flush(rows.length);
  }

  sourceEnded(outcome: Outcome): Promise<void> { return this.#line({ '@source': outcome }); }
  cursor(cursor: string): Promise<void> { return this.#line({ '@cursor': cursor }); }

  /** Reserves at once what these rows need beyond what is paid for; only shared caps have to be waited for. */
  afford(rows: number): number | Promise<number> {
    const units = Math.ceil((this.rowsSent + rows - this.#paid) / LIMITS.unitRows);
    if (units <= 0) return rows;
    const denial = this.#call.permit!.reserveMore(units);
    return denial instanceof Promise ? denial.then((verdict) => this.#afforded(rows, units, verdict)) : this.#afforded(rows, units, denial);
  }

  /** Where the budget ends within the rows, it is used to its last unit. */
  #afforded(rows: number, units: number, denial: Denial | null): number | Promise<number> {
    const paidRows = this.#paid - this.rowsSent;
    if (denial !== null) return units > 1 ? this.afford(paidRows + (units - 1) * LIMITS.unitRows) : paidRows;
    this.#paid += units * LIMITS.unitRows;
    return rows;
  }

  async last(line: ControlLine): Promise<void> {
    clearTimeout(this.#heart);
    await this.#line(line);
    this.#call.rows = this.rowsSent;
    this.#call.exchange.end();
  }

  fail(error: unknown): Promise<void> {
    const { code, detail } = problemOf(error);
    this.#call.error = code;
    return this.last({ '@error': { error: code, detail, request_id: this.#call.requestId } });
  }

  async #flush(rows: number): Promise<void> {
    this.rowsSent += rows;
    await this.#write(this.#sink.view());
    this.#sink.reset();
  }

  #line(line: ControlLine): Promise<void> {
    return this.#write(controlLine(line));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#beating !== null) await this.#beating;
    await this.#handOver(bytes, false);
  }

  /** While no heartbeat is under way. Bytes that are lent are another's when this returns. */
  async #handOver(bytes: Uint8Array, lent: boolean): Promise<void> {
    const { exchange } = this.#call;
    this.#writing = true;
    this.#call.bytes += bytes.byteLength;
    const begunMs = monotonicMs();
    await (lent ? exchange.writeLent(bytes) : exchange.write(bytes));
    this.#lastMs = monotonicMs();
    const tookMs = this.#lastMs - begunMs;
    this.deliverMs += tookMs;
    this.#pieceBytes = tookMs > LIMITS.streamSlowMs ? LIMITS.streamSlowPieceBytes : Math.min(2 * this.#pieceBytes, LIMITS.streamPieceBytes);
    this.#writing = false;
  }

  /** Looks when the silence since the latest line would be over, and again from there: no row has to move a timer. */
  #beat(): void {
    if (this.gone) return;
    const leftMs = this.#lastMs + LIMITS.heartbeatMs - monotonicMs();
    this.#heart = setTimeout(() => this.#beat(), leftMs > 0 ? leftMs : LIMITS.heartbeatMs);
    if (leftMs > 0 || this.#writing || this.#beating !== null) return;
    this.#lastMs = monotonicMs();
    this.#beating = this.#call.exchange.write(HEARTBEAT).finally(() => { this.#beating = null; });
  }
}
