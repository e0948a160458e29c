import { LIMITS } from '../../config/limits.ts';
import { fold, words } from '../../lib/fold.ts';
import type { Term } from '../../model/query.ts';

/** A piece of a free text: a quoted part, whose closing quote may be missing, with the stars right behind it, or a run without blanks and quotes; each may be negated. */
const PIECE = /(-?)"([^"]*(?:"\**|$))|(-?)([^\s"]+)/g;
/** A star right after the last word; a comma or a bracket may follow. */
const PREFIX = /[\p{L}\p{Nd}\p{M}]\*[^\p{L}\p{Nd}\p{M}]*$/u;
/** A star before or within a word: no such search is made, and without its star it would be another one. */
const LOST_STAR = /\*.*[\p{L}\p{Nd}\p{M}]/u;
const PHRASE_STAR = 'has a star in a phrase, or right behind it: a star stands at the end of a word without quotes, as in eng*';
const TYPOGRAPHIC_QUOTES = /[“”„‟«»]/g;

/** The terms of a free text, each once, or what is wrong with it. Folded first, so that full-width signs mean what they look like. */
export function parseText(text: string): readonly Term[] | string {
  const terms = new Map<string, Term>();
  let count = 0;
  for (const [, quoteMinus, quoted, minus, bare] of fold(text).replace(TYPOGRAPHIC_QUOTES, '"').matchAll(PIECE)) {
    const parsed = quoted === undefined ? bareTerms(bare!, minus === '-') : quotedTerms(quoted, quoteMinus === '-');
    if (typeof parsed === 'string') return parsed;
    for (const term of parsed) {
      terms.set(`${term.kind} ${term.negated} ${term.words.join(' ')}`, term);
      count += term.words.length;
    }
    if (count > LIMITS.queryWordsMax) return `has more than ${LIMITS.queryWordsMax} words`;
  }
  return terms.size === 0 ? 'has no word: give at least one letter or digit' : [...terms.values()];
}

/** `vice-pres*` asks for the word `vice` and the prefix `pres`; what is negated is the whole piece, as a phrase. */
function bareTerms(piece: string, negated: boolean): readonly Term[] | string {
  if (LOST_STAR.test(piece)) return 'has a star before or within a word: a star stands at the end of one, as in eng*';
  const found = words(piece);
  const isPrefix = PREFIX.test(piece);
  if (negated && isPrefix && found.length > 1) return 'negates a prefix of several words: negate one word or a phrase';
  if (negated && !isPrefix) return phraseTerms(found, true);
  return found.map((word, at): Term => ({ kind: isPrefix && at === found.length - 1 ? 'prefix' : 'word', words: [word], negated }));
}

/** No star means anything to a phrase: the caller who wrote one looks for more than would be found without it. */
function quotedTerms(piece: string, negated: boolean): readonly Term[] | string {
  return piece.includes('*') ? PHRASE_STAR : phraseTerms(words(piece), negated);
}

function phraseTerms(found: readonly string[], negated: boolean): readonly Term[] {
  return found.length === 0 ? [] : [{ kind: found.length === 1 ? 'word' : 'phrase', words: found, negated }];
}
