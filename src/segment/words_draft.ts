import { NumberList } from '../lib/number_list.ts';
import { sortTexts } from '../lib/text_order.ts';
import { draftDictionary } from './dictionary.ts';
import { NULL_U32 } from './layout.ts';
import { gatherRows, idsByCode, listByCode, type CodeIds, type Listing, type RowCodes } from './lists.ts';
import { BREAK, LooseDraft } from './loose_draft.ts';
import type { PhraseSource } from './meta.ts';
import { PairsDraft, type HeldValues } from './pairs_draft.ts';
import { PostingsWriter, type Lists, type PostingsContext } from './postings_writer.ts';
import type { ScannedRow } from './scanned_row.ts';
import type { SectionDrafts } from './sections.ts';
import { TextsDraft } from './texts_draft.ts';
import { WordIds } from './word_ids.ts';

/** A text column or a list with the words of its values, by code: their places in the dictionary. */
type Held = { readonly draft: TextsDraft; readonly words: CodeIds };

/**
 * The words of the searchable fields: of those whose distinct values are *held* in a dictionary, and of *loose* texts, nearly all different.
 *
 *   words.rows    rows that have the word in any of them
 *   words.loose   rows that have it in a loose text; left out where they are so many of all that `words.rows` tells nearly as much
 *
 * A phrase of two words is exact in held values by `pairs.*`, a longer one is verified in the values that have its pairs; in loose texts it
 * is verified in the rows that `words.loose` leaves, but for pairs whose rows are listed.
 */
export class WordsDraft {
  readonly #columns: readonly TextsDraft[];
  readonly #lists: readonly TextsDraft[];
  readonly #loose: LooseDraft;
  readonly #ids = new WordIds();

  /** `columns` are drafted by their owner, each with a dictionary of its own. */
  constructor(columns: readonly TextsDraft[], lists: readonly string[], texts: readonly string[], row: ScannedRow) {
    this.#columns = columns;
    this.#lists = lists.map((field) => listDraft(field, row));
    this.#loose = new LooseDraft(texts, row, this.#ids);
  }

