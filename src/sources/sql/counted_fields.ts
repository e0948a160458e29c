import { fieldsRead } from '../../filter/matches.ts';
import { SUPPRESSED_BY } from '../../model/suppression/suppressions.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import type { Search } from '../source.ts';

/** What rows are counted by that match or not, and their values by facets: long texts, such as descriptions, are seldom among them. */
export function countedFields(search: Search, vocabulary: Vocabulary): string[] {
  return [...new Set([...fieldsRead(search, vocabulary), ...vocabulary.filters.map(({ field }) => field), ...SUPPRESSED_BY])];
}
