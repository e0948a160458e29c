import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { emailOf, readAddress } from '../../src/validate/syntax/address.ts';

type Row = { readonly email: string; readonly valid: boolean; readonly note: string };
const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'email');
const rows = (name: string): Row[] => JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as Row[];

function codeOf(input: string): string {
  const reading = readAddress(input);
  return reading.ok ? 'SYNTAX_OK' : reading.code;
}

/** Where this service is stricter than the grammar, on purpose. */
const POLICY = new Set(['SYNTAX_LITERAL_NOT_ALLOWED', 'SYNTAX_NO_TLD', 'SYNTAX_NUMERIC_TLD']);

test('agrees with isemail on all addresses but for the policies that its cases do not know', () => {
  const wrong = rows('isemail.json').filter(({ email, valid }) => {
    const code = codeOf(email);
    return (code === 'SYNTAX_OK') !== valid && !(valid && POLICY.has(code));
  });
  assert.deepEqual(wrong, []);
});

test('agrees with all but one of the addresses on which the suites of eleven other validators agree', () => {
  const agreed = rows('agreed.json');
  assert.deepEqual(agreed.filter(({ email, valid }) => (codeOf(email) === 'SYNTAX_OK') !== valid).map(({ email }) => email), ['somename@\uff47\uff4d\uff41\uff49\uff4c.com']);
  assert.ok(agreed.length >= 725 && agreed.filter(({ valid }) => valid).length >= 235);
});

test('differs from a browser\'s email field only by named rules', () => {
  const differences = rows('html5-input-email.json').flatMap(({ email, valid }) => {
    const code = codeOf(email);
    return (code === 'SYNTAX_OK') === valid ? [] : [`${email} ${code}`];
  });
  assert.deepEqual(differences, [
    'someone@127.0.0.1 SYNTAX_NUMERIC_TLD', 'ddjk-s-jk@asl-.com SYNTAX_LABEL_HYPHEN', '.wooly@example.com SYNTAX_LOCAL_DOT',
    'wo..oly@example.com SYNTAX_LOCAL_DOT', 'someone@do-.com SYNTAX_LABEL_HYPHEN', 'somebody@-.com SYNTAX_LABEL_HYPHEN', 'somebody@example SYNTAX_NO_TLD', '"testblah"@example.com SYNTAX_OK',
  ]);
});

