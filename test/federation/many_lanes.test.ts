import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LaneEnd, LaneReader } from '../../src/federation/lane_reader.ts';
import { IdentityMerge } from '../../src/federation/merge.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Chunk } from '../../src/model/chunk.ts';
import { MEMORY_VOCABULARY, planOver, queryOf, type MemoryRow } from '../support/memory_lanes.ts';

const SLICE_ROWS = 64;
const utf8 = new TextEncoder();

/** `counted` is told each time that two identities are compared. */
function chunkOf(rows: readonly MemoryRow[], counted: () => void): Chunk {
  const starts = [0];
  for (const { key } of rows) starts.push(starts.at(-1)! + key.length);
  const [start, end] = [starts.slice(0, -1), starts.slice(1)];
  const classes = new Proxy(rows.map(({ keyClass }) => keyClass), {
    get: (all, at, own) => {
      counted();
      return Reflect.get(all, at, own) as unknown;
    },
  });
  return { bytes: utf8.encode(rows.map(({ key }) => key).join('')), rows: rows.length, start, end, markAt: (row) => row, identity: { class: classes, start, end } };
}

/** Merges `lanes` lanes of two sources, each of which has every identity of its own `times` times; gives the keys that came, and the comparisons for each row that was read. */
async function merged(lanes: number, times: number, rowsEach: number): Promise<{ readonly keys: readonly string[]; readonly comparisons: number }> {
  let looks = 0;
  const half = lanes / 2;
  const memory = Array.from({ length: lanes }, (_, nth) => ({
    source: nth < half ? 'crm' : 'web', segment: String(nth), priority: nth < half ? 0 : 1,
    rows: Array.from({ length: rowsEach }, (_, at): MemoryRow => ({ id: `${nth}:${at}`, keyClass: 0, key: String(Math.floor(at / times) * half + (nth % half)).padStart(6, '0'), phone: null })),
  }));
  const readers = planOver(memory, true).lanes.map((lane, nth) => {
    const { rows } = memory[nth]!;
    let given = 0;
    const reader = {
      lane, ended: null as LaneEnd | null,
      next: () => {
        const own = rows.slice(given, given + SLICE_ROWS);
        given += own.length;
        if (given === rows.length) reader.ended = 'end';
        return Promise.resolve(own.length === 0 ? null : chunkOf(own, () => { looks += 1; }));
      },
    };
    return reader as unknown as LaneReader;
  });
  const merge = new IdentityMerge(readers, { query: queryOf({ delivery: 'stream' }), vocabulary: MEMORY_VOCABULARY, deadlineMs: monotonicMs() + 60_000 }, SLICE_ROWS);
  const keys: string[] = [];
  for (;;) {
    const rows = await merge.take(512, Infinity);
    if (rows.length === 0) break;
    for (const { chunk: { bytes, start, end }, row } of rows) keys.push(Buffer.from(bytes.subarray(start[row]!, end[row]!)).toString());
  }
  return { keys, comparisons: looks / 2 / (lanes * rowsEach) };
}

describe('a merge of many lanes', () => {
  it('compares few identities for each row, whether one lane has it, or several, once or more often', async () => {
    const [lanes, rowsEach] = [128, 60];
    for (const times of [1, 2, 3, 60]) {
      const { keys, comparisons } = await merged(lanes, times, rowsEach);
      assert.deepEqual([keys.length, keys], [lanes / 2 * rowsEach, keys.toSorted()]);
      assert.ok(comparisons < 3 * Math.log2(lanes), `${times}: ${comparisons} comparisons a row`);
    }
  });
});
