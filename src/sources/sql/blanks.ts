/** What `String.prototype.trim` takes off, so that an engine's blanks are those of the exact test. */
export const BLANKS = '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
/** Letters that folding spells out, each with its plain form; upper-case ones are met before they are lowered. */
export const SPELT: readonly (readonly [letter: string, plain: string])[] = [
  ['ł', 'l'], ['Ł', 'l'], ['ø', 'o'], ['Ø', 'o'], ['đ', 'd'], ['Đ', 'd'], ['ı', 'i'],
  ['ß', 'ss'], ['ẞ', 'ss'], ['æ', 'ae'], ['Æ', 'ae'], ['œ', 'oe'], ['Œ', 'oe'], ['þ', 'th'], ['Þ', 'th'],
];

/** Greek to the Vedic signs, of which some are marks, which vanish behind a letter; then kana, Han and Hangul. No sign of these becomes one of ASCII by folding. */
const MARKED = [['370', '37d'], ['37f', '1cff']] as const;
const UNMARKED = [['3041', '3096'], ['309b', '31ff'], ['3400', '9fff'], ['ac00', 'd7a3']] as const;

/** A pattern of what folding may make letters or digits of ASCII of, or take from between two. As ranges: classes of scripts take an engine a millisecond to compile. */
export function foldedToAscii(ascii: string, written: (sign: string) => string): string {
  const ranges = (of: readonly (readonly [string, string])[]): string => of.map(([from, to]) => `${written(from)}-${written(to)}`).join('');
  return `[^${ascii}${ranges([...MARKED, ...UNMARKED])}]|[A-Za-z][${ranges(MARKED)}]`;
}
