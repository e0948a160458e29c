import type { Filter } from '../model/filter.ts';
import type { Term } from '../model/query.ts';
import type { Segment, SegmentColumn } from '../segment/reader.ts';

/** Whether the segment can hold a match at all, told from its dictionaries without a scan or a row read: false is certain, true is not. */
export function canMatch(segment: Segment, filters: readonly Filter[], terms: readonly Term[]): boolean {
  return filters.every((filter) => canFilterMatch(segment, filter)) && terms.every((term) => canTermMatch(segment, term));
}

function canFilterMatch(segment: Segment, filter: Filter): boolean {
  switch (filter.kind) {
    case 'presence': return canPresenceMatch(segment, filter);
    case 'terms': {
      const { name, include } = filter;
      if (include === null) return true;
      if (name === 'country') return segment.meta.ranges.some(([country]) => country !== null && include.includes(country));
      return include.some((value) => holdsValue(segment.columns.get(name), value));
    }
    case 'intervals': {
      const column = segment.columns.get(filter.name);
      if (filter.include === null) return true;
      return column?.form === 'numbers' && filter.include.some(([min, max]) => {
        const [low, high] = column.column.codesWithin(min, max);
        return low <= high;
      });
    }
    default: return filter satisfies never;
  }
}

function holdsValue(column: SegmentColumn | undefined, value: string): boolean {
  switch (column?.form) {
    case undefined: case 'numbers': return false;
    case 'texts': return column.column.keys.find(value) >= 0;
    case 'lookup': return column.column.candidates(value).length > 0;
    default: return column satisfies never;
  }
}

function canPresenceMatch(segment: Segment, { name, present, absent }: Extract<Filter, { readonly kind: 'presence' }>): boolean {
  const field = segment.vocabulary.filters.find((spec) => spec.name === name)?.field;
  const before = field === undefined ? undefined : segment.presence.get(field)?.before;
  const count = before?.[before.length - 1] ?? 0;
  return (present && count > 0) || (absent && count < segment.rows);
}

function canTermMatch({ words: { dictionary } }: Segment, { kind, words, negated }: Term): boolean {
  if (negated) return true;
  if (kind !== 'prefix') return words.every((word) => dictionary.find(word) >= 0);
  const [from, to] = dictionary.prefixed(words[0]!);
  return from < to;
}
