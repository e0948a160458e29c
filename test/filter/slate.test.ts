import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Part } from '../../src/filter/leaf.ts';
import { PlainSlate } from '../../src/filter/plain_slate.ts';
import type { NumberClause } from '../../src/filter/reading.ts';
import type { Slate } from '../../src/filter/slate.ts';
import { WasmSlate } from '../../src/filter/wasm_slate.ts';
import { windowOf, type Window } from '../../src/filter/windows.ts';
import { hasBit, setBit } from '../../src/lib/bits.ts';
import { BLOCK_ROWS, BLOCK_WORDS } from '../../src/segment/layout.ts';

/** Of the segment's two blocks the second is not whole. */
const ROWS = BLOCK_ROWS + 40_011;
const slates: readonly (readonly [name: string, slate: Slate])[] = [['plain', new PlainSlate()], ['of a module', new WasmSlate()]];

type Rows = ReadonlySet<number>;

/** About one row in `every`, each in the same place for the same seed. */
function rowsOf(every: number, seed: number): Rows {
  const rows = new Set<number>();
  for (let row = 0; row < ROWS; row++) if ((Math.imul(row ^ seed, 2_654_435_761) >>> 8) % every === 0) rows.add(row);
  return rows;
}

/** With two words before row 0, as of a search that begins there. */
function bitmapOf(rows: Rows): Int32Array {
  const bits = new Int32Array(2 + ((ROWS + 31) >>> 5));
  for (const row of rows) setBit(bits, row + 64);
  return bits;
}

type Form = (rows: Rows, window: Window) => Part;

const bitsPart: Form = (rows, { block }) => ({ form: 'bits', bits: bitmapOf(rows), at: 2 + block * BLOCK_WORDS });
const halvesPart: Form = (rows, { block, from, to }) => {
  const items = Uint16Array.from([7, 7, ...[...rows].filter((row) => from <= row && row < to).map((row) => row - block * BLOCK_ROWS), 9]);
  return items.length === 3 ? { form: 'none' } : { form: 'halves', items, first: 2, last: items.length - 1 };
};
const rowsPart: Form = (rows, { from, to }) => {
  const items = Uint32Array.from([0, ...[...rows].filter((row) => from <= row && row < to)]);
  return items.length === 1 ? { form: 'none' } : { form: 'rows', items, first: 1, last: items.length };
};
/** As in a container: how many rows each page of 256 has, then their low bytes. No page is full. */
const pagesPart: Form = (all, { block, from, to }) => {
  const base = block * BLOCK_ROWS;
  const rows = [...all].filter((row) => base <= row && row < base + BLOCK_ROWS && (row & 0xff) !== 3).map((row) => row - base);
  const counts = new Uint8Array(256);
  for (const row of rows) counts[row >>> 8]!++;
  const first = rows.filter((row) => row < from - base).length;
  const last = rows.filter((row) => row < to - base).length;
  if (first === last) return { form: 'none' };
  const page = (from - base) >>> 8;
  const pageEnd = rows.filter((row) => row >>> 8 <= page).length;
  const items = Uint8Array.from([5, ...counts, ...rows]);
  return { form: 'pages', items, first: first + 257, last: last + 257, counts: 1, page, pageEnd: pageEnd + 257 };
};
const isInPages = (row: number): boolean => (row & 0xff) !== 3;

const every = fc.constantFrom(1, 2, 7, 20, 130, 3_000, 100_000);
const span = fc.tuple(fc.nat(ROWS - 1), fc.oneof(fc.nat(300), fc.nat(BLOCK_ROWS)))
  .map(([from, length]) => windowOf(from, Math.min(ROWS, ((from >>> 16) + 1) * BLOCK_ROWS, from + length + 1)));
const whole = fc.constantFrom(windowOf(0, BLOCK_ROWS), windowOf(BLOCK_ROWS, ROWS));
const windows = fc.oneof(span, whole);

/** The window's rows alone in `words`. */
function begin(slate: Slate, { block, from, to }: Window): void {
  slate.words.fill(0);
  slate.union.fill(0);
  for (let row = from; row < to; row++) setBit(slate.words, row - block * BLOCK_ROWS);
}

function listed(slate: Slate, window: Window, of: Int32Array, rowsMax = Infinity): number[] {
  return Array.from(slate.list.subarray(0, slate.rows(window, of, rowsMax)));
}

