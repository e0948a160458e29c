import { fold, words } from '../../lib/fold.ts';

const INITIALS = /(?<!\p{L})(?:\p{L}\.)+\p{L}(?!\p{L})\.?/gu;

/** The folded words of a title, a blank between. Initials with points are one word: `V.P.`, `C.E.O`. */
export function titleWords(title: string): string {
  return words(fold(title.replace(INITIALS, (initials) => `${initials.replaceAll('.', '')} `))).join(' ');
}
