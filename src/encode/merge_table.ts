import { LIMITS } from '../config/limits.ts';
import type { Chunk, RowAt } from '../model/chunk.ts';
import type { Expander } from '../segment/expander.ts';
import { viewOf } from '../segment/row_bytes.ts';
import { runEnd, type RowOut } from './rows.ts';

const NEWLINE = 0x0a;

/** Numbers of what is told of a row, and of each of its donors: see `merge` in `desk_rows.wat`. */
const [ROW_WORDS, DONOR_WORDS, WORD_BYTES] = [5, 2, 4];
const AS_IT_STANDS = -1;
const ROW_WORDS_MAX = ROW_WORDS + DONOR_WORDS * LIMITS.donorsOnDeskMax;

/** Neighbours of a chunk that were brought in one go, the last that were: hardly anybody asks for rows before them again, but several rows of one group, which are filled from the same; then they are brought anew. */
type Brought = { readonly chunk: Chunk; first: number; end: number; shift: number };

const NO_DONORS: readonly RowAt[] = [];

/** Has rows of several sources stand on the scratch of a desk, a line each, behind a table of what each row of an answer is to be made of. */
export class MergeTable {
  readonly #desk: Expander;
  readonly #words: Int32Array;
  /** Where the next row is told, and where the next text is to stand. */
  #word = 0;
  #at = 0;
  #brought: Brought[] = [];
  /** The sources that were told last, and where. */
  #sources: readonly string[] | null = null;
  #sourcesAt = 0;
  #sourcesEnd = 0;

  constructor(desk: Expander) {
    this.#desk = desk;
    this.#words = new Int32Array(desk.memory.buffer, desk.scratch.at, LIMITS.rowsOnDeskMax * ROW_WORDS_MAX);
  }

  /** Rows before `end`, up to one that finds no room or has too many donors; says how many. `whole`: those that nobody fills leave as they stand. */
  bring(rows: readonly RowOut[], { first, end }: { readonly first: number; readonly end: number }, whole: boolean): number {
    // Whoever asks for compact rows may have them spelled on the scratch: before any other stands there.
    for (let row = first; row < end; row++) void rows[row]!.chunk.bytes;
    this.#word = 0;
    this.#at = this.#desk.scratch.at + WORD_BYTES * this.#words.length;
    this.#sources = null;
    this.#brought = [];
    const last = Math.min(end, first + LIMITS.rowsOnDeskMax);
    let next = first;
    while (next < last && this.#tell(rows[next]!, last - next, whole)) next++;
    this.#brought = [];
    return next - first;
  }

  /** `ahead`: how many rows are to come, with this one. */
  #tell(out: RowOut, ahead: number, whole: boolean): boolean {
    const { chunk, row, fill, sources } = out;
    const donors = fill === null ? NO_DONORS : fill.donors();
    if (donors.length > LIMITS.donorsOnDeskMax || (sources !== null && !this.#tellSources(sources))) return false;
    const words = this.#words;
    const word = this.#word;
    if (!this.#place(word, chunk, row, ahead)) return false;
    words[word + 2] = this.#sourcesAt;
    words[word + 3] = sources === null ? 0 : this.#sourcesEnd - this.#sourcesAt;
    words[word + 4] = whole && fill === null && sources === null ? AS_IT_STANDS : donors.length;
    let next = word + ROW_WORDS;
    for (const donor of donors) {
      if (!this.#place(next, donor.chunk, donor.row, ahead)) return false;
      next += DONOR_WORDS;
    }
    this.#word = next;
    return true;
  }

  /** Puts where a row stands, and how many bytes it is without its line end. */
  #place(word: number, chunk: Chunk, row: number, ahead: number): boolean {
    const from = chunk.start[row]!;
    const bytes = chunk.end[row]! - from;
    const known = this.#knownOf(chunk);
    let at: number;
    if (known !== null && row >= known.first && row < known.end) at = from + known.shift;
    else if (bytes >= this.#desk.scratch.end - this.#at) return false;
    else at = this.#bring(chunk, row, ahead, known);
    this.#words[word] = at;
    this.#words[word + 1] = bytes;
    return true;
  }

  #knownOf(chunk: Chunk): Brought | null {
    for (const brought of this.#brought) if (brought.chunk === chunk) return brought;
    return null;
  }

  /** A row for which there is room, and its neighbours: those may be asked for that are to come. */
  #bring(chunk: Chunk, row: number, ahead: number, known: Brought | null): number {
    const { bytes, start, end: ends } = chunk;
    const { bytes: into, scratch } = this.#desk;
    const at = this.#at;
    const from = start[row]!;
    const room = scratch.end - at;
    let end = runEnd(chunk, row, { end: Math.min(chunk.rows, row + ahead), bytesMax: room });
    if (ends[end - 1]! + 1 - from > room) end -= 1;
    const length = ends[end - 1]! - from;
    const text = viewOf(bytes, from, from + length);
    if (text.buffer instanceof SharedArrayBuffer) into.fill(text, at, at + length);
    else into.set(text, at);
    into[at + length] = NEWLINE;
    this.#at += length + 1;
    if (known !== null) [known.first, known.end, known.shift] = [row, end, at - from];
    else if (end > row + 1) this.#brought.push({ chunk, first: row, end, shift: at - from });
    return at;
  }

  #tellSources(sources: readonly string[]): boolean {
    if (sources === this.#sources) return true;
    const text = JSON.stringify(sources);
    if (3 * text.length >= this.#desk.scratch.end - this.#at) return false;
    this.#sources = sources;
    this.#sourcesAt = this.#at;
    this.#sourcesEnd = this.#at += this.#desk.bytes.write(text, this.#at);
    return true;
  }
}