const CODES: readonly (readonly [input: string, code: string])[] = [
  ['', 'SYNTAX_EMPTY'], [' \t', 'SYNTAX_EMPTY'], ['jane', 'SYNTAX_NO_AT'], ['a@b@c.com', 'SYNTAX_MULTIPLE_AT'], ['@acme.com', 'SYNTAX_LOCAL_EMPTY'],
  [`${'a'.repeat(64)}@acme.com`, 'SYNTAX_OK'], [`${'a'.repeat(65)}@acme.com`, 'SYNTAX_LOCAL_TOO_LONG'], [`${'ä'.repeat(33)}@acme.com`, 'SYNTAX_LOCAL_TOO_LONG'],
  ['.a@acme.com', 'SYNTAX_LOCAL_DOT'], ['a.@acme.com', 'SYNTAX_LOCAL_DOT'], ['a..b@acme.com', 'SYNTAX_LOCAL_DOT'], ['a,b@acme.com', 'SYNTAX_LOCAL_CHAR'], ['a\\b@acme.com', 'SYNTAX_LOCAL_CHAR'],
  ['"a b"@acme.com', 'SYNTAX_OK'], ['" a  \u00e4 "@acme.com', 'SYNTAX_OK'], ['"a\u00a0b"@acme.com', 'SYNTAX_WHITESPACE'], ['"a"b@acme.com', 'SYNTAX_QUOTE_UNCLOSED'], ['"a@acme.com', 'SYNTAX_QUOTE_UNCLOSED'], ['a"b"@acme.com', 'SYNTAX_QUOTE_UNCLOSED'],
  ['a(x)@acme.com', 'SYNTAX_COMMENT_NOT_ALLOWED'], ['a@acme.com(x)', 'SYNTAX_COMMENT_NOT_ALLOWED'], ['a b@acme.com', 'SYNTAX_WHITESPACE'], ['a@ac me.com', 'SYNTAX_WHITESPACE'],
  [' a@acme.com', 'SYNTAX_WHITESPACE'], ['a@acme.com\u00a0', 'SYNTAX_WHITESPACE'], ['a\r\n @acme.com', 'SYNTAX_WHITESPACE'], ['a\n@acme.com', 'SYNTAX_CONTROL_CHAR'], ['a@acme.com\r\n', 'SYNTAX_CONTROL_CHAR'],
  ['a\0@acme.com', 'SYNTAX_CONTROL_CHAR'], ['\ud800a@acme.com', 'SYNTAX_UNSAFE_UNICODE'], ['a\u200bb@acme.com', 'SYNTAX_UNSAFE_UNICODE'], ['a\u202eb@acme.com', 'SYNTAX_UNSAFE_UNICODE'],
  ['\u0301a@acme.com', 'SYNTAX_UNSAFE_UNICODE'], ['a\ue000@acme.com', 'SYNTAX_UNSAFE_UNICODE'], ['Jane <a@acme.com>', 'SYNTAX_DISPLAY_NAME'], ['<a@acme.com>', 'SYNTAX_DISPLAY_NAME'],
  ['a@', 'SYNTAX_DOMAIN_EMPTY'], ['a@.acme.com', 'SYNTAX_LABEL_EMPTY'], ['a@acme.com.', 'SYNTAX_LABEL_EMPTY'], ['a@acme..com', 'SYNTAX_LABEL_EMPTY'],
  [`a@${'b'.repeat(63)}.com`, 'SYNTAX_OK'], [`a@${'b'.repeat(64)}.com`, 'SYNTAX_LABEL_TOO_LONG'], [`a@${'b.'.repeat(126)}com`, 'SYNTAX_DOMAIN_TOO_LONG'],
  [`${'a'.repeat(64)}@${'b.'.repeat(94)}c`, 'SYNTAX_OK'], [`${'a'.repeat(64)}@${'b.'.repeat(95)}c`, 'SYNTAX_TOO_LONG'], ['x'.repeat(1_025), 'SYNTAX_TOO_LONG'], ['\u00e4'.repeat(513), 'SYNTAX_TOO_LONG'], ['\u00e4'.repeat(512), 'SYNTAX_NO_AT'],
  ['a@-acme.com', 'SYNTAX_LABEL_HYPHEN'], ['a@acme-.com', 'SYNTAX_LABEL_HYPHEN'], ['a@ac_me.com', 'SYNTAX_DOMAIN_CHAR'], ['a@acme,com', 'SYNTAX_DOMAIN_CHAR'], ['a@ac%41.com', 'SYNTAX_DOMAIN_CHAR'],
  ['a@acme.com/x', 'SYNTAX_DOMAIN_CHAR'], ['a@xn--a.com', 'SYNTAX_IDNA'], ['a@xn--.com', 'SYNTAX_LABEL_HYPHEN'], ['a@\u0301acme.com', 'SYNTAX_IDNA'], ['a@[192.0.2.1]', 'SYNTAX_LITERAL_NOT_ALLOWED'],
  ['a@[IPv6:2001:db8::1]', 'SYNTAX_LITERAL_NOT_ALLOWED'], ['a@[300.0.2.1]', 'SYNTAX_LITERAL_INVALID'], ['a@[', 'SYNTAX_LITERAL_INVALID'], ['a@acme', 'SYNTAX_NO_TLD'], ['a@127.0.0.1', 'SYNTAX_NUMERIC_TLD'],
  ['a@0x7f.1', 'SYNTAX_NUMERIC_TLD'], ['a@acme.c0m', 'SYNTAX_OK'], ['a@acme.4u', 'SYNTAX_NUMERIC_TLD'], ['a@acme.xn--p1ai', 'SYNTAX_OK'], ['\u{1f600}@acme.com', 'SYNTAX_OK'],
  ['jane\ufe0f@acme.com', 'SYNTAX_UNSAFE_UNICODE'], ['jane\ufe00@acme.com', 'SYNTAX_UNSAFE_UNICODE'], ['jane\u{e0100}@acme.com', 'SYNTAX_UNSAFE_UNICODE'], ['"j\ufe0fane doe"@acme.com', 'SYNTAX_UNSAFE_UNICODE'],
  ['\u2764\ufe0f@acme.com', 'SYNTAX_OK'], ['1\ufe0f\u20e3@acme.com', 'SYNTAX_OK'],
];

test('each fault has its own code', () => {
  for (const [input, code] of CODES) assert.equal(codeOf(input), code, JSON.stringify(input.slice(0, 80)));
});

