import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inLeaf, orPart, partOf, type Leaf } from '../../src/filter/leaf.ts';
import { anyOf } from '../../src/filter/union.ts';
import { windowOf } from '../../src/filter/windows.ts';
import { hasBit } from '../../src/lib/bits.ts';
import { BLOCK_ROWS, BLOCK_WORDS } from '../../src/segment/layout.ts';

/** Rows [from, to) of one block. */
type Rows = { readonly from: number; readonly to: number };

const ROWS = 7 * BLOCK_ROWS + 3_000;

/** Every row that leaves a rest of `rest`. */
function rowsLeaf(every: number, rest: number): Leaf {
  return { form: 'rows', rows: Uint32Array.from({ length: Math.floor((ROWS - rest - 1) / every) + 1 }, (_, at) => at * every + rest) };
}

const windowIn = (from: number, to: number): fc.Arbitrary<Rows> => fc.tuple(fc.integer({ min: from, max: to - 1 }), fc.nat(BLOCK_ROWS))
  .map(([row, length]) => ({ from: row, to: Math.min(to, ((row >>> 16) + 1) * BLOCK_ROWS, row + length + 1) }));
const spans = fc.tuple(fc.nat(ROWS - 2), fc.nat(ROWS)).map(([from, length]) => ({ from, to: Math.min(ROWS, from + length + 2) }));

test('many lists are one, in whatever order its windows are asked for', () => {
  const seen = { long: 0, short: 0 };
  const asked = spans.chain((span) => fc.tuple(fc.constant(span), fc.array(windowIn(span.from, span.to), { minLength: 1, maxLength: 8 })));
  fc.assert(fc.property(asked, fc.integer({ min: 60, max: 900 }), ([span, windows], every) => {
    const rests = Array.from({ length: 12 }, (_, at) => at * 5);
    const { leaves } = anyOf(rests.map((rest) => rowsLeaf(every, rest)), { span, negated: false, disjoint: true, coded: null });
    const [only] = leaves;
    if (leaves.length > 1 || only === undefined) return;
    seen[only.form === 'bits' && only.join !== null ? 'long' : 'short']++;
    for (const { from, to } of windows) {
      const window = windowOf(from, to);
      const words = new Int32Array(BLOCK_WORDS);
      orPart(partOf(only, window), window, words);
      for (let row = from; row < to; row += 1 + (row % 7)) {
        const isIn = rests.includes(row % every);
        assert.equal(hasBit(words, row % BLOCK_ROWS), isIn, `row ${row}`);
        if (row % 1_000 === 0) assert.equal(inLeaf(only, row), isIn, `row ${row} alone`);
      }
    }
  }), { numRuns: 40 });
  assert.ok(seen.long > 0 && seen.short > 0, 'some are joined at once, some block by block');
});
