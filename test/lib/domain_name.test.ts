import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asciiDomain, asciiEmail, asciiName, letteredDomain, letteredEmail } from '../../src/lib/domain_name.ts';

test('a domain has one form, however it is typed', () => {
  for (const text of ['münchen.de', 'MÜNCHEN.de', 'mu\u0308nchen.de', 'ｍünchen．de', 'münchen。de', 'xn--mnchen-3ya.de', 'XN--Mnchen-3YA.DE']) {
    assert.equal(asciiDomain(text), 'xn--mnchen-3ya.de', text);
  }
  // The capital sharp s is one letter, not two.
  assert.equal(asciiDomain('STRAẞE.de'), asciiDomain('straße.de'));
  assert.equal(letteredDomain('xn--mnchen-3ya.de'), 'münchen.de');
  assert.equal(letteredDomain('xn--a.de'), 'xn--a.de');
});

test('a name is the same on every Node: what was stored under one is found under another', () => {
  // Of what Node 20, 22 and 24 see differently: letters of Unicode 16, capitals, letters from right to left beside others, letters that are not seen.
  const names = {
    'a\u1c8ab.com': 'xn--ab-kur.com', 'aӀb.com': 'xn--ab-uyc.com', 'a1א.com': 'xn--a1-wld.com', '2تجربة.com': 'xn--2-1mcdck4a.com', '1-בנק.co.il': 'xn--1--zld4d9a.co.il', 'a\u2061b.com': 'ab.com',
  };
  for (const [text, ascii] of Object.entries(names)) {
    assert.equal(asciiName(text), ascii, text);
    assert.equal(asciiDomain(text), ascii, text);
  }
  assert.equal(asciiName('xn--a.com'), '');
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
