import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWellFormed } from '../../../src/lib/well_formed.ts';
import type { Row } from '../../../src/model/field.ts';
import { RowReader } from '../../../src/sources/clickhouse/rows.ts';
import { failsAs } from '../fails_as.ts';

const FIELDS = ['id', 'source', 'sources', 'full_name', 'email', 'skills', 'lead_score'];
const PHASE = { at: 3, keyClass: 1 };
const reader = new RowReader(FIELDS, { isList: (field) => field === 'skills' || field === 'sources' });

/** Of which each may be taken for the end of what it stands in. */
const TEXT = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom('"', '\\', ',', '{', '}', '[', ']', '"f:id":', 'f:', ',"@sure":1', '\n', ':', 'null', 'é', '😀', '@at')).map((parts) => parts.join('')),
).filter(isWellFormed);
const LIST = fc.array(TEXT, { maxLength: 4 });
const ROW = fc.record({
  id: TEXT, source: TEXT, sources: fc.array(TEXT, { minLength: 1, maxLength: 2 }), full_name: fc.option(TEXT), email: fc.option(TEXT), skills: LIST, lead_score: fc.option(fc.maxSafeInteger()),
});

function defined(row: Row): string {
  return FIELDS.map((field) => `"f:${field}":${JSON.stringify(row[field])}`).join(',');
}

test('rows come out as they are shown, whatever their texts', () => {
  fc.assert(fc.property(fc.array(fc.record({ row: ROW, key: TEXT, sure: fc.boolean() }), { maxLength: 5 }), fc.constantFrom('\n', '\n\n', '\n\n\n'), (given, gap) => {
    const lines = given.map(({ row, key, sure }) => `{${defined(row)},"@sure":${sure ? 1 : 0},"@at":${JSON.stringify(key)}}`).join(gap);
    const shown = given.map(({ row }) => JSON.stringify({ ...row, skills: row.skills.length === 0 ? null : row.skills }));
    const found = reader.found(Buffer.from(lines), PHASE);
    assert.deepEqual(found.map(({ json, ...more }) => ({ json: json.toString(), ...more })), given.map(({ key, sure }, nth) => ({ json: shown[nth], phase: 3, key, keyClass: 1, sure })));
    assert.deepEqual(reader.texts(Buffer.from(given.map(({ row }) => `{${defined(row)}}`).join(gap))), shown);
  }), { numRuns: 2_000 });
});

test('bytes that are no UTF-8 are put right', () => {
  const row = { id: 'x:1', source: 'x', sources: ['x'], full_name: '?', email: null, skills: ['a'], lead_score: 1 };
  const [before, behind] = `{${defined(row)},"@sure":1,"@at":"?"}`.split('"?"', 2) as [string, string];
  const line = Buffer.concat([Buffer.from(`${before}"J`), Buffer.of(0xff), Buffer.from(`"${behind}"`), Buffer.of(0xc3), Buffer.from('"}')]);
  const [found] = reader.found(line, PHASE);
  assert.deepEqual([found!.json, found!.key], [Buffer.from(JSON.stringify({ ...row, full_name: 'J\ufffd' })), '\ufffd']);
});

test('what is not what was asked for is malformed', () => {
  const row = defined({ id: 'x:1', source: 'x', sources: ['x'], full_name: 'Jo', email: null, skills: [], lead_score: 1 });
  const tail = ',"@sure":1,"@at":"1"';
  const odd = [
    row, `${row},"@sure":1`, `${row}${tail},"more":1`, `${row},"f:more":1${tail}`, `${row},"@sure":1,"@at":null`, `${row},"@sure":1,"@at":"1`, row.replace('f:email', 'email') + tail,
    row.replace('"f:skills":[],', '') + tail, row.replace('"Jo"', '"Jo') + tail, row.replace('[]', '[') + tail, '"f:id":"x:1"', '',
  ];
  for (const members of odd) assert.throws(() => reader.found(Buffer.from(`{${members}}`), PHASE), failsAs('malformed'), members);
  assert.throws(() => reader.texts(Buffer.from(`{${row}${tail}}`)), failsAs('malformed'));
});
