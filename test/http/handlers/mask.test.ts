import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masked } from '../../../src/http/handlers/mask.ts';

test('addresses are masked wherever they stand, phone numbers of any form where they are expected, and nothing else', () => {
  assert.deepEqual(
    masked([{ id: 'crm:jane.doe@acme.com', email: 'jane.doe@acme.com', phone: '+49 30 1234567', description: 'ask info@acme.com or x@y.z', employee_count: 7, city: null, skills: ['a@b', 'go'] }]),
    [{ id: 'crm:j***@acme.com', email: 'j***@acme.com', phone: '+49 ** *******', description: 'ask i***@acme.com or x***@y.z', employee_count: 7, city: null, skills: ['a***@b', 'go'] }]);
});

test('an address whose local part is quoted or has an apostrophe is masked as any other', () => {
  assert.deepEqual(masked(["o'brien@acme.com", '"jane.doe"@acme.com']), ['o***@acme.com', '"***@acme.com']);
  for (const local of ['jane doe', 'jane (doe)', 'jane,doe', 'jane@doe', 'jane\\"doe x']) assert.equal(masked(`ask "${local}"@acme.com`), 'ask "***@acme.com');
  assert.equal(masked('"ask jane@acme.com"'), '"ask j***@acme.com"');
});

test('a phone number is masked in whatever digits it was kept, and in the midst of a text where it is written as one is dialled from abroad', () => {
  assert.deepEqual(masked({ phone: '０３－１２３４－５６７８' }), { phone: '０３－****－****' });
  assert.deepEqual(
    masked({ id: 'crm:+4930123456', headline: 'Call me: +49 (0)30 / 123-456.', description: 'Since 2019, +1.555.010.0199, 10,000+ clients', facets: [{ value: '+442071234567', count: 2 }] }),
    { id: 'crm:+49********', headline: 'Call me: +49 (*)** / ***-***.', description: 'Since 2019, +1.***.***.****, 10,000+ clients', facets: [{ value: '+44**********', count: 2 }] });
  for (const text of ['grew by +20 to 30 %', 'C++ 11/14/17', 'of 12345678901', '2019-2023']) assert.equal(masked(text), text);
});
