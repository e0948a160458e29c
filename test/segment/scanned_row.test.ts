import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPresent } from '../../src/model/compare.ts';
import type { Row } from '../../src/model/field.ts';
import { identityOf } from '../../src/model/identity.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { ScannedIdentity } from '../../src/segment/scanned_identity.ts';
import { ScannedRow } from '../../src/segment/scanned_row.ts';
import { stampMs } from '../../src/segment/stamp.ts';
import { look } from '../support/looked_row.ts';
import { SEED } from '../support/seed.ts';
import { storedText } from '../support/stored_row.ts';

const EXTRAS = [{ name: 'say "so"', type: 'string', description: 'odd' }, { name: 'größe', type: 'integer', description: 'wide' }] as const;
const ODD = ['', ' ', ' a', 'a ', 'ANN@example.com', 'ann@example.com', '"', '\\', 'a\\', '","id":"', '[]', ']', '\b\n', '\u0001', '\u007f', '\u00a0', '\u2028', '😀', 'É@ü.de', 'null', '}'];
const text = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'binary', maxLength: 9 }).map((any) => any.replaceAll(/\p{Cs}/gu, '')));
const valueOf = { string: text, timestamp: text, strings: fc.array(text, { maxLength: 3 }), integer: fc.maxSafeInteger() };

for (const dataset of ['contacts', 'companies'] as const) {
  const words = vocabulary(dataset, EXTRAS);

  test(`${dataset}: a row that is looked at in place says what the object of it says`, () => {
    const anyRow = fc.record(Object.fromEntries(words.fields.map((field) => [field.name, field.name === 'id' ? text : fc.option(valueOf[field.type] as fc.Arbitrary<Row[string]>, { freq: 3 })])));
    const rows = fc.sample(anyRow, { numRuns: 1_500, seed: SEED }).map((row) => ({ ...row, source: 'any', sources: ['any'] }) as Row);
    const bytes = Buffer.from(rows.map((row) => `${storedText(words, 'any', row)}\n`).join(''));
    const scanned = new ScannedRow(words);
    const identity = new ScannedIdentity(dataset, scanned);
    let at = 0;
    for (const row of rows) {
      const start = at;
      at = look(words, scanned, bytes, at);
      assert.equal(scanned.end, at);
      for (const { name } of words.fields) {
        const place = scanned.place(name);
        assert.deepEqual(scanned.valueOf(place), Object.is(row[name], -0) ? 0 : row[name], `LDS_FUZZ_SEED=${SEED}`);
        assert.equal(scanned.isPresent(place), isPresent(row[name]), `LDS_FUZZ_SEED=${SEED}`);
      }
      identity.read(scanned);
      const wanted = identityOf(dataset, row);
      assert.equal(identity.class, wanted.class, `LDS_FUZZ_SEED=${SEED}`);
      assert.equal(identity.bytes.toString('utf8', identity.from, identity.to), wanted.key, `LDS_FUZZ_SEED=${SEED}`);
      if (identity.offset < 0) continue;
      const length = identity.to - identity.from;
      assert.equal(bytes.toString('utf8', start + identity.offset, start + identity.offset + length), wanted.key, `LDS_FUZZ_SEED=${SEED}`);
      assert.equal(bytes[start + identity.offset - 1], 0x22);
    }
    assert.equal(at, bytes.length);
  });
}

test('a time that is read in place is the time that the library reads', () => {
  const words = vocabulary('contacts');
  const scanned = new ScannedRow(words);
  const place = scanned.place('updated_at');
  const days = fc.tuple(
    fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }),
    fc.integer({ min: 0, max: 25 }), fc.integer({ min: 0, max: 61 }), fc.integer({ min: 0, max: 61 }),
  );
  const two = (part: number): string => String(part).padStart(2, '0');
  const drawn = fc.sample(days, { numRuns: 5_000, seed: SEED }).map(([year, month, day, hour, minute, second]) =>
    `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}Z`);
  const odd = ['2024-02-29T00:00:00Z', '2023-02-29T00:00:00Z', '1900-02-28T23:59:59Z', '2000-03-01T00:00:00Z', '1969-12-31T23:59:59Z', '2024-01-01', '2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00z', '2024/01-01T00:00:00Z', 'no time at all, none', ''];
  for (const stamp of [...odd, ...drawn]) {
    look(words, scanned, Buffer.from(`${storedText(words, 'any', { id: 'any:1', updated_at: stamp })}\n`), 0);
    assert.equal(stampMs(scanned, place), Date.parse(stamp), `${stamp}, LDS_FUZZ_SEED=${SEED}`);
  }
  look(words, scanned, Buffer.from(`${storedText(words, 'any', { id: 'any:1' })}\n`), 0);
  assert.equal(stampMs(scanned, place), Number.NaN);
});

test('bytes that are no stored row are refused, wherever they are cut or changed', () => {
  const words = vocabulary('companies');
  const scanned = new ScannedRow(words);
  const stored = `${storedText(words, 'any', { id: 'any:1', name: 'One "and" only', keywords: ['a', 'b]'], employee_count: 12 })}\n`;
  for (let cut = 0; cut < stored.length - 1; cut++) assert.throws(() => look(words, scanned, Buffer.from(`${stored.slice(0, cut)}\n`), 0), /does not stand/, `cut at ${cut}`);
  for (const [from, to] of [['"name":', '"n ame":'], [':12,', ': 12,'], ['["a","b]"]', '["a" "b]"]'], ['One', 'O\tne']] as const) {
    assert.throws(() => look(words, scanned, Buffer.from(stored.replace(from, to)), 0), /does not stand/, to);
  }
});
