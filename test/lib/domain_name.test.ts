import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asciiDomain, asciiEmail, letteredDomain, letteredEmail } from '../../src/lib/domain_name.ts';

test('a domain has one form, however it is typed', () => {
  for (const text of ['münchen.de', 'MÜNCHEN.de', 'mu\u0308nchen.de', 'ｍünchen．de', 'münchen。de', 'xn--mnchen-3ya.de', 'XN--Mnchen-3YA.DE']) {
    assert.equal(asciiDomain(text), 'xn--mnchen-3ya.de', text);
  }
  // The capital sharp s is one letter, not two.
  assert.equal(asciiDomain('STRAẞE.de'), asciiDomain('straße.de'));
  assert.equal(letteredDomain('xn--mnchen-3ya.de'), 'münchen.de');
  assert.equal(letteredDomain('xn--a.de'), 'xn--a.de');
});

test('what is no name is lower case alone: nothing is cut off or decoded', () => {
  for (const text of ['ü/b.de', 'ü%41.de', 'ü:80', 'Ü b.de', 'ü#', 'ü?', `${'ü'.repeat(254)}`, 'a..b', '127.1']) assert.equal(asciiDomain(text), text.toLowerCase(), text);
});

test('an address has one form: composed before the sign, a name behind it', () => {
  assert.equal(asciiEmail('Jo\u0308rg@MÜNCHEN.de'), 'jörg@xn--mnchen-3ya.de');
  assert.equal(letteredEmail('jörg@xn--mnchen-3ya.de'), 'jörg@münchen.de');
  assert.equal(asciiEmail('Two@At@Ü.de'), 'two@at@xn--tda.de');
});

test('the form of a form is itself, and so is that of its letters', () => {
  const part = fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.constantFrom('xn--', 'xn--mnchen-3ya', 'ẞ', 'İ', 'Σ', 'Ӏ', '\u{2f874}', '\u200d', '.', '@', '-', 'A'));
  fc.assert(fc.property(fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')), (text) => {
    const [domain, email] = [asciiDomain(text), asciiEmail(text)];
    assert.equal(asciiDomain(domain), domain);
    assert.equal(asciiDomain(letteredDomain(domain)), domain);
    assert.equal(asciiEmail(email), email);
    assert.equal(asciiEmail(letteredEmail(email)), email);
  }), { numRuns: 300 });
});
