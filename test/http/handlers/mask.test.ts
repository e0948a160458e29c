import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masked } from '../../../src/http/handlers/mask.ts';

test('addresses are masked wherever they stand, phone numbers where they are expected, and nothing else', () => {
  assert.deepEqual(
    masked([{ id: 'crm:jane.doe@acme.com', email: 'jane.doe@acme.com', phone: '+49 30 1234567', description: 'ask info@acme.com or x@y.z', employee_count: 7, city: null, skills: ['a@b', 'go'] }]),
    [{ id: 'crm:j***@acme.com', email: 'j***@acme.com', phone: '+49 ** *******', description: 'ask i***@acme.com or x***@y.z', employee_count: 7, city: null, skills: ['a***@b', 'go'] }]);
});

test('an address whose local part is quoted or has an apostrophe is masked as any other', () => {
  assert.deepEqual(masked(["o'brien@acme.com", '"jane.doe"@acme.com']), ['o***@acme.com', '"***@acme.com']);
  for (const local of ['jane doe', 'jane (doe)', 'jane,doe', 'jane@doe', 'jane\\"doe x']) assert.equal(masked(`ask "${local}"@acme.com`), 'ask "***@acme.com');
  assert.equal(masked('"ask jane@acme.com"'), '"ask j***@acme.com"');
});
