import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../bench/support/figures.ts';
import { readByTheBook, readDomain } from '../../src/validate/syntax/domain.ts';
import { quickIdna } from '../../src/validate/syntax/idna.ts';
import { decodePunycode, encodePunycode } from '../../src/validate/syntax/punycode.ts';
import { SEED as seed } from '../support/seed.ts';

/** Blocks whose letters follow different rules: plain, upper case, marks, joiners, right to left, digits, full width, composed of parts, emoji, private. */
const BLOCKS: readonly (readonly [from: number, to: number])[] = [
  [0x61, 0x7a], [0x41, 0x5a], [0x30, 0x39], [0x2d, 0x2e], [0x80, 0xff], [0x100, 0x17f],
  [0x250, 0x2af], [0x2b0, 0x36f], [0x370, 0x3ff], [0x400, 0x4ff], [0x531, 0x58f], [0x5b0, 0x5f4], [0x600, 0x6ff], [0x900, 0x97f], [0xe00, 0xe7f], [0x1100, 0x11ff],
  [0x1e00, 0x1fff], [0x200b, 0x2010], [0x2060, 0x2070], [0x2100, 0x214f], [0x2260, 0x2270], [0x3000, 0x30ff], [0x4e00, 0x4eff],
  [0xac00, 0xac80], [0xd7b0, 0xd7ff], [0xe000, 0xe010], [0xf900, 0xf950], [0xfb00, 0xfb4f], [0xfe00, 0xfe2f], [0xff00, 0xffef],
  [0x10800, 0x10840], [0x1d400, 0x1d420], [0x1f600, 0x1f640], [0x1e900, 0x1e95f], [0x2f800, 0x2f820], [0xe0100, 0xe0110], [0x10fff0, 0x10ffff],
];

function name(chance: () => number): string {
  const block = (): readonly [number, number] => BLOCKS[Math.floor(chance() * BLOCKS.length)]!;
  const label = (): string => {
    const mostly = block();
    const letters = Array.from({ length: 1 + Math.floor(chance() * 8) }, () => {
      const [from, to] = chance() < 0.8 ? mostly : chance() < 0.7 ? BLOCKS[0]! : block();
      return from + Math.floor(chance() * (to - from + 1));
    });
    const text = String.fromCodePoint(...letters.map((point) => (point >= 0xd800 && point <= 0xdfff ? 0x61 : point)));
    const encoded = chance() < 0.2 ? encodePunycode(Array.from(text.toLowerCase(), (each) => each.codePointAt(0)!)) : null;
    return encoded === null ? text : `${chance() < 0.2 ? 'XN--' : 'xn--'}${chance() < 0.1 ? encoded.slice(1) : encoded}`;
  };
  return Array.from({ length: 1 + Math.floor(chance() * 3) }, label).join('.') + (chance() < 0.8 ? '.com' : '');
}

test(`an international name is read as by the tables of UTS-46, letter by letter or not (seed ${seed})`, () => {
  const chance = seeded(seed);
  let quick = 0;
  for (let round = 0; round < 6_000; round++) {
    const text = name(chance);
    const names = quickIdna(text);
    if (names === 'unsure') continue;
    quick += 1;
    const book = readByTheBook(text);
    if (names === null) assert.equal(book, 'SYNTAX_IDNA', JSON.stringify(text));
    else if (typeof book === 'string') assert.notEqual(book, 'SYNTAX_IDNA', JSON.stringify(text));
    else assert.deepEqual({ ...names, idn: names.ascii !== names.unicode }, book, JSON.stringify(text));
    if (/[^\x00-\x7f]/.test(text)) assert.deepEqual(readDomain(text), book, JSON.stringify(text));
  }
  assert.ok(quick > 1_500, `${quick} of 6,000 were read letter by letter`);
});

test('names as they occur are read letter by letter', () => {
  for (const text of ['b\u00fccher.de', 'B\u00fccher.DE', '\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444', '\u4f8b\u3048.jp', '\u0ba4\u0bae\u0bbf\u0bb4\u0bcd.com', '\u{1f600}.com', 'xn--bcher-kva.de', 'XN--BCHER-KVA.de', 'stra\u00dfe.de', '\uff47\uff4d\uff41\uff49\uff4c.com']) {
    assert.equal(typeof quickIdna(text), 'object', text);
    assert.deepEqual(readDomain(text), readByTheBook(text), text);
  }
});

test('Punycode is that of RFC 3492, there and back', () => {
  const points = (text: string): number[] => Array.from(text, (each) => each.codePointAt(0)!);
  for (const [text, encoded] of [['b\u00fccher', 'bcher-kva'], ['\u4ed6\u4eec\u4e3a\u4ec0\u4e48\u4e0d\u8bf4\u4e2d\u6587', 'ihqwcrb4cv8a8dqg056pqjye'], ['Pro\u010dprost\u011bnemluv\u00ed\u010desky', 'Proprostnemluvesky-uyb24dma41a'], ['\u{1f600}', 'e28h'], ['-\u00fc', '--eha']] as const) {
    assert.equal(encodePunycode(points(text)), encoded, text);
    assert.deepEqual(decodePunycode(encoded), points(text), encoded);
  }
  for (const broken of ['bcher-kv', '99999999', 'a-\u00fc', 'A-_']) assert.equal(decodePunycode(broken), null, broken);
  const chance = seeded(seed);
  for (let round = 0; round < 300; round++) {
    const some = Array.from({ length: 1 + Math.floor(chance() * 20) }, () => Math.floor(chance() * (chance() < 0.5 ? 0x80 : 0x10_ffff)));
    const encoded = encodePunycode(some);
    if (encoded !== null) assert.deepEqual(decodePunycode(encoded), some);
  }
});
