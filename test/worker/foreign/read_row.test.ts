import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWellFormed } from '../../../src/lib/well_formed.ts';
import type { Row } from '../../../src/model/field.ts';
import { SourceFailure } from '../../../src/sources/source.ts';
import { MemberReader, readRow } from '../../../src/worker/foreign/read_row.ts';

const NAMES = ['id', 'email', 'company_id', 'skills', 'employees', 'name'];
const TEXT = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom('"', '\\', ',', ':', '}', ']', '"email":null', '"id":', 'null', 'é', '😀', '\n')).map((parts) => parts.join('')),
).filter(isWellFormed);
const ODD = fc.constantFrom(null, 'a', 'null', 'ü@b.c', '', 0, -1, 15, 1e21, 0.5);
const VALUE: fc.Arbitrary<Row[string]> = fc.oneof(ODD, TEXT, fc.array(TEXT, { maxLength: 3 }), fc.maxSafeInteger());
const MEMBERS = fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), VALUE), { selector: ([name]) => name, maxLength: NAMES.length });
const ROW = MEMBERS.map((members) => Object.fromEntries(members) as Row);

test('members are read as they are in the whole row, of a text and of its bytes', () => {
  fc.assert(fc.property(ROW, fc.subarray([...NAMES, 'strange']), (row, names) => {
    const json = JSON.stringify(row);
    const reader = new MemberReader(new Set(names));
    for (const given of [json, Buffer.from(json)]) {
      const read = reader.read(given);
      for (const name of names) assert.deepEqual(read[name], row[name], json);
    }
  }), { numRuns: 5_000 });
});

test('no more of a row is read than is asked for', () => {
  const json = '{"id":"x:1","email":"a@b.c","name":null,"employees":12,"skills":["a"]}';
  assert.deepEqual(new MemberReader(new Set(['email', 'name', 'employees'])).read(Buffer.from(json)), { email: 'a@b.c', name: null, employees: 12 });
});

test('what is no JSON is malformed', () => {
  assert.throws(() => readRow('{"id":'), (error) => error instanceof SourceFailure && error.code === 'malformed');
});
