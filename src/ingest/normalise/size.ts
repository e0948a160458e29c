import { SIZES } from '../../model/field.ts';
import { countOf } from './number.ts';

const WORDS: ReadonlyMap<string, string> = new Map([['self-employed', '1-10'], ['self employed', '1-10'], ['myself only', '1-10'], ['micro', '1-10']]);
const FLOORS = SIZES.map((size) => Number.parseInt(size, 10));

/** The bracket of a headcount. */
export function sizeOfCount(employees: number): string | null {
  return employees < 1 ? null : SIZES[FLOORS.findLastIndex((floor) => floor <= employees)]!;
}

/** Open above: `10000+` is all that is larger, and hardly any that has just so many. */
const ABOVE = /^\s*(?:>|over|more)|\d\s*k?\s*(?:\+|plus\b|(?:or|and) (?:more|above|over|up)\b)/;

/** The bracket of `51 - 200 employees`, `10,001+`, `11–50`, `1K-5K` or a plain count; of other ranges the one that holds their middle. */
export function sizeOf(text: string): string | null {
  const plain = text.toLowerCase().trim();
  const known = WORDS.get(plain);
  if (known !== undefined) return known;
  const bounds = [...plain.replace(/(\d)[,.'’\s](?=\d{3}(?!\d))/g, '$1').matchAll(/(\d+(?:\.\d+)?)\s*(k)?/g)].map(([, digits, k]) => Number(digits) * (k === undefined ? 1 : 1_000));
  const [low, high] = bounds;
  if (low === undefined || bounds.length > 2) return null;
  if (high !== undefined) return sizeOfCount(high <= low ? low : middle(low, high));
  if (/^\s*(?:<|under|less|fewer|up to)/.test(plain)) return sizeOfCount(Math.max(1, low - 1));
  return sizeOfCount(ABOVE.test(plain) ? low + 1 : low);
}

const RANGE = /\d\s*k?\s*(?:[-–—]|to)\s*\d/i;

/** The bracket of a count as people write it, or of a range in its place; `10000+` is all that is larger here too. */
export function sizeOfHeads(text: string): string | null {
  if (RANGE.test(text)) return sizeOf(text);
  const employees = countOf(text) ?? 0;
  return sizeOfCount(employees > 0 && ABOVE.test(text.toLowerCase()) ? employees + 1 : employees);
}

/** LinkedIn writes 1-10 as `0-1` and `2-10`; a range is told by its middle, in ratio. */
function middle(low: number, high: number): number {
  return Math.ceil(Math.sqrt(Math.max(1, low) * high));
}
