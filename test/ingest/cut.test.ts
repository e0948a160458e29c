import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutRows, formsOf, groupRows, type Cutting, type Storing } from '../../src/ingest/cut.ts';

const CUTTING: Cutting = { rowsMin: 100, threads: 2, bytesMax: 1_000_000 };
const CONTACTS: Storing = { storage: 'balanced', dataset: 'contacts' };

test('a small lake is one segment, and an empty one none', () => {
  assert.deepEqual(cutRows([{ rows: 60, bytes: 600 }, { rows: 39, bytes: 390 }], CUTTING), [99]);
  assert.deepEqual(cutRows([], CUTTING), []);
});

test('a lake of many rows is cut into a segment for each thread, between two countries where that is near enough', () => {
  assert.deepEqual(cutRows([{ rows: 30, bytes: 300 }, { rows: 22, bytes: 220 }, { rows: 48, bytes: 480 }], CUTTING), [52, 48]);
  assert.deepEqual(cutRows([{ rows: 30, bytes: 300 }, { rows: 60, bytes: 600 }, { rows: 10, bytes: 100 }], CUTTING), [50, 50]);
});

test('a country that is too large for one segment is cut within, into so many that no thread stands idle', () => {
  const countries = [{ rows: 10, bytes: 0 }, { rows: 90, bytes: 3_600_000 }];
  assert.deepEqual(cutRows(countries, { ...CUTTING, rowsMin: 1_000 }), [25, 15, 15, 15, 15, 15]);
  assert.deepEqual(cutRows(countries, { ...CUTTING, rowsMin: 1_000, threads: 1 }), [28, 18, 18, 18, 18]);
});

test('a group has as many rows as fit of the country whose rows are the longest, whole batches, and at least one', () => {
  const grouping = { rowsMax: 122_880, bytesMax: 1e8 };
  assert.equal(groupRows([{ rows: 10_000_000, bytes: 2e9 }], grouping), 122_880);
  assert.equal(groupRows([{ rows: 10_000_000, bytes: 1e10 }], grouping), 48 * 2_048);
  assert.equal(groupRows([{ rows: 10_000_000, bytes: 1e9 }, { rows: 50_000, bytes: 1e9 }], grouping), 2 * 2_048);
  assert.equal(groupRows([{ rows: 50, bytes: 9e7 }, { rows: 3, bytes: 9e7 }], grouping), 2_048);
  assert.equal(groupRows([{ rows: 10_000_000, bytes: 2e9 }, { rows: 50, bytes: 9e7 }], grouping), 122_880, 'a few long rows make no small groups');
  assert.equal(groupRows([], grouping), 122_880);
});

test('of a balanced source the segments of the largest countries stay text, and about half of the bytes are compact', () => {
  const [small, middle, large] = [{ rows: 10, bytes: 100 }, { rows: 30, bytes: 300 }, { rows: 100, bytes: 1_000 }];
  assert.deepEqual(formsOf(CONTACTS, [large, ...Array.from({ length: 10 }, () => small), middle, middle, middle], [100, 100, 90]), ['text', 'compact', 'compact']);
  assert.deepEqual(formsOf(CONTACTS, [middle, large, middle], [40, 80, 40]), ['compact', 'text', 'compact'], 'a segment that ends in the largest country and one of it alone');
  assert.deepEqual(formsOf(CONTACTS, [large, large], [50, 50, 51, 49]), ['compact', 'compact', 'text', 'text'], 'halves that are not quite as large');
  assert.deepEqual(formsOf(CONTACTS, [small, large], [110]), ['compact'], 'a lake of one segment');
  assert.deepEqual(formsOf(CONTACTS, [], []), []);
});

test('of balanced companies more is compact than of contacts, as their index is larger', () => {
  const countries = Array.from({ length: 10 }, (_, at) => ({ rows: 100 + at, bytes: 1_000 + at }));
  const forms = (dataset: Storing['dataset']): string => formsOf({ storage: 'balanced', dataset }, countries, countries.map(({ rows }) => rows)).map(([letter]) => letter).join('');
  assert.deepEqual([forms('contacts'), forms('companies')], ['cccccttttt', 'ccccccccct']);
});

test('a source that is to be stored in one form is, whatever it has', () => {
  for (const form of ['text', 'compact'] as const) assert.deepEqual(formsOf({ storage: form, dataset: 'contacts' }, [{ rows: 10, bytes: 100 }, { rows: 90, bytes: 900 }], [10, 90]), [form, form]);
});

test('however a balanced source is cut, as much of it is compact as makes good for the index, and no text is of smaller countries than what is compact', () => {
  const weight = fc.record({ rows: fc.integer({ min: 1, max: 500 }), each: fc.integer({ min: 100, max: 900 }) }).map(({ rows, each }) => ({ rows, bytes: rows * each }));
  const limits = fc.record({ rowsMin: fc.constant(1), threads: fc.integer({ min: 1, max: 9 }), bytesMax: fc.constantFrom(50_000, 400_000) });
  fc.assert(fc.property(fc.array(weight, { minLength: 1, maxLength: 12 }), limits, (weights, cutting) => {
    const cuts = cutRows(weights, cutting);
    const forms = formsOf(CONTACTS, weights, cuts);
    const rowsOf = weights.flatMap(({ rows, bytes }) => Array.from({ length: rows }, () => ({ bytes: bytes / rows, country: bytes })));
    let at = 0;
    const segments = cuts.map((rows, part) => {
      const own = rowsOf.slice(at, at += rows);
      const bytes = own.reduce((sum, row) => sum + row.bytes, 0);
      return { form: forms[part], bytes, mean: own.reduce((sum, row) => sum + row.bytes * row.country, 0) / bytes };
    });
    const bytesOf = (wanted: readonly { readonly bytes: number }[]): number => wanted.reduce((sum, { bytes }) => sum + bytes, 0);
    const compact = segments.filter(({ form }) => form === 'compact');
    assert.ok(bytesOf(compact) >= 0.4 * bytesOf(segments) * (1 - 1e-9), `${bytesOf(compact)} of ${bytesOf(segments)}`);
    const largest = Math.max(...compact.map(({ mean }) => mean));
    for (const { form, mean } of segments) if (form === 'text') assert.ok(mean >= largest * (1 - 1e-9));
  }), { numRuns: 300 });
});

test('whatever is cut, no row is lost, no segment empty, and none larger than it may be', () => {
  const weight = fc.record({ rows: fc.integer({ min: 1, max: 500 }), each: fc.integer({ min: 0, max: 900 }) }).map(({ rows, each }) => ({ rows, bytes: rows * each }));
  const cutting = fc.record({ rowsMin: fc.constantFrom(1, 1_000, 1_000_000), threads: fc.integer({ min: 1, max: 9 }), bytesMax: fc.constantFrom(50_000, 400_000, 10_000_000) });
  fc.assert(fc.property(fc.array(weight, { maxLength: 12 }), cutting, (weights, limits) => {
    const cuts = cutRows(weights, limits);
    assert.equal(cuts.reduce((sum, rows) => sum + rows, 0), weights.reduce((sum, { rows }) => sum + rows, 0));
    assert.ok(cuts.every((rows) => rows > 0));
    const bytesOfRow = weights.flatMap(({ rows, bytes }) => Array.from({ length: rows }, () => bytes / rows));
    let at = 0;
    for (const rows of cuts) {
      const bytes = bytesOfRow.slice(at, at += rows).reduce((sum, each) => sum + each, 0);
      assert.ok(bytes <= limits.bytesMax + 900, `${bytes} bytes`);
    }
  }), { numRuns: 300 });
});
