import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unpackNumbers } from '../../src/lib/packed_numbers.ts';

type Run = { readonly number: number; readonly times: number } | { readonly eights: readonly number[] };

function varint(number: number): number[] {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...varint(number >>> 7)];
}

function packed(runs: readonly Run[], width: number): { readonly bytes: Buffer; readonly numbers: number[] } {
  const bytes: number[] = [];
  const numbers: number[] = [];
  const masked = (number: number): number => number % 2 ** width;
  for (const run of runs) {
    if ('times' in run) {
      bytes.push(...varint(run.times * 2));
      for (let at = 0; at < Math.ceil(width / 8); at++) bytes.push(Math.floor(masked(run.number) / 256 ** at) & 0xff);
      for (let at = 0; at < run.times; at++) numbers.push(masked(run.number));
    } else {
      bytes.push(...varint((run.eights.length / 8) * 2 + 1));
      let bits = 0n;
      run.eights.forEach((number, at) => { bits |= BigInt(masked(number)) << BigInt(at * width); numbers.push(masked(number)); });
      for (let at = 0; at < (run.eights.length / 8) * width; at++) bytes.push(Number((bits >> BigInt(at * 8)) & 0xffn));
    }
  }
  return { bytes: Buffer.from(bytes), numbers };
}

const number = fc.nat(2 ** 24 - 1);
const anyRun: fc.Arbitrary<Run> = fc.oneof(
  fc.record({ number, times: fc.integer({ min: 1, max: 300 }) }),
  fc.integer({ min: 1, max: 9 }).chain((groups) => fc.record({ eights: fc.array(number, { minLength: groups * 8, maxLength: groups * 8 }) })),
);

test('runs and groups of every width are unpacked, as many as are wanted and none beyond', () => {
  fc.assert(fc.property(fc.array(anyRun, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 24 }), fc.nat(7), (runs, width, fewer) => {
    const { bytes, numbers } = packed(runs, width);
    const count = Math.max(0, numbers.length - fewer);
    const to = new Int32Array(numbers.length + 1).fill(-1);
    unpackNumbers(Buffer.concat([Buffer.from([9, 9]), bytes]), 2, width, count, to);
    assert.deepEqual([...to], [...numbers.slice(0, count), ...Array.from({ length: numbers.length + 1 - count }, () => -1)]);
  }));
});

test('numbers that end too early are refused, and a run of none leads in no circle', () => {
  assert.throws(() => unpackNumbers(Buffer.from([]), 0, 3, 1, new Int32Array(1)));
  assert.throws(() => unpackNumbers(Buffer.from([0x03, 0xff]), 0, 3, 8, new Int32Array(8)), /damaged/);
  assert.throws(() => unpackNumbers(Buffer.from([0x00, 0x01, 0x00, 0x01]), 0, 3, 8, new Int32Array(8)), /damaged/);
  assert.throws(() => unpackNumbers(Buffer.alloc(99, 0x03), 0, 25, 8, new Int32Array(8)), /25 bits/);
});
