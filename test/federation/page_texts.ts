import { ByteSink } from '../../src/encode/byte_sink.ts';
import { encodeJson, encodeTexts, writeResults } from '../../src/encode/json.ts';
import { RowShape, rowLayout } from '../../src/encode/rows.ts';
import { federatePage, type PageForm } from '../../src/federation/page.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { releasePage } from '../../src/find/find.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { FindAnswer } from '../../src/model/answer.ts';
import type { Row } from '../../src/model/field.ts';
import type { Query } from '../../src/model/query.ts';
import type { Position } from '../../src/plan/plan.ts';
import type { BatchReply, ScanBatch, ScanReply, ScanRequest } from '../../src/pool/protocol.ts';
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

  #asText(reply: ScanReply, { text: wanted, fields }: ScanRequest): ScanReply {
    this.asked.push(wanted);
    if (!wanted || !reply.ok || reply.rows === 0) return reply;
    const rows = Buffer.from(reply.bytes!).toString().trimEnd().split('\n');
    const text = fields === null ? rows.join() : rows.map((row) => JSON.stringify(JSON.parse(row), [...fields])).join();
    const bytes = Buffer.alloc(2 * this.#room + text.length, '#');
    bytes.write(text, this.#room);
    this.held += 1;
    let isHeld = true;
    const release = (): void => {
      if (isHeld) this.held -= 1;
      isHeld = false;
    };
    return { ...reply, table: new Float64Array(), bytes: null, text: { bytes, start: this.#room, end: this.#room + text.length, release } };
  }
}

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

export async function pageOf({ texts, change = {}, form = 'text', lanes = [LANE], act, inMs = 5_000, suppressed = new Set(), dedupe = false, from = null }: Asked): Promise<Page> {
  const pool: ScanPool = new SuppressingPool(suppressed, new ScriptedRunner(1, (batch) => (act === undefined ? Promise.resolve(texts.answer(batch)) : act(batch, pool))));
  const page = await federatePage(planOver(lanes, dedupe, from), queryOf(change), callOver(pool, pool.lease()!, monotonicMs() + inMs), form);
  await pool.close();
  return page;
}

export async function bodyOf(page: Page, fields: readonly string[] | null = null): Promise<string> {
  const sink = new ByteSink();
  const shape = new RowShape(rowLayout(MEMORY_VOCABULARY), fields);
  if (page.texts === null) await writeResults(sink, page.rows, shape);
  const body = page.texts === null ? encodeJson(sink, ANSWER) : encodeTexts(sink, page.texts, ANSWER);
  const text = Buffer.from(body).toString();
  releasePage(page);
  return text;
}

export const said = ({ outcomes, total, relation, next, returned, partial }: Page): unknown => ({
  outcomes: outcomes.map(({ status, returned: rows, matched }) => [status, rows, matched]), total, relation, next, returned, partial,
});
