import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { chunkOfCompact } from '../../src/federation/compact_chunk.ts';
import { chunkOfRun } from '../../src/federation/run.ts';
import type { Chunk } from '../../src/model/chunk.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { storeRows } from '../support/stored_rows.ts';
import { storedText } from '../support/stored_row.ts';

const SEED = Number(process.env['LDS_FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const WORDS = vocabulary('contacts', []);
const lineOf = (at: number, bytes: number): string => `${storedText(WORDS, 'test', { id: `test:${at}`, full_name: 'Zoë', seniority: 'vp', headline: 'h'.repeat(bytes) })}\n`;

function chunks(lines: readonly string[]): { readonly all: Chunk; apart(rows: readonly number[]): Chunk } {
  const { bytes, stencils, starts } = storeRows(WORDS, lines.map((line) => line.slice(0, -1)), 'compact');
  const front = Buffer.from('what stands before ');
  const stored = new Uint8Array(Buffer.concat([front, bytes]));
  const place = (row: number): number => front.length + starts[row]!;
  return {
    all: chunkOfCompact(chunkOfRun(stored, lines.length, { start: place(0), end: place(lines.length) - 1, mark: 7 }), stencils!),
    apart: (rows) => chunkOfCompact({ bytes: stored, rows: rows.length, start: rows.map(place), end: rows.map((row) => place(row + 1) - 1), markAt: (row) => rows[row]!, identity: null }, stencils!),
  };
}

/** The texts of [first, end) as they come, each no longer than asked, but for a row alone. */
function appended(chunk: Chunk, first: number, end: number, bytesMax: number): string {
  const sink = new ByteSink();
  let text = '';
  for (let row = first; row < end;) {
    const next = chunk.appendTo!(sink, row, end, bytesMax);
    assert.ok(next > row && next <= end);
    assert.ok(sink.length <= bytesMax || next === row + 1, `${sink.length} bytes of ${next - row} rows`);
    text += Buffer.from(sink.view()).toString();
    sink.reset();
    row = next;
  }
  return text;
}

const LINES = Array.from({ length: 3_000 }, (_, at) => lineOf(at, (at * 131) % 700));

describe('a chunk of compact rows', () => {
  it('gives the text of its rows piece by piece, any part of them, again and again', () => {
    const { all, apart } = chunks(LINES);
    fc.assert(fc.property(fc.nat(LINES.length), fc.nat(LINES.length), fc.integer({ min: 1, max: 2_000_000 }), fc.boolean(), (a, b, bytesMax, whole) => {
      const [first, end] = [Math.min(a, b), Math.max(a, b)];
      if (whole) assert.equal(appended(all, first, end, bytesMax), LINES.slice(first, end).join(''));
      const rows = LINES.map((_, row) => row).filter((row) => row >= first && row < end && row % 5 !== 2);
      assert.equal(appended(apart(rows), 0, rows.length, bytesMax), rows.map((row) => LINES[row]!).join(''));
    }), { seed: SEED, numRuns: 60 });
  });

  it('gives rows that are longer than the desk, alone', () => {
    const lines = [lineOf(1, 10), lineOf(2, 2 * LIMITS.expandScratchBytes), lineOf(3, LIMITS.expandWindowBytes + 10), lineOf(4, 0)];
    const { all, apart } = chunks(lines);
    for (const bytesMax of [1, 5_000, LIMITS.streamPieceBytes]) {
      assert.equal(appended(all, 0, 4, bytesMax), lines.join(''));
      assert.equal(appended(apart([1, 2, 0, 3]), 0, 4, bytesMax), [lines[1], lines[2], lines[0], lines[3]].join(''));
    }
    assert.equal(Buffer.from(all.bytes).toString(), lines.join(''));
  });

  it('is as any other chunk to who looks at its rows, also amid', () => {
    const { all, apart } = chunks(LINES.slice(0, 50));
    const sink = new ByteSink();
    assert.equal(all.appendTo!(sink, 0, 20, 1_000_000), 20);
    for (const [chunk, marks] of [[all, (row: number) => 7 + row], [apart([3, 9, 8]), (row: number) => [3, 9, 8][row]!]] as const) {
      for (let row = 0; row < chunk.rows; row++) {
        assert.equal(Buffer.from(chunk.bytes.subarray(chunk.start[row]!, chunk.end[row]! + 1)).toString(), LINES[chunk === all ? row : marks(row)]);
        assert.equal(chunk.markAt(row), marks(row));
      }
    }
    assert.equal(appended(all, 20, 50, 1_000), LINES.slice(20, 50).join(''));
  });

  it('whose rows are damaged says so, and writes nothing of another length than they have', () => {
    const { bytes, stencils } = storeRows(WORDS, LINES.slice(0, 40).map((line) => line.slice(0, -1)), 'compact');
    let refused = 0;
    fc.assert(fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = new Uint8Array(bytes);
      damaged[at]! ^= change;
      const sink = new ByteSink();
      try {
        for (let row = 0; row < 40;) row = chunkOfCompact(chunkOfRun(damaged, 40, { start: 0, end: damaged.length - 1, mark: 0 }), stencils!).appendTo!(sink, row, 40, 1_000_000);
      } catch (error) {
        assert.match((error as Error).message, /does not stand as rows are stored/);
        refused++;
      }
    }), { seed: SEED, numRuns: 500 });
    assert.ok(refused > 10, `${refused} were refused`);
  });
});
