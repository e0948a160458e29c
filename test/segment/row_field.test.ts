import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Row } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { fieldReader } from '../../src/segment/row_field.ts';

const ODD = ['', '"', '\\', 'a\\', ',"email":"x"', ',', ',"', '":', '"id":', '[', ']', '}', '\n', '😀', 'É', 'null'];
const text = fc.oneof(fc.constantFrom(...ODD), fc.array(fc.constantFrom(...ODD), { maxLength: 4 }).map((parts) => parts.join('')), fc.string({ maxLength: 9 }));
const valueOf = { string: text, timestamp: text, strings: fc.array(text, { maxLength: 3 }), integer: fc.maxSafeInteger() };

for (const dataset of ['contacts', 'companies'] as const) {
  const { fields } = vocabulary(dataset, []);
  const anyRow = fc.record(Object.fromEntries(fields.map(({ name, type }) => [name, fc.option(valueOf[type] as fc.Arbitrary<Row[string]>, { freq: 3 })])));

  test(`${dataset}: one field is read as it is read with all others, whatever they hold`, () => {
    const readers = fields.map(({ name }) => [name, fieldReader(name)] as const);
    fc.assert(fc.property(anyRow, (row) => {
      const bytes = Buffer.from(`${JSON.stringify(row)}\n`);
      const whole = JSON.parse(bytes.toString()) as Row;
      for (const [name, read] of readers) assert.deepEqual(read(bytes), whole[name]);
    }), { numRuns: 500 });
  });
}

test('a field that a row does not have is null', () => {
  assert.equal(fieldReader('email')(Buffer.from('{"id":"a:1"}\n')), null);
  assert.equal(fieldReader('id')(Buffer.from('{}')), null);
});