const NORMAL: readonly (readonly [input: string, email: string, unicode?: string])[] = [
  ['Jane.Doe@ACME.Com', 'Jane.Doe@acme.com'], ['jane@b\u00fccher.de', 'jane@xn--bcher-kva.de', 'b\u00fccher.de'], ['jane@XN--BCHER-KVA.de', 'jane@xn--bcher-kva.de', 'b\u00fccher.de'],
  ['jane@fa\u00df.de', 'jane@xn--fa-hia.de', 'fa\u00df.de'], ['jane@\uff41cme\u3002com', 'jane@acme.com'], ['"jane"@acme.com', 'jane@acme.com'], ['"ja\\ne doe"@acme.com', '"jane doe"@acme.com'],
  ['jo\u0308rg@acme.com', 'j\u00f6rg@acme.com'],
];

test('an address is normalised: NFC, needless quotes gone, the domain in lower-case A-labels', () => {
  for (const [input, email, unicode] of NORMAL) {
    const reading = readAddress(input);
    assert.ok(reading.ok, input);
    assert.equal(emailOf(reading.address), email);
    if (unicode !== undefined) assert.equal(reading.address.domain.unicode, unicode);
  }
});

test('an address is as long as it was sent, and as it is normalised, whichever is more', () => {
  const domain = `${`${'b'.repeat(60)}.`.repeat(3)}acme.com`;
  const room = 254 - 1 - domain.length;
  for (const [local, octets] of [['k', 1], ['\u00e9', 2], ['\u212a', 3], ['e\u0301', 3]] as const) {
    const most = Math.floor(room / octets);
    assert.equal(codeOf(`${local.repeat(most)}@${domain}`), 'SYNTAX_OK', local);
    assert.equal(codeOf(`${local.repeat(most + 1)}@${domain}`), 'SYNTAX_TOO_LONG', local);
  }
});

test('what NFC turns into an ASCII special is refused as such', () => {
  assert.equal(codeOf('a\u037eb@acme.com'), 'SYNTAX_LOCAL_CHAR');
});

test('a quoted name is dequoted, and told to be international, by what NFC makes of it', () => {
  const readings = ['">\u0338"@acme.com', '"a\u037eb"@acme.com', '"\u212a \u037e"@acme.com', '"j\u00f6 "@acme.com'].map((input) => readAddress(input));
  assert.deepEqual(readings.map((reading) => (reading.ok ? [emailOf(reading.address), reading.address.local.eai] : null)), [
    ['\u226f@acme.com', true], ['"a;b"@acme.com', false], ['"K ;"@acme.com', false], ['"j\u00f6 "@acme.com', true],
  ]);
});

test('an outer blank or a display name is refused with the address inside as suggestion', () => {
  for (const input of [' jane@acme.com', 'jane@acme.com\t', 'jane@acme.com\n', '\ufeffjane@acme.com', 'Jane Doe <jane@acme.com>', '"Doe, Jane" <jane@acme.com>']) {
    const reading = readAddress(input);
    assert.equal(reading.ok ? null : reading.suggestion, 'jane@acme.com', JSON.stringify(input));
  }
});

test('the domain is known where only the local part is wrong', () => {
  const reading = readAddress('a..b@mailinator.com');
  assert.equal(reading.ok ? null : reading.domain?.ascii, 'mailinator.com');
});

test('no text breaks it, and what it accepts it accepts again, unchanged', () => {
  const piece = fc.oneof(
    fc.constantFrom('@', '.', '"', '\\', '(', ')', '[', ']', '<', '>', ' ', '\r\n', 'xn--', '-', 'com', 'IPv6:', '\u0000', '\u200d', '\ud800'),
    fc.string({ unit: 'grapheme', maxLength: 5 }), fc.string({ unit: 'binary', maxLength: 5 }),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
    const reading = readAddress(pieces.join(''));
    if (!reading.ok) return;
    const email = emailOf(reading.address);
    const again = readAddress(email);
    assert.ok(again.ok, JSON.stringify(email));
    assert.equal(emailOf(again.address), email);
    assert.ok(!/[\r\n\0<>](?![^"]*"@)/.test(email));
  }), { numRuns: 3_000 });
});

test('a megabyte of anything is answered in no more time than it takes to look at it', () => {
  for (const unit of ['a', '@', '.', '"', '"\\', '(', '<', ' ', 'xn--', '\u00e4', '\u0301', '\u200d', '[', 'a@b.', '1.']) {
    for (const size of [1_000, 1_048_576]) {
      const input = unit.repeat(size / unit.length);
      const startMs = performance.now();
      readAddress(input);
      readAddress(`a@${input.slice(0, 900)}.com`);
      assert.ok(performance.now() - startMs < 1_000, `${JSON.stringify(unit)} x ${size}`);
    }
  }
});
