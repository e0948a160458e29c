import { fold, words } from '../lib/fold.ts';
import { NumberList } from '../lib/number_list.ts';
import { sortTexts } from '../lib/text_order.ts';
import type { Row } from '../model/field.ts';
import { draftDictionary } from './dictionary.ts';
import { gatherLists } from './lists.ts';
import type { PhraseSource } from './meta.ts';
import { PostingsWriter, type PostingsContext } from './postings_writer.ts';
import type { SectionDrafts } from './sections.ts';
import { TextsDraft } from './texts_draft.ts';

/** The words of each code of a draft: those of code i are `ids[starts[i], starts[i + 1])`, in order, repeats kept. */
type CodeWords = { readonly starts: Uint32Array; readonly ids: Uint32Array };

type Held = { readonly draft: TextsDraft; readonly words: CodeWords };

/**
 * The words of the searchable fields. `words` is the dictionary; the rows of a word are the union of two posting lists:
 *
 *   words.held    rows that have it in a field whose distinct values are held in a dictionary
 *   words.loose   rows that have it in another searchable text
 *
 * A phrase is exact on held values by `words.values`: the held values of two words or more that contain the word, numbered through
 * all sources of phrases. In loose texts it is verified in the rows that `words.loose` leaves.
 */
export class WordsDraft {
  readonly #columns: readonly TextsDraft[];
  readonly #lists: readonly TextsDraft[];
  readonly #looseFields: readonly string[];
  readonly #looseIds = new NumberList();
  readonly #looseEnds = new NumberList();
  readonly #ids = new Map<string, number>();

  /** `columns` are drafted by their owner, each with a dictionary of its own. */
  constructor(columns: readonly TextsDraft[], lists: readonly string[], texts: readonly string[]) {
    this.#columns = columns;
    this.#lists = lists.map(listDraft);
    this.#looseFields = texts;
  }

  add(row: Row): void {
    for (const list of this.#lists) list.add(row);
    for (const field of this.#looseFields) {
      const text = row[field];
      if (typeof text === 'string') for (const word of words(fold(text))) this.#looseIds.push(this.#idOf(word));
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
    this.#draftRows(drafts, 'words.held', final, context, (row, visit) => {
      for (const held of columns) eachWord(held, row, visit);
      for (const held of lists) eachWord(held, row, visit);
    });
    checkpoint();
    this.#draftRows(drafts, 'words.loose', final, context, (row, visit) => this.#eachLoose(row, visit));
    checkpoint();
    return draftPhrases(drafts, { columns, finals, lists, words: final, context });
  }

  #draftRows(drafts: SectionDrafts, name: string, final: Uint32Array, context: PostingsContext, eachOfRow: (row: number, visit: (word: number) => void) => void): void {
    const seen = new Uint32Array(final.length);
    const postings = new PostingsWriter(context, final.length);
    postings.add(gatherLists(final.length, (visit) => {
      seen.fill(0);
      let row = 0;
      const once = (word: number): void => {
        if (seen[word] === row + 1) return;
        seen[word] = row + 1;
        visit(final[word]!, row);
      };
      for (; row < context.rows; row++) eachOfRow(row, once);
    }));
    postings.draft(drafts, name);
  }

  #eachLoose(row: number, visit: (word: number) => void): void {
    const end = this.#looseEnds.at(row);
    for (let at = row === 0 ? 0 : this.#looseEnds.at(row - 1); at < end; at++) visit(this.#looseIds.at(at));
  }

  #wordsOf(draft: TextsDraft): CodeWords {
    const starts = new NumberList(draft.keys.length + 1);
    const ids = new NumberList();
    for (const key of draft.keys) {
      starts.push(ids.length);
      for (const word of words(key)) ids.push(this.#idOf(word));
    }
    starts.push(ids.length);
    return { starts: starts.view(), ids: ids.view() };
  }

  #idOf(word: string): number {
    const known = this.#ids.get(word);
    if (known !== undefined) return known;
    this.#ids.set(word, this.#ids.size);
    return this.#ids.size - 1;
  }
}

function listDraft(field: string): TextsDraft {
  return new TextsDraft({ spec: { name: field, field, compares: 'folded', description: '', example: null }, form: 'texts', listed: true });
}

function eachWord({ draft, words }: Held, row: number, visit: (word: number) => void): void {
  draft.eachCodeOf(row, (code) => {
    for (let at = words.starts[code]!; at < words.starts[code + 1]!; at++) visit(words.ids[at]!);
  });
}

type PhraseDraft = {
  readonly columns: readonly Held[];
  readonly finals: readonly Uint32Array[];
  readonly lists: readonly Held[];
  readonly words: Uint32Array;
  readonly context: PostingsContext;
};

function draftPhrases(drafts: SectionDrafts, { columns, finals, lists, words, context }: PhraseDraft): PhraseSource[] {
  const sources: PhraseSource[] = [];
  const pairs = { words: new NumberList(), values: new NumberList() };
  let base = 0;
  const addSource = (of: 'column' | 'list', at: number, size: number, held: Held, final: Uint32Array): void => {
    pairValues(held.words, final, base, words, pairs);
    sources.push({ of, name: held.draft.plan.spec.name, at, base, size });
    base += size;
  };
  columns.forEach((held, at) => addSource('column', at, held.draft.keys.length, held, finals[at]!));
  lists.forEach((held, at) => {
    const final = draftListValues(drafts, `list${at}`, held, context);
    addSource('list', at, final.size, held, final.codes);
  });
  const values = gatherLists(words.length, (visit) => {
    for (let at = 0; at < pairs.words.length; at++) visit(pairs.words.at(at), pairs.values.at(at));
  });
  drafts.add('words.values.at', values.starts);
  drafts.add('words.values', sortEach(values.starts, values.rows));
  return sources;
}

const DROPPED = 0xffffffff;

/** The (word, value) pairs of all values of two words or more, each once. */
function pairValues({ starts, ids }: CodeWords, final: Uint32Array, base: number, words: Uint32Array, pairs: { words: NumberList; values: NumberList }): void {
  for (let code = 0; code < final.length; code++) {
    if (starts[code + 1]! - starts[code]! < 2 || final[code] === DROPPED) continue;
    for (const id of new Set(ids.subarray(starts[code], starts[code + 1]))) {
      pairs.words.push(words[id]!);
      pairs.values.push(base + final[code]!);
    }
  }
}

/** Dictionary and postings of a list's values of two words or more: a phrase can be in no other. */
function draftListValues(drafts: SectionDrafts, name: string, { draft, words }: Held, context: PostingsContext): { size: number; codes: Uint32Array } {
  const isPhrase = (code: number): boolean => words.starts[code + 1]! - words.starts[code]! >= 2;
  const sorted = sortTexts(draft.keys.filter((_, code) => isPhrase(code)));
  const place = new Map(sorted.map((key, at) => [key, at]));
  const codes = Uint32Array.from(draft.keys, (key) => place.get(key) ?? DROPPED);
  draftDictionary(drafts, `${name}.keys`, sorted);
  const postings = new PostingsWriter(context, sorted.length);
  postings.add(gatherLists(sorted.length, (visit) => draft.eachCode((code, row) => { if (codes[code] !== DROPPED) visit(codes[code]!, row); })));
  postings.draft(drafts, `${name}.rows`);
  return { size: sorted.length, codes };
}

function sortEach(starts: Uint32Array, items: Uint32Array): Uint32Array {
  for (let list = 0; list + 1 < starts.length; list++) items.subarray(starts[list], starts[list + 1]).sort();
  return items;
}
