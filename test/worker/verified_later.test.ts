import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { SegmentRefused } from '../../src/segment/refused.ts';
import { rowsHold } from '../../src/worker/verified_later.ts';

const EIO = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });

/** Verifies rows that fail so often, and then are as they should be. */
function verified(failures: number, error: Error): { readonly holds: boolean; readonly pausesMs: readonly number[] } {
  let left = failures;
  const pausesMs: number[] = [];
  const verify = (): void => {
    if (left === 0) return;
    left -= 1;
    throw error;
  };
  return { holds: rowsHold(verify, (ms) => pausesMs.push(ms)), pausesMs };
}

test('rows that cannot be read for a while are read again, and hold once they can be; those that never can be do not', () => {
  const { rowsVerifyTriesMax: tries, rowsVerifyAgainMs: ms } = LIMITS;
  assert.deepEqual(verified(0, EIO), { holds: true, pausesMs: [] });
  assert.deepEqual(verified(2, EIO), { holds: true, pausesMs: [ms, ms] });
  assert.deepEqual(verified(Infinity, EIO), { holds: false, pausesMs: Array.from({ length: tries - 1 }, () => ms) });
});

test('rows that can be read and are not what was sealed are not read again', () => {
  assert.deepEqual(verified(1, new SegmentRefused('rows_checksum', 'rows block 0')), { holds: false, pausesMs: [] });
});
