import type { Reading } from '../../filter/reading.ts';
import type { CountedChoice, CountedPresence, CountryCounts } from '../../segment/country_counts.ts';

/** A search as the counts by country know it. */
export type CountedSearch = { readonly choices: readonly CountedChoice[]; readonly presence: CountedPresence | null };

const CHOICES_MAX = 2;

/** Null where they cannot tell: more than two columns, or other conditions than on values and on one presence. */
export function countedSearch({ part, clauses, numbers, rowClauses }: Reading, counts: CountryCounts): CountedSearch | null {
  if (numbers.length > 0 || rowClauses.length > 0) return null;
  const wanted = new Map<number, Uint8Array>();
  let presence = part;
  for (const { negated, coded, leaves } of clauses) {
    const only = leaves[0];
    if (coded !== null) {
      const all = counts.codesOf(coded.column);
      if (all === undefined) return null;
      const codes = wanted.get(coded.column) ?? new Uint8Array(all.length).fill(1);
      wanted.set(coded.column, codes);
      keep(codes, coded.wanted, negated);
    } else if (presence === null && leaves.length === 1 && only?.form === 'bits' && only.presence !== null) {
      presence = { which: only.presence.which, wanted: !negated };
    } else return null;
  }
  if (wanted.size === 0 || wanted.size > CHOICES_MAX) return null;
  return { choices: Array.from(wanted, ([column, codes]) => ({ column, codes: placesOf(codes) })), presence };
}

/** Takes out what is not among the values, or, negated, what is. */
function keep(codes: Uint8Array, values: readonly number[], negated: boolean): void {
  for (let code = 0; code < codes.length; code++) if (values.includes(code) === negated) codes[code] = 0;
}

function placesOf(codes: Uint8Array): readonly number[] {
  const places: number[] = [];
  for (let code = 0; code < codes.length; code++) if (codes[code] === 1) places.push(code);
  return places;
}
