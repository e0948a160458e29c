import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import type { Row } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { Expander, type Room } from '../../src/segment/expander.ts';
import { RowTable } from '../../src/segment/row_table.ts';
import { openRowBytes } from '../../src/segment/row_bytes.ts';
import { textOfRow } from '../../src/segment/row_form.ts';
import type { Segment } from '../../src/segment/reader.ts';
import { SEED } from '../support/seed.ts';
import { storeRows, type StoredRows } from '../support/stored_rows.ts';
import { storedText } from '../support/stored_row.ts';
import { shared } from './support.ts';

const WORDS = vocabulary('contacts', []);
const DESK_BYTES = 2 << 20;
const ROOM_BYTES = 3 << 20;
const COMMA = 0x2c;
const NEWLINE = 0x0a;
const MARK = 0xa5;
const SPARE_BYTES = LIMITS.textSpareBytes;

const expander = new Expander(DESK_BYTES + ROOM_BYTES);

const few = fc.constantFrom('vp', 'director', 'cxo', 'US', 'DE');
const text = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('', 'Zoë', 'a"b\\c', 'x'.repeat(31), 'y'.repeat(33), 'z'.repeat(64)) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 700 }) },
);
const valueOf = { string: fc.oneof(few, text), timestamp: text, strings: fc.array(text, { maxLength: 4 }), integer: fc.integer() } as const;
const anyRow = fc.tuple(...WORDS.fields.map(({ type }): fc.Arbitrary<Row[string]> => fc.option<Row[string]>(valueOf[type], { freq: 4 })));

function someTexts(count: number, seed = SEED): string[] {
  return fc.sample(anyRow, { numRuns: count, seed }).map((row) => storedText(WORDS, 'test', Object.fromEntries(WORDS.fields.map(({ name }, at) => [name, row[at]!]))));
}

/** All that the expander asks of a segment. */
function segmentOf({ starts, bytes: stored, stencils }: StoredRows, resident = true): Segment {
  const table = { rows: starts.length - 1, start: (row: number) => starts[row]! } as RowTable;
  const open = openRowBytes(shared(stored), stored.length);
  return {
    table, stencils,
    bytes: resident ? open : { ...open, resident: null, read: (from: number, end: number, into: Buffer, at: number) => { open.read(from, end, into, at); } },
  } as unknown as Segment;
}

const ROOM: Room = { at: DESK_BYTES, end: DESK_BYTES + ROOM_BYTES - 2 * SPARE_BYTES };

type Into = { readonly separator?: number; readonly room?: Room; readonly over?: Expander };

function writtenOf(segment: Segment, rows: readonly number[], { separator = NEWLINE, room = ROOM, over = expander }: Into = {}): { count: number; text: string; ends: number[] } {
  const ends = new Float64Array(rows.length);
  const { bytes } = over;
  bytes.fill(MARK, room.end + SPARE_BYTES, room.end + 2 * SPARE_BYTES);
  const count = over.write(segment, { rows: Uint32Array.from(rows), first: 0, separator, ends }, room);
  assert.ok(bytes.subarray(room.end + SPARE_BYTES, room.end + 2 * SPARE_BYTES).every((byte) => byte === MARK), `no byte is written beyond what was spared, LDS_FUZZ_SEED=${SEED}`);
  return { count, text: bytes.toString('utf8', room.at, over.end), ends: [...ends.subarray(0, count)].map((end) => end - room.at) };
}

test('a stored row has the text that it was made of, by one way of reading and the other', () => {
  const texts = someTexts(3_000);
  const coded = storeRows(WORDS, texts, 'compact');
  for (const [row, wanted] of texts.entries()) {
    const stored = coded.bytes.subarray(coded.starts[row], coded.starts[row + 1]);
    assert.equal(textOfRow(stored, coded.stencils!).toString(), `${wanted}\n`, `LDS_FUZZ_SEED=${SEED}`);
  }
  const lines = texts.map((line) => `${line}\n`);
  for (let first = 0; first < texts.length; first += 500) {
    const rows = Array.from({ length: 500 }, (_, at) => first + at);
    const { count, text: written, ends } = writtenOf(segmentOf(coded), rows);
    assert.equal(count, 500);
    assert.equal(written, lines.slice(first, first + 500).join(''), `LDS_FUZZ_SEED=${SEED}`);
    let end = 0;
    for (const [at, line] of lines.slice(first, first + 500).entries()) assert.equal(ends[at], end += Buffer.byteLength(line));
  }
  const share = coded.bytes.length / Buffer.byteLength(lines.join(''));
  assert.ok(share < 0.9, `stored rows take ${share} of their text, LDS_FUZZ_SEED=${SEED}`);
});

