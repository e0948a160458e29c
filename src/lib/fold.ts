import { isAscii } from './ascii.ts';

const MARKED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
const SPECIAL = /[łøđßæœþıς]/g;
const PLAIN: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ı: 'i', ς: 'σ' };
const WORD = /[\p{L}\p{Nd}\p{M}]+/gu;
const ASCII_WORD = /[a-z0-9]+/g;

/** The one folding rule for words and text filters. The final sigma is folded too: lower case alone would make it depend on its neighbours. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(MARKED, '$1').toLowerCase().replace(MARKED, '$1').replace(SPECIAL, (letter) => PLAIN[letter]!);
}

/** The words of a folded text, in order, repeats kept. */
export function words(folded: string): string[] {
  return folded.match(isAscii(folded) ? ASCII_WORD : WORD) ?? [];
}
