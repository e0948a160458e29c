import { SourceFailure } from '../source.ts';

/**
 * The cursors that the other side gives in one walk: none may lead back, or the walk would have no end. The last is remembered, and one more, which is a
 * later one each time that the way has doubled: a round is found out within three times its length.
 */
export class Onward {
  #last: string | null;
  #mark: string | null = null;
  #pages = 0;

  constructor(first: string | null) { this.#last = first; }

  /** The cursor, to go on by. */
  by(cursor: string): string {
    if (cursor === this.#last || cursor === this.#mark) throw new SourceFailure('malformed', 'the cursor does not move on');
    this.#pages += 1;
    if ((this.#pages & (this.#pages - 1)) === 0) this.#mark = cursor;
    this.#last = cursor;
    return cursor;
  }
}
