import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unpackSnappy } from '../../src/lib/snappy.ts';

/** One step of a block: bytes that it brings, or a run of what came before. */
type Step = { readonly literal: Uint8Array } | { readonly back: number; readonly run: number; readonly form: 'near' | 'far' | 'farthest' };

const literal = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 70 }), fc.integer({ min: 250, max: 70_000 }).map((length) => Uint8Array.from({ length }, (_, at) => at * 7)));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ literal }),
  fc.record({ back: fc.oneof({ arbitrary: fc.integer({ min: 1, max: 9 }), weight: 3 }, fc.integer({ min: 1, max: 70_000 })), run: fc.integer({ min: 1, max: 64 }), form: fc.constantFrom('near', 'far', 'farthest') }),
);

function varint(number: number): number[] {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...varint(number >>> 7)];
}

/** The block, and what it unpacks to. */
function blockOf(steps: readonly Step[]): { readonly block: Buffer; readonly unpacked: Buffer } {
  const unpacked: number[] = [];
  const block: number[] = [];
  for (const step of steps) {
    if ('literal' in step) {
      const rest = step.literal.length - 1;
      block.push(...(rest < 60 ? [rest << 2] : rest < 0x100 ? [60 << 2, rest] : rest < 0x1_0000 ? [61 << 2, rest & 0xff, rest >>> 8] : [62 << 2, rest & 0xff, (rest >>> 8) & 0xff, rest >>> 16]));
      for (const byte of step.literal) { block.push(byte); unpacked.push(byte); }
    } else if (unpacked.length > 0) {
      const back = Math.min(step.back, unpacked.length);
      let { run } = step;
      if (step.form === 'near' && back < 2_048) {
        run = 4 + (run % 8);
        block.push(1 | ((run - 4) << 2) | ((back >>> 8) << 5), back & 0xff);
      } else if (step.form !== 'farthest' && back < 0x1_0000) block.push(2 | ((run - 1) << 2), back & 0xff, back >>> 8);
      else block.push(3 | ((run - 1) << 2), back & 0xff, (back >>> 8) & 0xff, back >>> 16, 0);
      for (let byte = 0; byte < run; byte++) unpacked.push(unpacked[unpacked.length - back]!);
    }
  }
  return { block: Buffer.from([...varint(unpacked.length), ...block]), unpacked: Buffer.from(unpacked) };
}

test('every form of step is unpacked, runs that reach into themselves among them', () => {
  fc.assert(fc.property(fc.array(anyStep, { maxLength: 20 }), (steps) => {
    const { block, unpacked } = blockOf(steps);
    const to = Buffer.alloc(unpacked.length + 8, 0xee);
    assert.equal(unpackSnappy(block, to), unpacked.length);
    assert.ok(to.subarray(0, unpacked.length).equals(unpacked));
  }));
});

test('a block that is cut, changed or larger than its room is refused, or unpacks to as many bytes as it says', () => {
  const room = Buffer.alloc(1 << 20);
  fc.assert(fc.property(fc.array(anyStep, { minLength: 1, maxLength: 6 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (steps, place, change) => {
    const { block, unpacked } = blockOf(steps);
    if (unpacked.length === 0) return;
    assert.throws(() => unpackSnappy(block.subarray(0, block.length - 1), room));
    assert.throws(() => unpackSnappy(block, Buffer.alloc(unpacked.length + 7)), /room/);
    block[place % block.length]! ^= change;
    try {
      assert.ok(unpackSnappy(block, room) <= room.length - 8);
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof assert.AssertionError));
    }
  }));
});
