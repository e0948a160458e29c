import { fieldsRead, matches } from '../../filter/matches.ts';
import type { Row } from '../../model/field.ts';
import { SUPPRESSED_BY, type Suppressions } from '../../model/suppression/suppressions.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import type { FoundRow, Search } from '../../sources/source.ts';
import { MemberReader, readRow } from './read_row.ts';

/** What a row must pass here, after the engine has let it through. Rows that need no look are not read, and of the others no more than is looked at. */
export class Residual {
  /** Fields that a row must bring to be tested. */
  readonly reads: ReadonlySet<string>;
  readonly #reader: MemberReader;
  readonly #test: (row: Row) => boolean;
  readonly #suppressed: Suppressions | null;
  readonly #onSuppressed: (row: Row) => void;

  /** `onSuppressed` is told of those that are among the matches of the source. */
  constructor(search: Search, vocabulary: Vocabulary, suppressed: Suppressions | null, onSuppressed: (row: Row) => void) {
    this.#test = matches(search.filters, search.terms, vocabulary);
    this.#suppressed = suppressed;
    this.#onSuppressed = onSuppressed;
    this.reads = new Set([...fieldsRead(search, vocabulary), ...(suppressed === null ? [] : SUPPRESSED_BY)]);
    this.#reader = new MemberReader(this.reads);
  }

  keeps({ json, sure, row: read }: Pick<FoundRow, 'json' | 'sure' | 'row'>): boolean {
    if (sure && this.#suppressed?.isEmpty !== false) return true;
    const row = read ?? this.#reader.read(json);
    if (!sure && !this.#test(row)) return false;
    if (this.#suppressed?.isSuppressed(row) !== true) return true;
    this.#onSuppressed(read ?? readRow(json));
    return false;
  }
}
