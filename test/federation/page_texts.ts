import { Packr } from 'msgpackr';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { cellOf, joinCsv, writeCsv } from '../../src/encode/csv.ts';
import type { AnswerRows } from '../../src/encode/desk_rows.ts';
import { encodeJson, encodeTexts, writeResults } from '../../src/encode/json.ts';
import { encodeMsgpack, joinPacked, packRows } from '../../src/encode/msgpack.ts';
import { RowShape, rowLayout } from '../../src/encode/rows.ts';
import { federatePage } from '../../src/federation/page.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { releasePage } from '../../src/find/find.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { FindAnswer } from '../../src/model/answer.ts';
import type { Row } from '../../src/model/field.ts';
import type { Query } from '../../src/model/query.ts';
import type { Position } from '../../src/plan/plan.ts';
import type { BatchReply, PageForm, ScanBatch, ScanReply, ScanRequest } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import type { BatchRunner } from '../../src/pool/threads.ts';
import { callOver, compareKeys, MEMORY_VOCABULARY, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { ScriptedRunner } from '../support/runners.ts';

export const laneOf = (segment: string, rows = 11, source = 'crm'): MemoryLane => ({
  source, segment, priority: source === 'crm' ? 0 : 1,
  rows: Array.from({ length: rows }, (_, i) => ({ id: `${source}:${i}`, keyClass: 2, key: `${segment}:${i}`, phone: i % 2 === 0 ? null : '+1' })).sort(compareKeys),
});
export const LANE = laneOf('crm.0');
export const LANES = [LANE, laneOf('crm.1')];
const PACKR = new Packr({ useRecords: false, variableMapSize: true });
const LAYOUT = rowLayout(MEMORY_VOCABULARY);
const ANSWER: FindAnswer = {
  total: 3, warnings: ['ünwell'], errors: [], type: 'contacts', returned: 3, next_cursor: null, total_relation: 'eq', partial: false, took_ms: 1,
  request_id: 'r', facets: null, client_ref: null, sources: [],
};

/** Gives pages as text, as a thread does, with `room` before and behind them, and counts what is still held. */
export class Texts {
  held = 0;
  readonly asked: boolean[] = [];
  readonly #room: number;
  readonly #scan: (batch: ScanBatch) => BatchReply;

  constructor(sliceRows: number, room: number, lanes: readonly MemoryLane[] = LANES) {
    this.#room = room;
    this.#scan = scanMemory(lanes, sliceRows);
  }

  answer(batch: ScanBatch): BatchReply {
    const reply = this.#scan(batch);
    return { ...reply, replies: reply.replies.map((one, at) => this.#asText(one, batch.scans[at]!)) };
  }

  #asText(reply: ScanReply, { form, fields }: ScanRequest): ScanReply {
    this.asked.push(form !== 'rows');
    if (form === 'rows' || !reply.ok || reply.rows === 0) return reply;
    const rows = Buffer.from(reply.bytes!).toString().trimEnd().split('\n');
    const text = MADE[form](rows, fields);
    const bytes = Buffer.alloc(2 * this.#room + text.length, '#');
    bytes.set(text, this.#room);
    this.held += 1;
    let isHeld = true;
    const release = (): void => {
      if (isHeld) this.held -= 1;
      isHeld = false;
    };
    return { ...reply, table: new Float64Array(), bytes: null, text: { bytes, start: this.#room, end: this.#room + text.length, release } };
  }
}

/** Rows as they leave, by way of their values. */
const MADE: Readonly<Record<AnswerRows, (rows: readonly string[], fields: readonly string[] | null) => Buffer>> = {
  json: (rows, fields) => Buffer.from(rows.map((row) => (fields === null ? row : JSON.stringify(JSON.parse(row), [...fields]))).join()),
  msgpack: (rows, fields) => Buffer.concat(rows.map((row) => PACKR.pack(JSON.parse(MADE.json([row], fields).toString())))),
  csv: (rows, fields) => Buffer.from(rows.map((text) => {
    const row = JSON.parse(text) as Row;
    return `${(fields ?? LAYOUT.names).map((name) => cellOf([row[name] ?? ''].flat().join('; '))).join()}\r\n`;
  }).join('')),
};

type Asked = {
  readonly texts: Texts; readonly change?: Partial<Query>; readonly form?: PageForm; readonly lanes?: readonly MemoryLane[];
  readonly act?: (batch: ScanBatch, pool: ScanPool) => Promise<BatchReply>; readonly inMs?: number; readonly suppressed?: ReadonlySet<string>;
  readonly dedupe?: boolean; readonly from?: Position | null;
};

/** To which some rows are suppressed by their ids. */
class SuppressingPool extends ScanPool {
  readonly #ids: ReadonlySet<unknown>;

  constructor(ids: ReadonlySet<unknown>, runner: BatchRunner) {
    super(runner);
    this.#ids = ids;
  }

  override isSuppressed({ id }: Row): boolean { return this.#ids.has(id); }
}

export async function pageOf({ texts, change = {}, form = 'json', lanes = [LANE], act, inMs = 5_000, suppressed = new Set(), dedupe = false, from = null }: Asked): Promise<Page> {
  const pool: ScanPool = new SuppressingPool(suppressed, new ScriptedRunner(1, (batch) => (act === undefined ? Promise.resolve(texts.answer(batch)) : act(batch, pool))));
  const page = await federatePage(planOver(lanes, dedupe, from), queryOf(change), callOver(pool, pool.lease()!, monotonicMs() + inMs), form);
  await pool.close();
  return page;
}

export async function bodyOf(page: Page, fields: readonly string[] | null = null, form: AnswerRows = 'json'): Promise<string> {
  const sink = new ByteSink();
  const { texts, rows, returned } = page;
  const shape = new RowShape(LAYOUT, fields);
  if (texts === null) await { json: writeResults, msgpack: packRows, csv: writeCsv }[form](sink, rows, shape);
  else if (form === 'csv') joinCsv(sink, texts, shape);
  else if (form === 'msgpack') joinPacked(sink, texts);
  const body = form === 'csv' ? sink.view() : form === 'msgpack' ? encodeMsgpack(sink, returned, ANSWER) : texts === null ? encodeJson(sink, ANSWER) : encodeTexts(sink, texts, ANSWER);
  const text = Buffer.from(body).toString(form === 'msgpack' ? 'latin1' : 'utf8');
  releasePage(page);
  return text;
}

export const said = ({ outcomes, total, relation, next, returned, partial }: Page): unknown => ({
  outcomes: outcomes.map(({ status, returned: rows, matched }) => [status, rows, matched]), total, relation, next, returned, partial,
});
