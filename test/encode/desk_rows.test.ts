import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { LIMITS } from '../../src/config/limits.ts';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { cellOf } from '../../src/encode/csv.ts';
import { rowsOnDesk } from '../../src/encode/desk_rows.ts';
import { Fill } from '../../src/encode/fill.ts';
import { isOfBrokenRow } from '../../src/encode/row_layout.ts';
import { RowShape, type RowOut } from '../../src/encode/rows.ts';
import type { Row } from '../../src/model/field.ts';
import { SEED } from '../support/seed.ts';
import { anyRow, asStored, chunkOf, fillOf, LAYOUT } from './rows_support.ts';

const PACKR = new Packr({ useRecords: false, variableMapSize: true });
const WHOLE = new RowShape(LAYOUT, null);
const ROW: Row = { ...Object.fromEntries(LAYOUT.names.map((name) => [name, null])), id: 'a:1', source: 'a', sources: ['a'], full_name: 'Ann A', skills: ['x', 'y, z'], badge: -7 };

type Form = Parameters<typeof rowsOnDesk>[0];

/** A row alone, by way of its values; null of a broken one. */
const ONE: Readonly<Record<Form, (row: RowOut, shape: RowShape) => Buffer | null>> = {
  json: (row, shape) => parsed(row, shape, (text) => Buffer.from(`${text},`)),
  lines: (row, shape) => parsed(row, shape, (text) => Buffer.from(`${text}\n`)),
  msgpack: (row, shape) => parsed(row, shape, (text) => PACKR.pack(JSON.parse(text))),
  csv: (row, shape) => parsed(row, shape, (text) => Buffer.from(`${Object.values(JSON.parse(text) as Row).map(cell).join()}\r\n`)),
};

function parsed(row: RowOut, shape: RowShape, made: (text: string) => Buffer): Buffer | null {
  const sink = new ByteSink();
  try {
    shape.append(sink, row);
    return made(Buffer.from(sink.view()).toString());
  } catch (error) {
    if (isOfBrokenRow(error)) return null;
    throw error;
  }
}

function cell(value: Row[string]): string {
  if (value === null) return '';
  return typeof value === 'number' ? String(value) : cellOf(Array.isArray(value) ? value.join('; ') : value);
}

/** That what is made on the desk is what would be made of each row alone; says of how many, up to the first of which none is made. */
function holds(form: Form, rows: readonly RowOut[], shape: RowShape, told = ''): number {
  let made = 0;
  while (made < rows.length) {
    const { bytes, rows: some } = rowsOnDesk(form, rows, { first: made, end: rows.length }, shape);
    if (some === 0) break;
    const wanted = rows.slice(made, made + some).map((row) => ONE[form](row, shape));
    assert.ok(!wanted.includes(null), told);
    assert.equal(Buffer.from(bytes).toString('latin1'), Buffer.concat(wanted as Buffer[]).toString('latin1'), told);
    made += some;
  }
  return made;
}

const FORMS = ['json', 'lines', 'msgpack', 'csv'] as const;
const isJson = (form: Form): boolean => form === 'json' || form === 'lines';
const PLAIN = ['', 'Zoë', '+4930, 1', '=1', '@a', '-', 'VP, Sales', '愛 高橋', 'ソ', 'Álvaro', '(none)', 'x'.repeat(31), 'y'.repeat(32), 'z'.repeat(255), 'a'.repeat(256)];
const plain = fc.oneof(fc.constantFrom(...PLAIN), fc.string({ unit: fc.constantFrom('a', 'é', ',', ' ', '漢', ';', '1'), maxLength: 40 }));
const risky = fc.constantFrom(
  '=1', '+4', '-1', '@a', '\u00a0=1', '\uff1d1', '\u3000=', ' =1', '\ufeff@', '\u2003-', '\u1680+', 'say "hi"', 'back\\slash', 'tab\t', '\ud800',
);
const EDGES = [0, 127, 128, 255, 256, 65_535, 65_536, 999_999_999, 1_000_000_000, 2 ** 32, 1e21, 1.5, -1, -32, -33, -128, -129, -32_768, -32_769, -(2 ** 31) - 1, -0.25];
const numbers = fc.oneof(fc.integer(), fc.constantFrom(...EDGES));
const item = fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: risky });
const someValues = { full_name: fc.option(item), headline: fc.option(item), skills: fc.option(fc.array(item, { maxLength: 20 })), badge: fc.option(numbers) };
const someRow = fc.record(someValues).map((some): Row => ({ ...ROW, ...some }));
const someShape = fc.subarray([...LAYOUT.names], { minLength: 1 }).map((fields) => new RowShape(LAYOUT, fields));

const donorRow = fc.oneof(someRow, anyRow, fc.constant(ROW));
const anyMerged = fc.record({ row: donorRow, donors: fc.option(fc.array(donorRow, { maxLength: 3 })), sources: fc.option(fc.constantFrom(['a', 'b'], ['b', 'ü"'])) });

