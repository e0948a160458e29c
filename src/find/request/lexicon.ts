import { suggestion } from '../../lib/nearest.ts';
import type { Dataset } from '../../model/dataset.ts';
import { AppError } from '../../model/errors.ts';
import type { Filter, FilterSpec } from '../../model/filter.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { echoed } from './echo.ts';
import { filterExample, findExample } from './example.ts';
import { readIntervals } from './read_intervals.ts';
import { readPresence } from './read_presence.ts';
import { readTexts } from './read_texts.ts';
import type { Reader, Refuse, Spent } from './values.ts';

type KnownFilter = { readonly place: number; readonly read: Reader };

/** A vocabulary made ready to read requests with: made once, used by every call. */
export type Lexicon = {
  readonly dataset: Dataset;
  readonly filters: ReadonlyMap<string, KnownFilter>;
  /** Place of each row field in the row. */
  readonly fields: ReadonlyMap<string, number>;
  /** By their names as they were asked for: those that were lately, as a query has them. */
  readonly fieldLists: Map<string, readonly string[]>;
};

export type Lexicons = Readonly<Record<Dataset, Lexicon>>;

export function lexicon(vocabulary: Vocabulary): Lexicon {
  return {
    dataset: vocabulary.dataset,
    filters: new Map(vocabulary.filters.map((spec, place) => [spec.name, { place, read: filterReader(vocabulary.dataset, spec) }])),
    fields: new Map(vocabulary.fields.map(({ name }, place) => [name, place])),
    fieldLists: new Map(),
  };
}

function filterReader(dataset: Dataset, spec: FilterSpec): Reader {
  const refuse: Refuse = (why) => {
    throw new AppError('invalid_filter_value', `The filter ${spec.name} ${why}.`, { example: filterExample(dataset, spec) });
  };
  switch (spec.compares) {
    case 'country': case 'folded': case 'lower': case 'domain': case 'email': case 'enum': return readTexts(spec, refuse);
    case 'number': case 'date': return readIntervals(spec, refuse);
    case 'presence': return readPresence(spec, refuse);
    default: return spec.compares satisfies never;
  }
}

/** The filters of a request in the order of the vocabulary, whatever the caller's. */
export function readFilters(filters: JsonObject, { dataset, filters: known }: Lexicon): readonly Filter[] {
  const spent: Spent = { foldedCharacters: 0 };
  const found: Filter[] = [];
  let last = -1;
  for (const name of Object.keys(filters)) {
    const { place, read } = known.get(name) ?? unknownFilter(name, dataset, known);
    found.push(read(filters[name], spent));
    if (place < last) moveUp(found, place, known);
    else last = place;
  }
  return found;
}

/** Puts the last filter, which has this place, where it belongs among the others. */
function moveUp(found: Filter[], place: number, known: Lexicon['filters']): void {
  let at = found.length - 1;
  const filter = found[at]!;
  for (; at > 0 && known.get(found[at - 1]!.name)!.place > place; at -= 1) found[at] = found[at - 1]!;
  found[at] = filter;
}

export function unknownFilter(name: string, dataset: Dataset, known: Lexicon['filters']): never {
  const detail = `${dataset} has no filter ${echoed(name)}${suggestion(name, known.keys())}.`;
  throw new AppError('unknown_filter', detail, { example: findExample(dataset) });
}