test('rows that lie apart, in any order, in memory or on a disk, are written in the order in which they are asked for', () => {
  const texts = someTexts(400);
  const coded = storeRows(WORDS, texts, 'compact');
  fc.assert(fc.property(fc.array(fc.nat(texts.length - 1), { maxLength: 60 }), fc.boolean(), fc.boolean(), (any, sorted, resident) => {
    const rows = sorted ? [...new Set(any)].sort((a, b) => a - b) : any;
    const { count, text: written } = writtenOf(segmentOf(coded, resident), rows, { separator: COMMA });
    assert.equal(count, rows.length);
    assert.equal(written, rows.map((row) => `${texts[row]},`).join(''));
  }), { seed: SEED, numRuns: 200 });
});

test('writing ends before the row that has no room, to the byte', () => {
  const texts = someTexts(40);
  const coded = storeRows(WORDS, texts, 'compact');
  const rows = texts.map((_, row) => row);
  const lengths = texts.map((line) => Buffer.byteLength(line) + 1);
  let whole = 0;
  for (let fit = 0; fit < 30; fit++) {
    for (const [left, wanted] of [[0, fit], [lengths[fit]! - 1, fit], [lengths[fit]!, fit + 1]] as const) {
      const { count } = writtenOf(segmentOf(coded), rows, { room: { at: ROOM.at, end: ROOM.at + whole + left } });
      assert.equal(count, wanted, `LDS_FUZZ_SEED=${SEED}`);
    }
    whole += lengths[fit]!;
  }
});

test('a row that is longer than the window is written like any other, where it has room', () => {
  const long = 'long '.repeat(LIMITS.expandWindowBytes / 4);
  const texts = [someTexts(1)[0]!, storedText(WORDS, 'test', { id: 'a', headline: long }), someTexts(2)[1]!];
  const segment = segmentOf(storeRows(WORDS, texts, 'compact'));
  assert.equal(writtenOf(segment, [0, 1, 2]).text, texts.map((line) => `${line}\n`).join(''));
  const room = { at: ROOM.at, end: ROOM.at + LIMITS.expandWindowBytes };
  assert.equal(writtenOf(segment, [0, 1, 2], { room }).count, 1);
});

test('what segments are spelled with gives way where there are more than have a place', () => {
  const tight = new Expander((Math.ceil((LIMITS.expandWindowBytes + LIMITS.expandScratchBytes + 2 * LIMITS.textSpareBytes) / 65_536) + 2) * 65_536);
  const room = { at: tight.scratch.at, end: tight.scratch.end - 3 * SPARE_BYTES };
  const segments = Array.from({ length: 40 }, (_, at) => storeRows(WORDS, someTexts(60, SEED + at), 'compact')).map((stored) => segmentOf(stored));
  for (const round of [0, 1]) {
    for (const [at, segment] of segments.entries()) {
      const wanted = someTexts(60, SEED + at).map((line) => `${line}\n`).join('');
      assert.equal(writtenOf(segment, Array.from({ length: 60 }, (_, row) => row), { room, over: tight }).text, wanted, `round ${round}, LDS_FUZZ_SEED=${SEED}`);
    }
  }
});

test('a row whose head or pieces are damaged is refused by who reads it alone, and holds nobody up', { timeout: 180_000 }, () => {
  const { bytes: stored, starts, stencils } = storeRows(WORDS, someTexts(8), 'compact');
  for (let row = 0; row < 8; row++) {
    const whole = stored.subarray(starts[row], starts[row + 1]);
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const damaged = Buffer.from(whole);
      damaged[bit >>> 3]! ^= 1 << (bit & 7);
      try {
        assert.equal(textOfRow(damaged, stencils!).length, whole.readUInt32LE(0));
      } catch (error) {
        assert.match((error as Error).message, /does not stand as rows are stored/, `bit ${bit}, LDS_FUZZ_SEED=${SEED}`);
      }
    }
    for (const bytes of [0, 3, 11, whole.length - 1]) assert.throws(() => textOfRow(whole.subarray(0, bytes), stencils!), /does not stand/);
  }
});

test('damaged rows are refused, or have texts as long as they say, and nothing beside them is written over', () => {
  const coded = storeRows(WORDS, someTexts(60), 'compact');
  let refused = 0;
  const runs = 2_000;
  fc.assert(fc.property(fc.nat(coded.bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
    const damaged = { ...coded, bytes: Buffer.from(coded.bytes) };
    damaged.bytes[at]! ^= change;
    const room = { at: ROOM.at, end: ROOM.at + 200_000 };
    try {
      const { count } = writtenOf(segmentOf(damaged), Array.from({ length: 60 }, (_, row) => row), { room });
      assert.ok(count <= 60);
    } catch (error) {
      assert.match((error as Error).message, /does not stand as rows are stored/);
      refused++;
    }
  }), { seed: SEED, numRuns: runs });
  assert.ok(refused > runs / 50, `${refused} of ${runs} were refused`);
});
