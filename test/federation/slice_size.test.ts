import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { SliceSize } from '../../src/federation/slice_size.ts';

const STREAM = { inPlace: true, merged: false, streams: true };
const { cursorRowsEvery: wanted, runRowsMax, runBytesMax, runTakenMsMax, chunkInPlaceBytes, chunkInPlaceBytesMax, sliceMs } = LIMITS;

/** What is asked for behind slices that each came so many ms after the one before, when as many rows are wanted as lie between cursors, of a million. */
function askedBehind(slices: readonly (readonly [tookMs: number, isRun: boolean, afterMs: number])[], way = STREAM): [rows: number, bytes: number] {
  const size = new SliceSize(way);
  let nowMs = 5_000;
  for (const [tookMs, isRun, afterMs] of slices) size.came(tookMs, isRun, nowMs += afterMs);
  return [size.rows(wanted, 1_000_000), size.bytes];
}

const many = <T>(slice: T): T[] => Array.from({ length: 9 }, () => slice);

test('a slice of a stream is longer than what is wanted behind rows that lie one behind the other, were cheap, and were soon taken', () => {
  assert.deepEqual(askedBehind([]), [wanted, chunkInPlaceBytes]);
  assert.deepEqual(askedBehind([[0, true, 0]]), [wanted, 2 * chunkInPlaceBytes], 'of the first nobody knows how soon it is taken');
  assert.deepEqual(askedBehind([[0, true, 0], [0, true, 1]]), [runRowsMax, 4 * chunkInPlaceBytes]);
  assert.deepEqual(askedBehind(many([0, true, runTakenMsMax - 1])), [runRowsMax, runBytesMax]);
  const quick = many([0, true, 1] as const);
  assert.deepEqual(askedBehind([...quick, [0, true, runTakenMsMax]]), [wanted, chunkInPlaceBytesMax], 'a slow reader');
  assert.deepEqual(askedBehind([...quick, [0, false, 1]]), [wanted, chunkInPlaceBytesMax], 'rows apart');
  assert.deepEqual(askedBehind([...quick, [sliceMs, true, 1]]), [wanted, chunkInPlaceBytes], 'dear ones');
});

test('a slice is never longer than what is wanted of a page, of rows that are copied, and of such as are merged, nor than what is left', () => {
  const quick = many([0, true, 1] as const);
  assert.deepEqual(askedBehind(quick, { ...STREAM, streams: false }), [wanted, chunkInPlaceBytesMax]);
  assert.deepEqual(askedBehind(quick, { ...STREAM, inPlace: false }), [wanted, LIMITS.chunkBytes]);
  assert.equal(askedBehind(quick, { ...STREAM, merged: true })[0], Math.min(wanted, LIMITS.groupRowsMax));
  const size = new SliceSize(STREAM);
  for (const [tookMs, isRun, nowMs] of quick) size.came(tookMs, isRun, nowMs);
  assert.deepEqual([17_000, 400, 0].map((left) => size.rows(wanted, left)), [17_000, wanted, wanted]);
  assert.deepEqual([1, wanted - 1].map((rest) => size.rows(rest, 1_000_000)), [1, wanted - 1], 'up to a cursor');
});

test('slices that are merged grow while they are cheap, and halve where one is dear', () => {
  const size = new SliceSize({ ...STREAM, merged: true });
  const rows: number[] = [];
  for (const tookMs of [0, 0, sliceMs, sliceMs, sliceMs, 0]) {
    rows.push(size.rows(Infinity, Infinity));
    size.came(tookMs, false, 0);
  }
  const { mergeRows: first } = LIMITS;
  assert.deepEqual(rows, [first, 2 * first, 4 * first, 2 * first, first, first]);
});
