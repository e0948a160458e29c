import { LIMITS } from '../../src/config/limits.ts';
import type { BatchReply, ScanBatch, ScanReply, ScanRequest } from '../../src/pool/protocol.ts';
import type { SearchCall } from '../../src/federation/lane_reader.ts';
import type { Query } from '../../src/model/query.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { CancelLease } from '../../src/pool/cancel.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import type { Plan, Position } from '../../src/plan/plan.ts';
import { ScriptedRunner } from './runners.ts';

/** A row as the merge sees it. `keyClass` 2 is a row of its own. */
export type MemoryRow = { readonly id: string; readonly keyClass: number; readonly key: string; readonly phone: string | null };
/** As far as the plan knows: with `stay` its rows are not copied, with `large` they are so many that each scan of them counts its own. With `run` a scan tells that they lie one behind the other. */
export type MemoryLane = {
  readonly source: string; readonly segment: string; readonly priority: number; readonly rows: readonly MemoryRow[]; readonly stay?: true; readonly large?: boolean; readonly run?: true;
};

const utf8 = new TextEncoder();
export const MEMORY_VOCABULARY = vocabulary('contacts');

/** Answers scans over rows in memory by the rules of `pool/protocol`: the marks are places in the order of identity. */
export function scanMemory(all: readonly MemoryLane[], sliceRows: number): (batch: ScanBatch) => BatchReply {
  const lanes = new Map(all.map((lane) => [lane.segment, lane]));
  return (batch) => ({ thread: 1, epoch: batch.epoch, replies: batch.scans.map((request) => ({ ...scanLane(lanes.get(request.segment)!, request, sliceRows), beside: countBeside(lanes, request) })) });
}

/** A pool that answers so at once. */
export function memoryPool(lanes: readonly MemoryLane[], sliceRows: number, threads = 1): ScanPool {
  const answer = scanMemory(lanes, sliceRows);
  return new ScanPool(new ScriptedRunner(threads, (batch) => Promise.resolve(answer(batch))));
}

/** As a thread does it: now and then one of them needs a scan of its own. */
function countBeside(lanes: ReadonlyMap<string, MemoryLane>, { beside, deadlineMs }: ScanRequest): readonly number[] | null {
  return beside.length === 0 || Math.floor(deadlineMs) % 3 === 0 ? null : beside.map((segment) => lanes.get(segment)!.rows.length);
}

function scanLane({ source, rows, run }: MemoryLane, request: ScanRequest, sliceRows: number): ScanReply {
  const from = request.after + 1;
  const to = Math.min(rows.length, from + Math.min(request.rowsMax, sliceRows));
  const columns: number[][] = Array.from({ length: request.order === 'identity' ? 6 : 3 }, () => []);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (let mark = from; mark < to; mark += 1) {
    const { id, keyClass, key, phone } = rows[mark]!;
    const before = utf8.encode(`{"id":${JSON.stringify(id)},"source":${JSON.stringify(source)},"sources":[${JSON.stringify(source)}],"phone":${JSON.stringify(phone)},"key":"`);
    const keyBytes = utf8.encode(key);
    const line = [before, keyBytes, utf8.encode('"}\n')];
    parts.push(...line);
    const length = line.reduce((sum, part) => sum + part.length, 0);
    const told = [at, at + length - 1, mark, keyClass, at + before.length, at + before.length + keyBytes.length];
    columns.forEach((column, nth) => column.push(told[nth]!));
    at += length;
  }
  const table = run === true && request.order === 'stored' && to > from ? runTable(columns, to - from) : Float64Array.from(columns.flat());
  return {
    ok: true, rows: Math.max(0, to - from), table, bytes: new Uint8Array(Buffer.concat(parts)),
    stop: to >= rows.length ? 'end' : 'full', after: Math.max(request.after, to - 1),
    text: null, tally: 'done', heldBy: null, matched: request.count ? rows.length : null, facets: null, beside: null, tookMs: 0.1,
  };
}

function runTable([starts, ends, marks]: readonly (readonly number[])[], rows: number): Float64Array {
  const parts = Array.from({ length: Math.ceil(rows / LIMITS.runPartRows) }, (_, part) => ends![Math.min(rows, (part + 1) * LIMITS.runPartRows) - 1]!);
  return Float64Array.of(starts![0]!, ...parts, marks![0]!);
}

export function compareKeys(a: MemoryRow, b: MemoryRow): number {
  return a.keyClass - b.keyClass || Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) || (a.id < b.id ? -1 : 1);
}

/** The plan over memory lanes, as the planner would make it. */
export function planOver(lanes: readonly MemoryLane[], dedupe: boolean, from: Position | null = null): Plan {
  const positions = new Map(from?.lanes.map((lane) => [lane.segment, lane]));
  const sources = [...new Set(lanes.map(({ source }) => source))];
  return {
    order: dedupe && sources.length > 1 ? 'identity' : 'stored',
    dedupe: dedupe && sources.length > 1,
    fromStart: from === null,
    sources: sources.map((name) => ({ name, filters: { pushed: [], residual: [], unsupported: [] }, skip: null, given: false })),
    lanes: lanes.map(({ source, segment, priority, rows, stay, large }) => ({
      kind: 'lake' as const, source, snapshot: '1', priority,
      segment: { id: segment, mount: segment, rows: large === true ? 1e6 : rows.length, countries: {}, rowBytes: stay === true ? new Uint8Array() : null, stencils: null },
      after: Number(positions.get(segment)?.after ?? -1),
      done: positions.get(segment)?.done ?? false,
    })),
    reads: [],
    held: [],
    warnings: [],
  };
}

export function queryOf(change: Partial<Query>): Query {
  return {
    type: 'contacts', terms: [], filters: [], fields: null, only: null, ignore: [], limit: 25, cursor: null, timeoutMs: 2_000, dedupe: true,
    count: 'exact', facets: [], strict: false, clientRef: null, delivery: 'page', ...change,
  };
}

/** What a call over lakes alone runs on. */
export function callOver(pool: ScanPool, lease: CancelLease, deadlineMs: number): SearchCall {
  return { pool, lease, deadlineMs, vocabulary: MEMORY_VOCABULARY, foreign: { gateway: 'test', scan: (source) => { throw new Error(`${source} is no lake`); } }, onGone: () => {} };
}
