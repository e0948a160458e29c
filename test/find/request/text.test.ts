import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseText } from '../../../src/find/request/text.ts';
import { fold, words } from '../../../src/lib/fold.ts';

/** Terms as a caller would write them. */
function terms(text: string): string[] | string {
  const parsed = parseText(text);
  if (typeof parsed === 'string') return parsed;
  return parsed.map(({ kind, words, negated }) => {
    const body = kind === 'phrase' ? `"${words.join(' ')}"` : `${words.join('+')}${kind === 'prefix' ? '*' : ''}`;
    return `${negated ? '-' : ''}${body}`;
  });
}

test('text is folded and cut into words at every character that is neither letter, digit nor mark', () => {
  assert.deepEqual(terms('VP, Engineering/München (EMEA)'), ['vp', 'engineering', 'munchen', 'emea']);
  assert.deepEqual(terms('vice-president o\'neil'), ['vice', 'president', 'o', 'neil']);
  assert.deepEqual(terms('Straße Łódź ﬁnance'), ['strasse', 'lodz', 'finance']);
  assert.deepEqual(terms('東京 हिन्दी'), ['東京', fold('हिन्दी')]);
});

test('a star at the end asks for a prefix, a quoted part for consecutive words in one field, a minus for absence', () => {
  assert.deepEqual(terms('eng* "vp engineering" -intern'), ['eng*', '"vp engineering"', '-intern']);
  assert.deepEqual(terms('vice-pres* -"head of" -co-founder -eng*'), ['vice', 'pres*', '-"head of"', '-"co founder"', '-eng*']);
  assert.deepEqual(terms('(eng*), sales*; "head", *'), ['eng*', 'sales*', 'head']);
  assert.deepEqual(terms('“vp engineering” „head of“'), ['"vp engineering"', '"head of"']);
  assert.deepEqual(terms('＂vp engineering＂ －intern ｅｎｇ＊'), ['"vp engineering"', '-intern', 'eng*']);
});

test('what only looks like an operator is no operator', () => {
  assert.deepEqual(terms('a - b e * "" c++ 5-10'), ['a', 'b', 'e', 'c', '5', '10']);
  assert.deepEqual(terms('"vp"'), ['vp']);
});

test('a quote that is not closed reaches to the end', () => {
  assert.deepEqual(terms('intern "vp engineering'), ['intern', '"vp engineering"']);
});

test('a term that is repeated counts once', () => {
  assert.deepEqual(terms('VP vp "vp" -vp'), ['vp', '-vp']);
});

test('what cannot be asked is said, not guessed', () => {
  assert.equal(terms('-co-found*'), 'negates a prefix of several words: negate one word or a phrase');
  for (const text of ['man*ger', '*ger', 'sales*;head', '-man*ger', 'vp (ＭＡＮ＊ger)']) assert.equal(terms(text), 'has a star before or within a word: a star stands at the end of one, as in eng*');
  for (const text of ['"vp eng*"', '"vp * sales"', '-"vp eng*', '„eng＊“', '"vp eng"*', 'us "head"**']) {
    assert.equal(terms(text), 'has a star in a phrase, or right behind it: a star stands at the end of a word without quotes, as in eng*');
  }
  assert.equal(terms('-- "" !'), 'has no word: give at least one letter or digit');
  assert.equal(terms('ﷺ '.repeat(17)), 'has more than 64 words');
});

test('every word of a text without operators is asked for, and every term is folded words', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
    const parsed = parseText(text);
    if (typeof parsed === 'string') return;
    for (const term of parsed) {
      assert.deepEqual(words(term.words.join(' ')), term.words);
      assert.equal(term.kind === 'phrase', term.words.length > 1);
    }
    const plain = text.replace(/["“”„‟«»*-]/g, ' ');
    if (plain === text && fold(text) === text) assert.deepEqual(new Set(parsed.flatMap((term) => term.words)), new Set(words(text)));
  }));
});
