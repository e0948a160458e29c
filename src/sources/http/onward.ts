import { LIMITS } from '../../config/limits.ts';
import { SourceFailure } from '../source.ts';

/** What a page brought: rows that had not come before, none but those that had, or none. */
type Brought = 'more' | 'same' | 'nothing';

/**
 * The cursors that the other side gives in one walk: none may lead back, or the walk would have no end. The last is remembered, and one more, which is a
 * later one each time that the way has doubled: a round is found out within three times its length. Cursors that are new each time, as those that hold a time or are
 * enciphered, and are not heeded, are known by what comes.
 */
export class Onward {
  #last: string | null;
  #mark: string | null = null;
  #pages = 0;
  #repeated = 0;
  #empty = 0;

  constructor(first: string | null) { this.#last = first; }

  /** The cursor, to go on by, of a page that brought so much. */
  by(cursor: string, brought: Brought): string {
    if (cursor === this.#last || cursor === this.#mark) throw new SourceFailure('malformed', 'the cursor does not move on');
    this.#empty = brought === 'nothing' ? this.#empty + 1 : 0;
    if (brought !== 'nothing') this.#repeated = brought === 'same' ? this.#repeated + 1 : 0;
    if (this.#repeated > LIMITS.httpRepeatedPagesMax || this.#empty > LIMITS.httpEmptyPagesMax) throw new SourceFailure('malformed', 'its cursors lead to nothing new');
    this.#pages += 1;
    if ((this.#pages & (this.#pages - 1)) === 0) this.#mark = cursor;
    this.#last = cursor;
    return cursor;
  }
}
