import { LIMITS } from '../../config/limits.ts';
import { cut, listIn, tidy } from './text.ts';

const SEPARATORS = [/[;\n]/, /\|/, /,/, /\s*•\s*/];

/** Skills, keywords and the like: a JSON list, or a text cut at the first kind of separator it has; doubles out, order kept. */
export function listOf(text: string): string[] | null {
  const items = listIn(text) ?? text.split(SEPARATORS.find((separator) => separator.test(text)) ?? /\n/);
  const unique = new Map<string, string>();
  for (const item of items) {
    const clean = tidy(item);
    if (clean !== null && !unique.has(clean.toLowerCase())) unique.set(clean.toLowerCase(), cut(clean, LIMITS.listItemCharactersMax));
    if (unique.size === LIMITS.listItemsMax) break;
  }
  return unique.size === 0 ? null : [...unique.values()];
}