  add(row: ScannedRow): void {
    for (const list of this.#lists) list.add(row);
    this.#loose.add(row);
  }

  /** `finals` are the final codes of the columns, by code as met. */
  draft(drafts: SectionDrafts, finals: readonly Uint32Array[], context: PostingsContext, checkpoint: () => void): PhraseSource[] {
    const met = [...this.#columns, ...this.#lists].map((draft) => idsByCode(draft.keys.length, (code, push) => this.#ids.eachOf(draft.keys[code]!, push)));
    const { dictionary, placeOf } = this.#ids.sorted();
    draftDictionary(drafts, 'words', dictionary);
    checkpoint();
    const placed = ({ starts, ids }: CodeIds): CodeIds => ({ starts, ids: ids.map((id) => placeOf[id]!) });
    const held = [...this.#columns, ...this.#lists].map((draft, at): Held => ({ draft, words: placed(met[at]!) }));
    const [columns, lists] = [held.slice(0, this.#columns.length), held.slice(this.#columns.length)];
    const pieces: Listing = { rows: this.#loose.rowCodes(), lists: placed(this.#loose.words()) };
    const all = gatherRows(dictionary.length, context.rows, [...held.map(listingOf), pieces]);
    draftWords(drafts, all, context);
    checkpoint();
    draftLoose(drafts, all, gatherRows(dictionary.length, context.rows, [pieces]), context);
    checkpoint();
    const { sources, values } = draftSources(drafts, { columns, finals, lists, context });
    checkpoint();
    draftPairs(drafts, { held, pieces, values, words: dictionary.length, context });
    return sources;
  }
}

const listingOf = ({ draft, words: own }: Held): Listing => ({ rows: draft.rowCodes(), lists: own });

function draftWords(drafts: SectionDrafts, all: Lists, context: PostingsContext): void {
  const postings = new PostingsWriter(context, all.starts.length - 1, { inPages: true });
  postings.add(all);
  postings.draft(drafts, 'words.rows');
}

type PairsInput = { readonly held: readonly Held[]; readonly pieces: Listing; readonly values: readonly HeldValues[]; readonly words: number; readonly context: PostingsContext };

function draftPairs(drafts: SectionDrafts, { held, pieces, values, words: wordCount, context }: PairsInput): void {
  const pairs = new PairsDraft(values, wordCount);
  pairs.draft(drafts);
  const common = held.map(({ draft, words: own }): Listing => ({ rows: draft.rowCodes(), lists: commonPairs(own, pairs) }));
  const itself = listByCode(Uint32Array.from({ length: pairs.common }, (_, place) => place));
  const postings = new PostingsWriter(context, pairs.common, { inPages: true });
  postings.add(gatherRows(pairs.common, context.rows, [...common, { rows: loosePairs(pieces, pairs), lists: itself }]));
  postings.draft(drafts, 'pairs.rows');
}

/** The common pairs of each row's loose texts, which may lie in one piece or in two. */
function loosePairs({ rows: { codes, ends }, lists: { starts, ids } }: Listing, pairs: PairsDraft): RowCodes {
  const places = new NumberList();
  const placesEnd = new NumberList(ends!.length);
  let at = 0;
  for (const end of ends!) {
    let before = BREAK;
    for (; at < end; at++) {
      const code = codes[at]!;
      if (code === BREAK) {
        before = BREAK;
        continue;
      }
      for (let word = starts[code]!; word < starts[code + 1]!; word++) {
        const place = before === BREAK ? -1 : pairs.commonPlace(before, ids[word]!);
        if (place >= 0) places.push(place);
        before = ids[word]!;
      }
    }
    placesEnd.push(places.length);
  }
  return { codes: places.view(), ends: placesEnd.view() };
}

function listDraft(field: string, row: ScannedRow): TextsDraft {
  return new TextsDraft({ spec: { name: field, field, compares: 'folded', description: '', example: null }, form: 'texts', listed: true }, row);
}

/** The common pairs of each code's words. */
function commonPairs({ starts, ids }: CodeIds, pairs: PairsDraft): CodeIds {
  return idsByCode(starts.length - 1, (code, push) => {
    for (let at = starts[code]! + 1; at < starts[code + 1]!; at++) {
      const place = pairs.commonPlace(ids[at - 1]!, ids[at]!);
      if (place >= 0) push(place);
    }
  });
}

/** A list that is left out has the number of rows that the word has in all. */
function draftLoose(drafts: SectionDrafts, all: Lists, loose: Lists, context: PostingsContext): void {
  const postings = new PostingsWriter(context, all.starts.length - 1);
  for (let word = 0; word + 1 < all.starts.length; word++) {
    const count = all.starts[word + 1]! - all.starts[word]!;
    const [from, to] = [loose.starts[word]!, loose.starts[word + 1]!];
    if ((to - from) * 2 >= count) postings.leaveOut(count); else postings.addList(loose.rows, from, to);
  }
  postings.draft(drafts, 'words.loose');
}

type SourcesInput = { readonly columns: readonly Held[]; readonly finals: readonly Uint32Array[]; readonly lists: readonly Held[]; readonly context: PostingsContext };

/** The dictionaries that hold values, those of lists drafted here, and how their values are numbered through. */
function draftSources(drafts: SectionDrafts, { columns, finals, lists, context }: SourcesInput): { readonly sources: PhraseSource[]; readonly values: HeldValues[] } {
  const sources: PhraseSource[] = [];
  const values: HeldValues[] = [];
  let base = 0;
  const addSource = (of: 'column' | 'list', at: number, { draft, words }: Held, order: Uint32Array): void => {
    sources.push({ of, name: draft.plan.spec.name, at, base, size: order.length });
    values.push({ words, order, base });
    base += order.length;
  };
  columns.forEach((held, at) => addSource('column', at, held, inverse(finals[at]!)));
  lists.forEach((held, at) => addSource('list', at, held, draftListValues(drafts, `list${at}`, held, context)));
  return { sources, values };
}

function inverse(final: Uint32Array): Uint32Array {
  const order = new Uint32Array(final.length);
  final.forEach((place, code) => { order[place] = code; });
  return order;
}

/** Dictionary and postings of a list's values of two words or more: a phrase can be in no other. Gives their codes in the order of the dictionary. */
function draftListValues(drafts: SectionDrafts, name: string, { draft, words: { starts } }: Held, context: PostingsContext): Uint32Array {
  const codeOf = new Map<string, number>();
  draft.keys.forEach((key, code) => { if (starts[code + 1]! - starts[code]! >= 2) codeOf.set(key, code); });
  const sorted = sortTexts([...codeOf.keys()]);
  const order = Uint32Array.from(sorted, (key) => codeOf.get(key)!);
  const places = new Uint32Array(draft.keys.length).fill(NULL_U32);
  order.forEach((code, place) => { places[code] = place; });
  draftDictionary(drafts, `${name}.keys`, sorted);
  const postings = new PostingsWriter(context, sorted.length);
  postings.add(gatherRows(sorted.length, context.rows, [{ rows: draft.rowCodes(), lists: listByCode(places) }]));
  postings.draft(drafts, `${name}.rows`);
  return order;
}
