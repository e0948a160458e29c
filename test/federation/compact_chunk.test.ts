import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { chunkOfCompact } from '../../src/federation/compact_chunk.ts';
import { chunkOfRun } from '../../src/federation/run.ts';
import type { Chunk } from '../../src/model/chunk.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { SEED } from '../support/seed.ts';
import { storeRows } from '../support/stored_rows.ts';
import { storedText } from '../support/stored_row.ts';

const WORDS = vocabulary('contacts', []);
const SOUND = { broke: (detail: string): void => assert.fail(detail) };
const lineOf = (at: number, bytes: number): string => `${storedText(WORDS, 'test', { id: `test:${at}`, full_name: 'Zoë', seniority: 'vp', headline: 'h'.repeat(bytes) })}\n`;

function chunks(lines: readonly string[]): { readonly all: Chunk; apart(rows: readonly number[]): Chunk } {
  const { bytes, stencils, starts } = storeRows(WORDS, lines.map((line) => line.slice(0, -1)), 'compact');
  const front = Buffer.from('what stands before ');
  const stored = new Uint8Array(Buffer.concat([front, bytes]));
  const place = (row: number): number => front.length + starts[row]!;
  return {
    all: chunkOfCompact(chunkOfRun(stored, { rows: lines.length, start: place(0), end: place(lines.length) - 1, mark: 7 }), stencils!, SOUND),
    apart: (rows) => {
      const [start, end] = [rows.map(place), rows.map((row) => place(row + 1) - 1)];
      return chunkOfCompact({ bytes: stored, rows: rows.length, start, end, markAt: (row) => rows[row]!, identity: null }, stencils!, SOUND);
    },
  };
}

/** The texts of [first, end) as they come, each no longer than a piece, but for a row alone. */
function spelled(chunk: Chunk, first: number, end: number): string {
  let text = '';
  for (let row = first; row < end;) {
    const { bytes, next } = chunk.spell!(row, end);
    assert.ok(next > row && next <= end);
    assert.ok(bytes.length <= LIMITS.streamPieceBytes || next === row + 1, `${bytes.length} bytes of ${next - row} rows`);
    text += Buffer.from(bytes).toString();
    row = next;
  }
  return text;
}

const LINES = Array.from({ length: 3_000 }, (_, at) => lineOf(at, (at * 131) % 700));

describe('a chunk of compact rows', () => {
  it('gives the text of its rows piece by piece, any part of them, again and again', () => {
    const { all, apart } = chunks(LINES);
    fc.assert(fc.property(fc.nat(LINES.length), fc.nat(LINES.length), fc.boolean(), (a, b, whole) => {
      const [first, end] = [Math.min(a, b), Math.max(a, b)];
      if (whole) assert.equal(spelled(all, first, end), LINES.slice(first, end).join(''));
      const rows = LINES.map((_, row) => row).filter((row) => row >= first && row < end && row % 5 !== 2);
      assert.equal(spelled(apart(rows), 0, rows.length), rows.map((row) => LINES[row]!).join(''));
    }), { seed: SEED, numRuns: 60 });
  });

  it('gives rows that are longer than the desk, alone', () => {
    const lines = [lineOf(1, 10), lineOf(2, 2 * LIMITS.expandScratchBytes), lineOf(3, LIMITS.expandWindowBytes + 10), lineOf(4, 0)];
    const { all, apart } = chunks(lines);
    assert.equal(spelled(all, 0, 4), lines.join(''));
    assert.equal(spelled(apart([1, 2, 0, 3]), 0, 4), [lines[1], lines[2], lines[0], lines[3]].join(''));
    assert.equal(Buffer.from(all.bytes).toString(), lines.join(''));
  });

  it('fills a piece, of rows one behind the other and apart', () => {
    const { all, apart } = chunks(LINES);
    const scattered = apart(LINES.map((_, row) => row).filter((row) => row % 2 === 0));
    for (const { bytes } of [all.spell!(0, all.rows), scattered.spell!(0, scattered.rows)]) {
      assert.ok(bytes.length > LIMITS.streamPieceBytes - 2 * LIMITS.expandSpareBytes, `${bytes.length} bytes`);
    }
  });

  it('is as any other chunk to who looks at its rows, also amid', () => {
    const { all, apart } = chunks(LINES.slice(0, 50));
    assert.equal(all.spell!(0, 20).next, 20);
    for (const [chunk, marks] of [[all, (row: number) => 7 + row], [apart([3, 9, 8]), (row: number) => [3, 9, 8][row]!]] as const) {
      for (let row = 0; row < chunk.rows; row++) {
        assert.equal(Buffer.from(chunk.bytes.subarray(chunk.start[row]!, chunk.end[row]! + 1)).toString(), LINES[chunk === all ? row : marks(row)]);
        assert.equal(chunk.markAt(row), marks(row));
      }
    }
    assert.equal(spelled(all, 20, 50), LINES.slice(20, 50).join(''));
  });

  it('whose rows are damaged says so, and writes nothing of another length than they have', () => {
    const { bytes, stencils } = storeRows(WORDS, LINES.slice(0, 40).map((line) => line.slice(0, -1)), 'compact');
    let broken = 0;
    fc.assert(fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, change, looked) => {
      const damaged = new Uint8Array(bytes);
      damaged[at]! ^= change;
      const told: string[] = [];
      const chunk = chunkOfCompact(chunkOfRun(damaged, { rows: 40, start: 0, end: damaged.length - 1, mark: 0 }), stencils!, { broke: (detail) => told.push(detail) });
      const isSound = looked ? chunk.isSound!() : null;
      let row = 0;
      for (let next = chunk.spell!(0, 40).next; next > row; next = row < 40 ? chunk.spell!(row, 40).next : row) row = next;
      assert.equal(chunk.isSound!(), row === 40);
      if (looked) assert.equal(isSound, row === 40);
      assert.equal(told.length, row === 40 ? 0 : 1);
      if (row === 40) return;
      assert.match(told[0]!, /does not stand as rows are stored/);
      broken++;
    }), { seed: SEED, numRuns: 500 });
    assert.ok(broken > 10, `${broken} were broken`);
  });
});
