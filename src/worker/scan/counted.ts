import type { Coded, Reading } from '../../filter/reading.ts';
import type { CountedChoice, CountedPresence, CountryCounts } from '../../segment/country_counts.ts';

/** A search as the counts by country know it. */
type CountedSearch = { readonly choices: readonly CountedChoice[]; readonly presence: CountedPresence | null };

const CHOICES_MAX = 2;

/** Null where they cannot tell: more than two columns, or other conditions than on values and on one presence. */
export function countedSearch({ part, clauses, numbers, rowClauses }: Reading, counts: CountryCounts): CountedSearch | null {
  if (numbers.length > 0 || rowClauses.length > 0) return null;
  const choices: CountedChoice[] = [];
  let presence = part;
  for (const { negated, coded, leaves } of clauses) {
    const only = leaves[0];
    if (coded !== null) {
      const all = counts.codesOf(coded.column);
      if (all === undefined) return null;
      choose(choices, coded, { all, negated });
    } else if (presence === null && leaves.length === 1 && only?.form === 'bits' && only.presence !== null) {
      presence = { which: only.presence.which, wanted: !negated };
    } else return null;
  }
  return choices.length === 0 || choices.length > CHOICES_MAX ? null : { choices, presence };
}

/** Adds what a clause chooses of a column; of one that was chosen of before takes out what is not among its values, or, negated, what is. */
function choose(choices: CountedChoice[], { column, wanted }: Coded, { all, negated }: { readonly all: readonly number[]; readonly negated: boolean }): void {
  const at = choices.findIndex((choice) => choice.column === column);
  const codes = at === -1 && !negated ? wanted : (choices[at]?.codes ?? all).filter((code) => wanted.includes(code) !== negated);
  choices[at === -1 ? choices.length : at] = { column, codes };
}
