import { lowerBound } from '../lib/search.ts';
import { Dictionary } from './dictionary.ts';
import type { PhraseSource, SegmentMeta } from './meta.ts';
import { Postings, type RowList } from './postings.ts';
import type { Sections } from './sections.ts';
import type { TextsColumn } from './texts_column.ts';

type PhraseValues = { readonly source: PhraseSource; readonly keys: Dictionary; readonly rows: Postings; /** Whether no row has two of the values. */ readonly single: boolean };

/** The words of the searchable fields; see `WordsDraft` for what the posting lists of a word hold. */
export class Words {
  readonly dictionary: Dictionary;
  readonly rows: Postings;
  readonly pairs: Pairs;
  readonly phrases: readonly PhraseValues[];
  readonly #loose: Postings;

  constructor(sections: Sections, meta: SegmentMeta, columns: ReadonlyMap<string, TextsColumn>) {
    this.dictionary = new Dictionary(sections, 'words');
    this.rows = new Postings(sections, 'words.rows');
    this.#loose = new Postings(sections, 'words.loose');
    this.pairs = new Pairs(sections);
    this.phrases = meta.phrases.map((source) => {
      const column = source.of === 'column' ? columns.get(source.name)! : null;
      if (column !== null) return { source, keys: column.keys, rows: column.rows, single: column.ends === null };
      return { source, keys: new Dictionary(sections, `list${source.at}.keys`), rows: new Postings(sections, `list${source.at}.rows`), single: false };
    });
  }

  /** Rows among which are all that have the word in a loose text; null where there are none. */
  looseRows(word: number): RowList | null {
    const count = this.#loose.count(word);
    if (count === 0) return null;
    return (count === this.rows.count(word) ? this.rows : this.#loose).open(word);
  }
}

/** Words that stand one after the other in a held value, by first and second word. */
class Pairs {
  readonly #firstAt: Uint32Array;
  readonly #seconds: Uint32Array;
  readonly #valuesAt: Uint32Array;
  readonly #values: Uint32Array;
  readonly #common: Uint32Array;
  readonly #rows: Postings;

  constructor(sections: Sections) {
    this.#firstAt = sections.u32('pairs.at');
    this.#seconds = sections.u32('pairs.seconds');
    this.#valuesAt = sections.u32('pairs.values.at');
    this.#values = sections.u32('pairs.values');
    this.#common = sections.u32('pairs.common');
    this.#rows = new Postings(sections, 'pairs.rows');
  }

  /** The number of a pair of words, -1 where no held value has it. */
  find(first: number, second: number): number {
    const end = this.#firstAt[first + 1]!;
    const pair = lowerBound(this.#seconds, second, this.#firstAt[first], end);
    return pair < end && this.#seconds[pair] === second ? pair : -1;
  }

  /** Held values with the pair, ascending. */
  valuesOf(pair: number): Uint32Array {
    return this.#values.subarray(this.#valuesAt[pair], this.#valuesAt[pair + 1]);
  }

  /** All rows with the pair in any searchable text; null for a pair of few values, which has no list of its own. */
  rowsOf(pair: number): RowList | null {
    const list = lowerBound(this.#common, pair);
    return this.#common[list] === pair ? this.#rows.open(list) : null;
  }
}
