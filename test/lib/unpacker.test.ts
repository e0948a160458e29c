import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UNPACK_SPARE_BYTES, Unpacker } from '../../src/lib/unpacker.ts';
import { varint } from '../support/hand_parquet.ts';

const memory = new WebAssembly.Memory({ initial: 64 });
const bytes = Buffer.from(memory.buffer);
const words = new Int32Array(memory.buffer);
const unpacker = new Unpacker(memory);
/** What is packed stands at the beginning; what is unpacked, after that. */
const TO = 2 << 20;
const MARK = 0xee;

/** The block unpacked, and whether nothing was written beyond what may be. */
function unpacked(block: Uint8Array, room: number): Buffer {
  bytes.set(block, 0);
  bytes.fill(MARK, TO, TO + room + 2 * UNPACK_SPARE_BYTES);
  const length = unpacker.snappy(0, block.length, TO, room);
  assert.ok(bytes.subarray(TO + length + UNPACK_SPARE_BYTES, TO + room + 2 * UNPACK_SPARE_BYTES).every((byte) => byte === MARK), 'written beyond');
  return Buffer.from(bytes.subarray(TO, TO + length));
}

function numbersOf(packed: Uint8Array, width: number, count: number): number[] {
  bytes.set(packed, 3);
  words.fill(-1, TO / 4, TO / 4 + count + 1);
  const filled = unpacker.numbers(3, 3 + packed.length, width, count, TO);
  assert.equal(words[TO / 4 + filled], -1, 'written beyond');
  return [...words.subarray(TO / 4, TO / 4 + filled)];
}

/** One step of a block: bytes that it brings, or a run of what came before. */
type Step = { readonly literal: Uint8Array } | { readonly back: number; readonly run: number; readonly form: 'near' | 'far' | 'farthest' };

const literal = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 70 }), fc.integer({ min: 250, max: 70_000 }).map((length) => Uint8Array.from({ length }, (_, at) => at * 7)));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ literal }),
  fc.record({
    back: fc.oneof({ arbitrary: fc.integer({ min: 1, max: 9 }), weight: 3 }, fc.integer({ min: 1, max: 70_000 })),
    run: fc.integer({ min: 1, max: 64 }), form: fc.constantFrom('near', 'far', 'farthest'),
  }),
);

/** The block, and what it unpacks to. */
function blockOf(steps: readonly Step[]): { readonly block: Buffer; readonly whole: Buffer } {
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
  return { block: Buffer.from([...varint(unpacked.length), ...block]), whole: Buffer.from(unpacked) };
}

test('every form of step is unpacked, runs that reach into themselves among them', () => {
  fc.assert(fc.property(fc.array(anyStep, { maxLength: 20 }), (steps) => {
    const { block, whole } = blockOf(steps);
    assert.ok(unpacked(block, whole.length).equals(whole));
  }));
});

test('a block that is cut, changed or larger than its room is refused, or unpacks to as many bytes as it says', () => {
  fc.assert(fc.property(fc.array(anyStep, { minLength: 1, maxLength: 6 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (steps, place, change) => {
    const { block, whole } = blockOf(steps);
    if (whole.length === 0) return;
    assert.throws(() => unpacked(block.subarray(0, block.length - 1), whole.length), /damaged/);
    assert.throws(() => unpacked(block, whole.length - 1), /room/);
    block[place % block.length]! ^= change;
    try {
      assert.ok(unpacked(block, 1 << 20).length <= 1 << 20);
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof assert.AssertionError));
    }
  }));
});

type Run = { readonly number: number; readonly times: number } | { readonly eights: readonly number[] };

function packed(runs: readonly Run[], width: number): { readonly block: Buffer; readonly numbers: number[] } {
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
  return { block: Buffer.from(bytes), numbers };
}

const number = fc.nat(2 ** 24 - 1);
const anyRun: fc.Arbitrary<Run> = fc.oneof(
  fc.record({ number, times: fc.integer({ min: 1, max: 300 }) }),
  fc.integer({ min: 1, max: 9 }).chain((groups) => fc.record({ eights: fc.array(number, { minLength: groups * 8, maxLength: groups * 8 }) })),
);

test('runs and groups of every width are unpacked, as many as are wanted and none beyond', () => {
  fc.assert(fc.property(fc.array(anyRun, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 24 }), fc.nat(7), (runs, width, fewer) => {
    const { block, numbers } = packed(runs, width);
    const count = Math.max(0, numbers.length - fewer);
    assert.deepEqual(numbersOf(block, width, count), numbers.slice(0, count));
    assert.deepEqual(numbersOf(block, width, numbers.length + 5), numbers, 'and no more than there are');
  }));
});

test('numbers that are cut are refused, and a run of none leads in no circle', () => {
  assert.deepEqual(numbersOf(Buffer.from([]), 3, 1), []);
  assert.throws(() => numbersOf(Buffer.from([0x03, 0xff]), 3, 8), /damaged/);
  assert.throws(() => numbersOf(Buffer.from([0x04]), 3, 8), /damaged/);
  assert.throws(() => numbersOf(Buffer.from([0x00, 0x01, 0x00, 0x01]), 3, 8), /damaged/);
  assert.throws(() => numbersOf(Buffer.alloc(99, 0x03), 25, 8), /damaged/);
});
