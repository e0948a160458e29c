import { Dictionary } from './dictionary.ts';
import { Postings } from './postings.ts';
import type { Sections } from './sections.ts';

/** The texts of one filter: dictionary, rows of each value, value of each row. */
export class TextsColumn {
  /** Its place among the columns of the segment. */
  readonly at: number;
  readonly keys: Dictionary;
  readonly rows: Postings;
  /** Code of each row, `keys.size` for null; of a list the codes of all rows, those of row i ending at `ends[i]`. */
  readonly codes: Uint8Array | Uint16Array | Uint32Array;
  readonly ends: Uint32Array | null;
  readonly #shown: Dictionary;

  constructor(sections: Sections, at: number, listed: boolean) {
    const name = `column${at}`;
    this.at = at;
    this.keys = new Dictionary(sections, `${name}.keys`);
    this.#shown = new Dictionary(sections, `${name}.shown`);
    this.rows = new Postings(sections, `${name}.rows`);
    const codes = sections.numbers(`${name}.codes`);
    if (codes instanceof Float64Array) throw new Error('codes are no doubles');
    this.codes = codes;
    this.ends = listed ? sections.u32(`${name}.ends`) : null;
  }

  /** The value as it was first spelled. Spellings are stored only where one differs from its key. */
  display(code: number): string {
    return (this.#shown.size > 0 && this.#shown.text(code)) || this.keys.text(code);
  }
}
