import { LIMITS } from '../../config/limits.ts';
import type { FacetCounts } from '../../model/answer.ts';
import { facetKey } from '../../model/compare.ts';
import type { Row } from '../../model/field.ts';
import { SUPPRESSED_BY, type Suppressions } from '../../model/suppression/suppressions.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { facetValues } from '../../sources/facet.ts';

/**
 * The suppressed rows that a scan came upon. An engine counts them, because it does not know of them: here they are taken back out of
 * its facets, and so is every value that is itself suppressed. Exact where the scan saw all matches; of a broad search the engine's counts
 * may hold suppressed rows that were not reached, but never one's address.
 */
export class Dropped {
  readonly #suppressions: Suppressions;
  readonly #vocabulary: Vocabulary;
  readonly #rows: Row[] = [];

  constructor(suppressions: Suppressions, vocabulary: Vocabulary) {
    this.#suppressions = suppressions;
    this.#vocabulary = vocabulary;
  }

  note(row: Row): void {
    if (this.#rows.length < LIMITS.foreignDroppedRowsMax) this.#rows.push(row);
  }

  without({ name, values, ...more }: FacetCounts): FacetCounts {
    const spec = this.#vocabulary.filters.find((filter) => filter.name === name)!;
    const gone = new Map<string, number>();
    for (const row of this.#rows) for (const key of facetValues(spec, row).keys()) gone.set(key, (gone.get(key) ?? 0) + 1);
    const left = values.map(([value, count]): readonly [string, number] => {
      const key = facetKey(spec.compares, value);
      const taken = Math.min(count, gone.get(key) ?? 0);
      gone.set(key, (gone.get(key) ?? 0) - taken);
      return [value, count - taken];
    });
    return { ...more, name, values: left.filter(([value, count]) => count > 0 && !(SUPPRESSED_BY.has(spec.field) && this.#suppressions.isSuppressed({ [spec.field]: value }))) };
  }
}