for (const [name, slate] of slates) {
  test(`a slate ${name} keeps and leaves out what a bitmap has`, () => {
    fc.assert(fc.property(windows, every, every, fc.nat(99), (window, one, other, seed) => {
      const [kept, out] = [rowsOf(one, seed), rowsOf(other, seed + 1)];
      begin(slate, window);
      slate.and(window, bitmapOf(kept), 2 + window.block * BLOCK_WORDS);
      slate.andNot(window, bitmapOf(out), 2 + window.block * BLOCK_WORDS);
      const expected = [...kept].filter((row) => window.from <= row && row < window.to && !out.has(row));
      assert.equal(slate.count(window), expected.length);
      assert.deepEqual(listed(slate, window, slate.words), expected);
    }), { numRuns: 60 });
  });

  test(`a slate ${name} puts parts of every form together`, () => {
    const forms: readonly Form[] = [bitsPart, halvesPart, rowsPart, pagesPart];
    fc.assert(fc.property(windows, fc.array(fc.tuple(fc.constantFrom(...forms), every), { minLength: 1, maxLength: 3 }), fc.nat(99), fc.boolean(), (window, parts, seed, negated) => {
      begin(slate, window);
      const within = new Set<number>();
      parts.forEach(([form, one], at) => {
        const rows = rowsOf(one, seed + at);
        for (const row of rows) if (form !== pagesPart || isInPages(row)) within.add(row);
        slate.add(window, form(rows, window));
      });
      if (negated) slate.andNot(window, slate.union, 0); else slate.and(window, slate.union, 0);
      const expected = Array.from({ length: window.to - window.from }, (_, at) => window.from + at).filter((row) => within.has(row) !== negated);
      assert.deepEqual(listed(slate, window, slate.words), expected);
    }), { numRuns: 60, examples: [[windowOf(0, BLOCK_ROWS), [[pagesPart, 20]], 1, false], [windowOf(700, 71_000 & 0xffff), [[pagesPart, 20], [halvesPart, 20]], 1, true]] });
  });

  test(`a slate ${name} tells which numbers lie within`, () => {
    const types = [Uint8Array, Uint16Array, Uint32Array, Float64Array] as const;
    const bounds = fc.uniqueArray(fc.nat(1_000), { minLength: 2, maxLength: 24 }).map((ends) => ends.toSorted((a, b) => a - b));
    fc.assert(fc.property(windows, fc.constantFrom(...types), bounds, fc.nat(99), (window, Codes, ends, seed) => {
      // A byte holds the four ends of any thousand; codes of four bytes go up to where they would have a sign.
      const scale = Codes === Uint8Array ? 0.25 : Codes === Uint16Array ? 65 : Codes === Uint32Array ? 2_147_483 : 0.001;
      const scaled = (value: number): number => (Codes === Float64Array ? value * scale : Math.floor(value * scale));
      const codes = new Codes(ROWS);
      for (let row = 0; row < ROWS; row++) codes[row] = scaled((Math.imul(row + seed, 40_503) >>> 4) % 1_001);
      if (Codes === Float64Array) for (let row = seed; row < ROWS; row += 5) codes[row] = Number.NaN;
      const intervals: [number, number][] = [];
      for (let at = 0; at + 1 < ends.length; at += 2) intervals.push([scaled(ends[at]!), scaled(ends[at + 1]!)]);
      const clause: NumberClause = { negated: false, codes, intervals };
      begin(slate, window);
      slate.within(window, clause);
      slate.and(window, slate.union, 0);
      const expected: number[] = [];
      for (let row = window.from; row < window.to; row++) if (intervals.some(([low, high]) => low <= codes[row]! && codes[row]! <= high)) expected.push(row);
      assert.deepEqual(listed(slate, window, slate.words), expected);
    }), { numRuns: 80 });
  });

  test(`a slate ${name} lists the first rows of many, and of either bitmap`, () => {
    const window = windowOf(BLOCK_ROWS + 100, BLOCK_ROWS + 9_000);
    const rows = rowsOf(3, 5);
    const expected = [...rows].filter((row) => window.from <= row && row < window.to);
    begin(slate, window);
    slate.add(window, halvesPart(rows, window));
    assert.deepEqual(listed(slate, window, slate.union), expected);
    const first = listed(slate, window, slate.union, 26);
    assert.ok(first.length >= 26 && first.length < 26 + 64);
    assert.deepEqual(first, expected.slice(0, first.length));
    assert.ok(hasBit(slate.union, expected[0]! - BLOCK_ROWS));
  });
}
