import { Dictionary } from './dictionary.ts';
import type { PhraseSource, SegmentMeta } from './meta.ts';
import { Postings } from './postings.ts';
import type { Sections } from './sections.ts';
import type { TextsColumn } from './texts_column.ts';

export type PhraseValues = { readonly source: PhraseSource; readonly keys: Dictionary; readonly rows: Postings };

/** The words of the searchable fields; see `WordsDraft` for what the two posting lists of a word hold. */
export class Words {
  readonly dictionary: Dictionary;
  readonly held: Postings;
  readonly loose: Postings;
  readonly phrases: readonly PhraseValues[];
  readonly #valuesAt: Uint32Array;
  readonly #values: Uint32Array;

  constructor(sections: Sections, meta: SegmentMeta, columns: ReadonlyMap<string, TextsColumn>) {
    this.dictionary = new Dictionary(sections, 'words');
    this.held = new Postings(sections, 'words.held');
    this.loose = new Postings(sections, 'words.loose');
    this.#valuesAt = sections.u32('words.values.at');
    this.#values = sections.u32('words.values');
    this.phrases = meta.phrases.map((source) => {
      const column = source.of === 'column' ? columns.get(source.name)! : null;
      if (column !== null) return { source, keys: column.keys, rows: column.rows };
      return { source, keys: new Dictionary(sections, `list${source.at}.keys`), rows: new Postings(sections, `list${source.at}.rows`) };
    });
  }

  /** Held values of two words or more that contain the word, ascending. */
  valuesOf(word: number): Uint32Array {
    return this.#values.subarray(this.#valuesAt[word], this.#valuesAt[word + 1]);
  }
}
