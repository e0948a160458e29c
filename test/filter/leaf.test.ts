import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inLeaf, listPart, orPart, partOf, siftPart } from '../../src/filter/leaf.ts';
import { windowOf } from '../../src/filter/windows.ts';
import { hasBit } from '../../src/lib/bits.ts';
import { ALIGNMENT, alignUp, BLOCK_ROWS, BLOCK_WORDS, PAGES } from '../../src/segment/layout.ts';
import { Postings } from '../../src/segment/postings.ts';
import { PostingsWriter } from '../../src/segment/postings_writer.ts';
import { SectionDrafts, Sections } from '../../src/segment/sections.ts';

const ROWS = 3 * BLOCK_ROWS + 1_234;

/** The lists as they lie in a segment of so many rows. */
function written(lists: readonly Uint32Array[], inPages: boolean): Postings {
  const drafts = new SectionDrafts();
  const writer = new PostingsWriter({ rows: ROWS, present: new Uint8Array(ROWS) }, lists.length, { inPages });
  for (const rows of lists) writer.addList(rows);
  writer.draft(drafts, 'lists');
  let offset = 0;
  const sections = drafts.list.map(({ name, kind, bytes }) => {
    const entry = { name, kind, offset, length: bytes.length, crc: 0 };
    offset += alignUp(bytes.length) + ALIGNMENT;
    return entry;
  });
  const buffer = new ArrayBuffer(offset);
  drafts.list.forEach(({ bytes }, at) => new Uint8Array(buffer).set(bytes, sections[at]!.offset));
  return new Postings(new Sections(buffer, { rows: ROWS, rowsBytes: 0, indexBytes: offset, sections }), 'lists');
}

/** About one row in `every` of each block, and all of some pages of 256 rows. */
function rowsOf(every: readonly number[], fullPages: readonly number[], seed: number): Uint32Array {
  const pages = new Set(fullPages);
  const isIn = (row: number, one: number): boolean => (((Math.imul(row + seed, 2_654_435_761) ^ Math.imul(row ^ seed, 40_503)) >>> 8) % one) === 0;
  return Uint32Array.from({ length: ROWS }, (_, row) => row).filter((row) => pages.has(row >>> 8) || isIn(row, every[row >>> 16]!));
}

const every = fc.tuple(...Array.from({ length: 4 }, () => fc.constantFrom(1, 2, 9, 12, 40, 150, 250, 2_000, 100_000)));
const within = fc.tuple(fc.nat(ROWS - 1), fc.nat(BLOCK_ROWS)).map(([from, length]) => ({ from, to: Math.min(ROWS, ((from >>> 16) + 1) * BLOCK_ROWS, from + length + 1) }));
const whole = fc.constantFrom(0, 1, 2, 3).map((block) => ({ from: block * BLOCK_ROWS, to: Math.min(ROWS, (block + 1) * BLOCK_ROWS) }));

test('a list holds its rows in every window, whatever the form of its containers', () => {
  const forms = new Set<number>();
  const windowsOf = fc.array(fc.oneof(within, whole), { minLength: 1, maxLength: 12 });
  fc.assert(fc.property(every, fc.array(fc.nat(ROWS >>> 8), { maxLength: 3 }), fc.nat(1_000), fc.boolean(), windowsOf, (shares, full, seed, inPages, windows) => {
    const rows = rowsOf(shares, full, seed);
    const leaf = written([rows], inPages).open(0);
    if (leaf.form === 'containers') for (let at = 0; at < leaf.containers.length; at++) forms.add(leaf.containers.form(at));
    for (const { from, to } of windows) {
      const window = windowOf(from, to);
      const expected = rows.filter((row) => from <= row && row < to);
      const part = (): ReturnType<typeof partOf> => partOf(leaf, window);
      const held = part();
      if (held.form !== 'bits' && held.form !== 'all' && held.form !== 'none') {
        const out = new Uint32Array(BLOCK_ROWS);
        assert.equal(held.last - held.first, expected.length);
        assert.deepEqual(out.slice(0, listPart(held, window, out)), expected);
      }
      const words = new Int32Array(BLOCK_WORDS);
      orPart(part(), window, words);
      const set = new Set(expected);
      const some = Uint32Array.from({ length: Math.min(500, to - from) }, (_, at) => from + Math.floor((at * (to - from)) / Math.min(500, to - from)));
      for (const row of some) {
        assert.equal(hasBit(words, row & 0xffff), set.has(row), `row ${row}`);
        assert.equal(inLeaf(leaf, row), set.has(row), `row ${row} alone`);
      }
      if (held.form === 'pages') continue;
      for (const wanted of [true, false]) {
        const list = some.slice();
        assert.deepEqual(list.slice(0, siftPart(held, wanted, list, list.length)), some.filter((row) => set.has(row) === wanted));
      }
    }
  }), { numRuns: 60, examples: [[[40, 40, 9, 12], [300], 1, true, [{ from: 0, to: BLOCK_ROWS }, { from: 70_000, to: 100_000 }]]] });
  assert.ok(forms.has(PAGES), 'some list lies in pages');
});
