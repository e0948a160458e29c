import { LIMITS } from '../../config/limits.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { Filter } from '../../model/filter.ts';
import { charactersIn } from '../../lib/characters_in.ts';
import { isWellFormed } from '../../lib/well_formed.ts';

/** Refuses a filter's value; `why` goes on a sentence that begins with the filter's name and holds nothing the caller sent. */
export type Refuse = (why: string) => never;

/** What the filters of one request have cost so far. */
export type Spent = { foldedCharacters: number };

/** Makes a filter of the value that a caller gave it. */
export type Reader = (value: unknown, spent: Spent) => Filter;

type Lists = { readonly include: readonly unknown[] | null; readonly exclude: readonly unknown[] };

/** What a filter asks for in any of its list forms: a value, an array of them, or `{include?, exclude?}`. */
export function lists(value: unknown, refuse: Refuse): Lists {
  const found = isObject(value) ? listsOf(value, refuse) : { include: list(value, refuse), exclude: [] };
  const count = (found.include?.length ?? 0) + found.exclude.length;
  if (count > LIMITS.filterValuesMax) refuse(`has ${count} values, the most is ${LIMITS.filterValuesMax}`);
  return found;
}

function listsOf(value: JsonObject, refuse: Refuse): Lists {
  members(value, LISTED, refuse, 'include and exclude');
  return {
    include: value.include === undefined ? null : list(value.include, refuse),
    exclude: value.exclude === undefined ? [] : list(value.exclude, refuse),
  };
}

export const LISTED = ['include', 'exclude'] as const;

/** Refuses an object that is empty or has another member than those. `takes`: all that an object may be of, in words. */
export function members(value: JsonObject, known: readonly string[], refuse: Refuse, takes: string): void {
  const names = Object.keys(value);
  if (names.length === 0) refuse(`is an empty object: leave the filter out, or give an object of ${takes}`);
  if (names.some((name) => !known.includes(name))) refuse(`takes an object of ${takes}`);
}

function list(value: unknown, refuse: Refuse): readonly unknown[] {
  if (!Array.isArray(value)) return [value];
  return value.length === 0 ? refuse('is an empty array: leave the filter out, or give a value') : value;
}

/** A text as it may be compared: not blank, not endless, and whole. `place` counts from 1. */
export function plainText(value: unknown, place: number, refuse: Refuse): string {
  if (typeof value !== 'string') return refuse(`cannot use value ${place}: it is not a string`);
  if (!charactersIn(value, LIMITS.filterValueCharactersMax)) refuse(`cannot use value ${place}: it has more than ${LIMITS.filterValueCharactersMax} characters`);
  if (value.includes('\0') || !isWellFormed(value)) refuse(`cannot use value ${place}: it holds a NUL or half a surrogate pair`);
  if (value.trim() === '') refuse(`cannot use value ${place}: it is blank, and a blank matches no row`);
  return value;
}
