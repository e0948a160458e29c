/** What `String.prototype.trim` takes off, so that an engine's blanks are those of the exact test. */
export const BLANKS = '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
/** Letters that folding spells out, each with its plain form; upper-case ones are met before they are lowered. */
export const SPELT: readonly (readonly [letter: string, plain: string])[] = [
  ['ł', 'l'], ['Ł', 'l'], ['ø', 'o'], ['Ø', 'o'], ['đ', 'd'], ['Đ', 'd'], ['ı', 'i'],
  ['ß', 'ss'], ['ẞ', 'ss'], ['æ', 'ae'], ['Æ', 'ae'], ['œ', 'oe'], ['Œ', 'oe'], ['þ', 'th'], ['Þ', 'th'],
];
