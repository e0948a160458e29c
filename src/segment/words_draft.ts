import { fold, words } from '../lib/fold.ts';
import { NumberList } from '../lib/number_list.ts';
import { sortTexts } from '../lib/text_order.ts';
import { draftDictionary } from './dictionary.ts';
import { NULL_U32 } from './layout.ts';
import { gatherLists, gatherRows } from './lists.ts';
import type { PhraseSource } from './meta.ts';
import { PairsDraft, type CodeWords, type HeldValues } from './pairs_draft.ts';
import { PostingsWriter, type Lists, type PostingsContext } from './postings_writer.ts';
import type { ScannedRow } from './scanned_row.ts';
import type { SectionDrafts } from './sections.ts';
import { TextsDraft } from './texts_draft.ts';

/** A text column or a list with the words of its values, and, by code, a number that stands for no word. */
type Held = { readonly draft: TextsDraft; readonly words: CodeWords };

/** What is between two loose texts of a row. */
const BREAK = NULL_U32;

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
  readonly #loosePlaces: readonly number[];
  readonly #looseIds = new NumberList();
  readonly #looseEnds = new NumberList();
  readonly #ids = new Map<string, number>();

  /** `columns` are drafted by their owner, each with a dictionary of its own. */
  constructor(columns: readonly TextsDraft[], lists: readonly string[], texts: readonly string[], row: ScannedRow) {
    this.#columns = columns;
    this.#lists = lists.map((field) => listDraft(field, row));
    this.#loosePlaces = texts.map((field) => row.place(field));
  }

  add(row: ScannedRow): void {
    for (const list of this.#lists) list.add(row);
    for (const place of this.#loosePlaces) {
      const text = row.textOf(place);
      if (text === null) continue;
      for (const word of words(fold(text))) this.#looseIds.push(this.#idOf(word));
      this.#looseIds.push(BREAK);
    }
    this.#looseEnds.push(this.#looseIds.length);
  }

  /** `finals` are the final codes of the columns, by code as met. */
  draft(drafts: SectionDrafts, finals: readonly Uint32Array[], context: PostingsContext, checkpoint: () => void): PhraseSource[] {
    const columns = this.#columns.map((draft): Held => ({ draft, words: this.#wordsOf(draft) }));
    const lists = this.#lists.map((draft): Held => ({ draft, words: this.#wordsOf(draft) }));
    const sorted = sortTexts([...this.#ids.keys()]);
    const final = new Uint32Array(sorted.length);
    sorted.forEach((word, at) => { final[this.#ids.get(word)!] = at; });
    draftDictionary(drafts, 'words', sorted);
    checkpoint();
    const held = [...columns, ...lists];
    const all = this.#draftRows(drafts, held, final, context);
    checkpoint();
    draftLoose(drafts, all, gatherRows(final.length, context.rows, (row, visit) => this.#eachLooseWord(row, final, visit)), context);
    checkpoint();
    const { sources, values } = draftSources(drafts, { columns, finals, lists, context });
    checkpoint();
    this.#draftPairs(drafts, { held, values, final, context });
    return sources;
  }

  #draftRows(drafts: SectionDrafts, held: readonly Held[], final: Uint32Array, context: PostingsContext): Lists {
    const all = gatherRows(final.length, context.rows, (row, visit) => {
      for (const each of held) eachWord(each, row, (id) => visit(final[id]!));
      this.#eachLooseWord(row, final, visit);
    });
    const postings = new PostingsWriter(context, final.length, { inPages: true });
    postings.add(all);
    postings.draft(drafts, 'words.rows');
    return all;
  }

  #draftPairs(drafts: SectionDrafts, { held, values, final, context }: PairsInput): void {
    const pairs = new PairsDraft(values, final);
    pairs.draft(drafts);
    const place = (first: number, second: number): number => (first === BREAK || second === BREAK ? -1 : pairs.commonPlace(final[first]!, final[second]!));
    const common = held.map(({ draft, words }): Held => ({ draft, words: commonPairs(words, place) }));
    const postings = new PostingsWriter(context, pairs.common, { inPages: true });
    postings.add(gatherRows(pairs.common, context.rows, (row, visit) => {
      for (const each of common) eachWord(each, row, visit);
      let before = BREAK;
      this.#eachLoose(row, (id) => {
        const at = place(before, id);
        if (at >= 0) visit(at);
        before = id;
      });
    }));
    postings.draft(drafts, 'pairs.rows');
  }

  #eachLooseWord(row: number, final: Uint32Array, visit: (word: number) => void): void {
    this.#eachLoose(row, (id) => { if (id !== BREAK) visit(final[id]!); });
  }

  /** Every word of the row's loose texts, `BREAK` after each text. */
  #eachLoose(row: number, visit: (id: number) => void): void {
    const end = this.#looseEnds.at(row);
    for (let at = row === 0 ? 0 : this.#looseEnds.at(row - 1); at < end; at++) visit(this.#looseIds.at(at));
  }

  #wordsOf(draft: TextsDraft): CodeWords {
    return byCode(draft.keys.length, (code, push) => { for (const word of words(draft.keys[code]!)) push(this.#idOf(word)); });
  }

  #idOf(word: string): number {
    const known = this.#ids.get(word);
    if (known !== undefined) return known;
    this.#ids.set(word, this.#ids.size);
    return this.#ids.size - 1;
  }
}

type PairsInput = { readonly held: readonly Held[]; readonly values: readonly HeldValues[]; readonly final: Uint32Array; readonly context: PostingsContext };

function listDraft(field: string, row: ScannedRow): TextsDraft {
  return new TextsDraft({ spec: { name: field, field, compares: 'folded', description: '', example: null }, form: 'texts', listed: true }, row);
}

function byCode(codes: number, eachOf: (code: number, push: (id: number) => void) => void): CodeWords {
  const starts = new NumberList(codes + 1);
  const ids = new NumberList();
  for (let code = 0; code < codes; code++) {
    starts.push(ids.length);
    eachOf(code, (id) => ids.push(id));
  }
  starts.push(ids.length);
  return { starts: starts.view(), ids: ids.view() };
}

/** The common pairs of each code's words. */
function commonPairs({ starts, ids }: CodeWords, placeOf: (first: number, second: number) => number): CodeWords {
  return byCode(starts.length - 1, (code, push) => {
    for (let at = starts[code]! + 1; at < starts[code + 1]!; at++) {
      const place = placeOf(ids[at - 1]!, ids[at]!);
      if (place >= 0) push(place);
    }
  });
}

function eachWord({ draft, words }: Held, row: number, visit: (word: number) => void): void {
  draft.eachCodeOf(row, (code) => {
    for (let at = words.starts[code]!; at < words.starts[code + 1]!; at++) visit(words.ids[at]!);
  });
}

/** A list that is left out has the number of rows that the word has in all. */
function draftLoose(drafts: SectionDrafts, all: Lists, loose: Lists, context: PostingsContext): void {
  const postings = new PostingsWriter(context, all.starts.length - 1);
  for (let word = 0; word + 1 < all.starts.length; word++) {
    const count = all.starts[word + 1]! - all.starts[word]!;
    const rows = loose.rows.subarray(loose.starts[word], loose.starts[word + 1]);
    if (rows.length * 2 >= count) postings.leaveOut(count); else postings.addList(rows);
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
  postings.add(gatherLists(sorted.length, (visit) => draft.eachCode((code, row) => { if (places[code] !== NULL_U32) visit(places[code]!, row); })));
  postings.draft(drafts, `${name}.rows`);
  return order;
}
