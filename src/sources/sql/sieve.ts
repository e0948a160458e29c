import { LIMITS } from '../../config/limits.ts';
import { isAscii } from '../../lib/ascii.ts';
import { behind, pushing, type Bounds } from './bounds.ts';
import type { Reading } from './columns.ts';
import type { Sql } from './dialect.ts';

/**
 * Conditions that every match meets and that cost far less than the match: `pushed` can be told where rows are read, before anything else of them
 * is, and `before` tells more.
 */
type Sieve = { readonly pushed: Sql; readonly before: Sql };

/**
 * What every row meets whose value, folded or in lower case, holds one of these texts: they are looked for in what is stored, before values are made of it.
 * Null where the texts are too many, or the value is made of more than one text.
 */
export function sieveOf(field: string, texts: readonly string[], { dialect, columns, bind }: Reading): Sieve | null {
  const stored = columns.stored?.(field) ?? null;
  const { sieving } = dialect;
  if (stored === null || sieving === null || texts.length > LIMITS.sievedTextsMax) return null;
  const { text, escapes } = stored;
  const ascii = texts.filter(isAscii);
  // Of a list in JSON an escape may be any letter.
  const found = [...ascii.map((each) => sieving.holds(dialect.lower(text), each, bind)), ...(escapes ? [sieving.holds(text, '\\', bind)] : [])];
  const isOdd = `NOT ${dialect.isPlain(text)}`;
  const pushed = `(${[isOdd, ...found].join(' OR ')})`;
  // What is not ASCII may become anything but where a plain text is looked for among letters that never become one. A domain may stand for itself by its A-labels.
  if (ascii.length < texts.length || texts.some((each) => each.includes('xn--'))) return { pushed, before: pushed };
  return { pushed, before: `(CASE WHEN ${isOdd} AND ${sieving.mayFoldToAscii(text)} THEN ${dialect.yes} ELSE ${found.join(' OR ')} END)` };
}

export function sieved(sieve: Sieve | null, { dialect }: Reading, bounds: Bounds): Bounds {
  if (sieve === null) return bounds;
  const told = behind(sieve.before, bounds);
  return dialect.sieving?.isPushed === true ? pushing(sieve.pushed, told) : told;
}