function rowsOut(merged: readonly { readonly row: Row; readonly donors: readonly Row[] | null; readonly sources: readonly string[] | null }[], gap: number, shape: RowShape): RowOut[] {
  const winners = chunkOf(merged.map(({ row }) => row), gap);
  const lenders = chunkOf(merged.flatMap(({ donors }) => donors ?? []), gap);
  let next = 0;
  return merged.map(({ donors, sources }, row) => {
    const from = next;
    next += donors?.length ?? 0;
    const fill = donors === null ? null : new Fill(LAYOUT, shape.places, donors.map((_, at) => ({ chunk: lenders, row: from + at })));
    return { chunk: winners, row, fill, sources };
  });
}

describe('rows made on the desk', () => {
  for (const form of FORMS) {
    it(`are what they would be alone, as ${form}`, () => {
      let [made, all] = [0, 0];
      fc.assert(fc.property(fc.array(fc.oneof(someRow, anyRow), { maxLength: 6 }), someShape, fc.nat(3), (rows, shape, gap) => {
        const out = asStored(chunkOf(rows, gap));
        for (const some of [shape, WHOLE]) {
          for (let first = 0; first < out.length;) {
            const count = holds(form, out.slice(first), some, JSON.stringify(rows));
            made += count;
            all += Math.max(1, count);
            first += Math.max(1, count);
          }
        }
      }), { numRuns: 700, seed: SEED });
      assert.ok(made > (isJson(form) ? 0.9 : 0.3) * all, `${made} of ${all}`);
    });

    it(`are none that have rotted, as ${form}`, () => {
      const { bytes: sound, ...chunk } = chunkOf([ROW, { ...ROW, full_name: 'Zoë' }, ROW]);
      let broken = 0;
      for (let at = chunk.start[1]!; at < chunk.end[1]!; at += 1) {
        for (const byte of [0x00, 0x0a, 0x20, 0x22, 0x2b, 0x2c, 0x30, 0x3a, 0x5b, 0x5c, 0x5d, 0x78, 0x7b, 0x7d, 0xff]) {
          const bytes = Buffer.from(sound);
          // Of JSON what is no UTF-8 is copied too.
          if (bytes[at] === byte || (isJson(form) && Math.max(bytes[at]!, byte) >= 0x80) || (form === 'csv' && byte === 0x30)) continue;
          bytes[at] = byte;
          const rows = asStored({ ...chunk, bytes });
          // Into CSV words and numbers are copied as they are.
          if (form === 'csv' && ONE.csv(rows[1]!, WHOLE) === null) continue;
          if (holds(form, rows, WHOLE, `byte ${at - chunk.start[1]!} is ${byte}`) < 3) broken += 1;
        }
      }
      assert.ok(broken > 100, `${broken}`);
    });
  }

  for (const form of FORMS) {
    it(`are filled from others, with their sources told anew, as they would be alone, as ${form}`, () => {
      let [made, all] = [0, 0];
      fc.assert(fc.property(fc.array(anyMerged, { maxLength: 8 }), someShape, fc.nat(2), (merged, shape, gap) => {
        for (const some of [shape, WHOLE]) {
          const out = rowsOut(merged, gap, some);
          for (let first = 0; first < out.length;) {
            const count = holds(form, out.slice(first), some, JSON.stringify(merged));
            made += count;
            all += Math.max(1, count);
            first += Math.max(1, count);
          }
        }
      }), { numRuns: 300, seed: SEED });
      assert.ok(made > (isJson(form) ? 0.7 : 0.3) * all, `${made} of ${all}`);
    });

    it(`are filled from what has not rotted, or are none that have, as ${form}`, () => {
      const { bytes: sound, ...chunk } = chunkOf([{ ...ROW, full_name: null }, { ...ROW, phone: '+1', headline: 'Zoë' }, { ...ROW, headline: 'x' }]);
      let broken = 0;
      for (let at = 0; at < chunk.end[1]!; at += 1) {
        for (const byte of [0x00, 0x0a, 0x20, 0x22, 0x2b, 0x2c, 0x30, 0x3a, 0x5b, 0x5c, 0x5d, 0x6e, 0x78, 0x7b, 0x7d, 0xff]) {
          const bytes = Buffer.from(sound);
          if (bytes[at] === byte || (isJson(form) && Math.max(bytes[at]!, byte) >= 0x80) || (form === 'csv' && byte === 0x30)) continue;
          bytes[at] = byte;
          const rotten = { ...chunk, bytes };
          const filled = [[], [1, 2]].map((donors): RowOut => ({
            chunk: rotten, row: 0, fill: new Fill(LAYOUT, LAYOUT.places, donors.map((row) => ({ chunk: rotten, row }))), sources: ['a', 'b', 'c'],
          }));
          if (form === 'csv' && filled.some((row) => ONE.csv(row, WHOLE) === null)) continue;
          if (holds(form, filled, WHOLE, `byte ${at} is ${byte}`) < 2) broken += 1;
        }
      }
      assert.ok(broken > 100, `${broken}`);
    });
  }

  it('are filled from a few others, of which those that lie together are brought in one go', () => {
    const donors = chunkOf([{ ...ROW, phone: null }, { ...ROW, phone: '+1' }, { ...ROW, phone: '+2' }, ROW, ROW, ROW]);
    const fill = (count: number): Fill => new Fill(LAYOUT, LAYOUT.places, Array.from({ length: count }, (_, row) => ({ chunk: donors, row })));
    const winners = chunkOf([ROW, ROW, ROW, ROW]);
    const row = (at: number, count: number): RowOut => ({ chunk: winners, row: at, fill: fill(count), sources: ['a', 'b'] });
    for (const form of FORMS) {
      assert.equal(holds(form, [row(0, 1), row(1, 0), row(2, 2), row(3, LIMITS.donorsOnDeskMax)], WHOLE), 4);
      assert.equal(holds(form, [row(0, 1), row(1, LIMITS.donorsOnDeskMax + 1)], WHOLE), 1);
    }
    const many = Array.from({ length: 3 * LIMITS.rowsOnDeskMax }, (_, at) => row(at % 4, at % 3));
    assert.equal(holds('json', many, WHOLE), many.length);
  });

  it('are of neighbours that find room: what is behind the room stays, and the next are brought anew', () => {
    const wide = (bytes: number): Row[] => Array.from({ length: 64 }, (_, at) => ({ ...ROW, id: `a:${100 + at}`, headline: 'x'.repeat(bytes) }));
    const [winners, donors] = [chunkOf(wide(8_000)), chunkOf(wide(9_000))];
    const small = asStored(chunkOf([ROW]))[0]!;
    assert.equal(holds('json', Array.from({ length: 300 }, () => ({ ...small, sources: ['a', 'b'] })), WHOLE), 300);
    const filled: RowOut = { chunk: winners, row: 0, fill: new Fill(LAYOUT, LAYOUT.places, [{ chunk: donors, row: 0 }]), sources: ['a', 'b'] };
    const rows = [filled, ...asStored(donors).slice(1)];
    const { rows: first } = rowsOnDesk('json', rows, { first: 0, end: rows.length }, WHOLE);
    assert.ok(first > 40 && first < rows.length, `${first}`);
    assert.equal(holds('json', rows, WHOLE), rows.length);
  });

  it('of one layout lend to those of another, which lacks its last fields', () => {
    const { badge: _, ...short } = ROW;
    const [own, other] = [chunkOf([short, ROW]), chunkOf([{ ...ROW, badge: 7 }, short])];
    const row = (at: number, donor: number): RowOut => ({ chunk: own, row: at, fill: new Fill(LAYOUT, LAYOUT.places, [{ chunk: other, row: donor }]), sources: ['a', 'b'] });
    const rows = [row(0, 0), row(0, 1), row(1, 1), ...asStored(own)];
    for (const shape of [WHOLE, new RowShape(LAYOUT, [...LAYOUT.names]), new RowShape(LAYOUT, ['id', 'badge']), new RowShape(LAYOUT, ['badge'])]) assert.equal(holds('json', rows, shape), 5);
  });

  it('end before one that finds no room, and one in which others stand', () => {
    const [row] = asStored(chunkOf([ROW]));
    const long = asStored(chunkOf([{ ...ROW, headline: 'x'.repeat(LIMITS.expandScratchBytes) }]))[0]!;
    const two = chunkOf([ROW, ROW]);
    const torn = asStored({ ...two, rows: 1, start: [0], end: [two.end[1]!] })[0]!;
    const wide = Array.from({ length: 30 }, () => asStored(chunkOf([{ ...ROW, headline: 'x'.repeat(60_000) }]))[0]!);
    for (const form of FORMS) {
      assert.equal(holds(form, [row!, { ...long, sources: ['a', 'b'] }], WHOLE), 1);
      assert.equal(holds(form, [{ ...long, fill: fillOf([ROW]) }], WHOLE), 0);
      assert.equal(holds(form, [{ ...row!, fill: new Fill(LAYOUT, LAYOUT.places, [long]) }], WHOLE), 0);
      assert.equal(holds(form, [row!, long, row!], WHOLE), 1);
      assert.equal(holds(form, [long], WHOLE), 0);
      assert.equal(holds(form, [row!, torn, row!], WHOLE), 1);
      assert.equal(holds(form, wide, WHOLE), 30);
    }
  });

  it('come more at a time the more could be made before, and singly behind one that could not', () => {
    const [row, odd] = [asStored(chunkOf([ROW]))[0]!, asStored(chunkOf([{ ...ROW, headline: '"' }]))[0]!];
    const rows = Array.from({ length: 64 }, () => row);
    const times = (some: readonly RowOut[]): number[] => {
      const counts: number[] = [];
      for (let first = 0; first < some.length; first += Math.max(1, counts.at(-1)!)) counts.push(rowsOnDesk('csv', some, { first, end: some.length }, WHOLE).rows);
      return counts;
    };
    assert.deepEqual(times([odd, ...rows]), [0, 1, 2, 4, 8, 16, 32, 1]);
    assert.deepEqual(times(rows), [64]);
    assert.deepEqual(times([...rows.slice(0, 5), odd, row, row, row]), [5, 0, 1, 2]);
  });
});
