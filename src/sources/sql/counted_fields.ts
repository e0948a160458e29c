import { fieldsRead } from '../../filter/matches.ts';
import { SUPPRESSED_BY } from '../../model/suppression/suppressions.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import type { Search } from '../source.ts';

/** What rows are counted by that match or not, and their values by facets: each column that is none of these is one less to be read. */
export function countedFields(search: Search, vocabulary: Vocabulary): string[] {
  const counted = vocabulary.filters.filter(({ name }) => search.facets?.includes(name) !== false);
  return [...new Set([...fieldsRead(search, vocabulary), ...counted.map(({ field }) => field), ...SUPPRESSED_BY])];
}
