import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fold, words } from '../../src/lib/fold.ts';

const FOLDED: readonly (readonly [text: string, folded: string])[] = [
  ['München', 'munchen'],
  ['Mu\u0308nchen', 'munchen'],
  ['Łódź', 'lodz'],
  ['København', 'kobenhavn'],
  ['Đà Nẵng', 'da nang'],
  ['Straße', 'strasse'],
  ['STRAẞE', 'strasse'],
  ['Ærø Œuvre Þór', 'aero oeuvre thor'],
  ['İstanbul ISPARTA ısparta', 'istanbul isparta isparta'],
  ['Ａｃｍｅ ﬁ', 'acme fi'],
  ['Йошкар-Ола', 'иошкар-ола'],
  ['ΆΘΗΝΑΣ άθηνας', 'αθηνασ αθηνασ'],
  ['한국 ガ ग़', '한국 ガ ग़'.normalize('NFKD')],
];

describe('folding', () => {
  for (const [text, folded] of FOLDED) {
    it(`takes ${JSON.stringify(text)} as ${JSON.stringify(folded)}`, () => { assert.equal(fold(text), folded); });
  }

  it('of what is folded changes nothing', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => { assert.equal(fold(fold(text)), fold(text)); }));
  });

  it('keeps the marks of letters that are neither Latin, Greek nor Cyrillic', () => {
    assert.notEqual(fold('ग़'), fold('ग'));
  });
});

describe('words', () => {
  it('are cut at every character that is neither letter, digit nor mark', () => {
    assert.deepEqual(words(fold('VP, Sales & Ops/EMEA (R2-D2) C++ 日本語 naïve_name')), ['vp', 'sales', 'ops', 'emea', 'r2', 'd2', 'c', '日本語', 'naive', 'name']);
  });

  it('are those of the pieces between blanks, each folded by itself', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }),
      fc.constantFrom('ΆΘΗΝΑΣ', 'Σ', "Σ'", '\u0308', 'e\u0301', 'İ', 'ﬁ', 'ẞ', '\u00a0', '\u00b4', 'O’Neill', '한', '\u1100', '\u1161', '-', 'Ⅷ'),
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(' ')), (text) => {
      assert.deepEqual(text.split(' ').flatMap((each) => words(fold(each))), words(fold(text)));
    }), { numRuns: 5_000 });
  });
});
