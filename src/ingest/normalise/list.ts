import { LIMITS } from '../../config/limits.ts';
import { cut, listIn, tidy } from './text.ts';

const SEPARATORS = [/[;；\n]/, /\|/, /[,，、]/, /\s*•\s*|\s·\s/];

/** A list as Python (`['a', 'b']`), PostgreSQL (`{a,"b c"}`), Spark (`[a, b]`) and Mailchimp (`"a","b"`) print it. */
const PRINTED = /^\[\s*'.*'\s*\]$|^\{[^{}]*\}$|^\[(?!\s*["'])[^[\]]*\]$/s;
const QUOTED = /^"[^"]*"(?:,\s?"[^"]*")*$/;
const PRINTED_ITEM = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))\s*(?:,|$)/gy;

/** Skills, keywords and the like: a list of JSON or as programs print it, or a text cut at the first kind of separator it has; doubles out, order kept. */
export function listOf(text: string): string[] | null {
  const items = listIn(QUOTED.test(text) ? `[${text}]` : text) ?? printedIn(text) ?? text.split(SEPARATORS.find((separator) => separator.test(text)) ?? /\n/);
  const unique = new Map<string, string>();
  for (const item of items) {
    const clean = tidy(item);
    if (clean !== null && !unique.has(clean.toLowerCase())) unique.set(clean.toLowerCase(), cut(clean, LIMITS.listItemCharactersMax));
    if (unique.size === LIMITS.listItemsMax) break;
  }
  return unique.size === 0 ? null : [...unique.values()];
}

function printedIn(text: string): string[] | null {
  if (!PRINTED.test(text)) return null;
  return [...text.slice(1, -1).matchAll(PRINTED_ITEM)].map(([, single, double, plain]) => (single ?? double)?.replace(/\\(.)/g, '$1') ?? plain!);
}
