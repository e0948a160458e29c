import type { Phrase, RoomyBytes, RowWriter } from './row_writer.ts';
import { PIECE_BYTES, ROW_HEAD, STENCIL_BYTES_MAX, stencilTable, STENCILS_MAX, VALUE_BYTES_MAX } from './row_form.ts';

/**
 * Writes compact rows. The fixed texts between two values are one stencil, once that has been met a few times; the rarer ones of a segment are put
 * together from several, or stand in the row as they are. A row costs a step in a tree for each of its texts.
 */
export class CompactRows implements RowWriter {
  readonly #phrases: Buffer[] = [];
  readonly #parts: (readonly Phrase[] | undefined)[] = [];
  readonly #stencils: Buffer[] = [Buffer.alloc(0)];
  readonly #root = new Gap(Buffer.alloc(0), []);
  #gaps = 0;
  /** Texts since the last value. */
  #gap = this.#root;
  /** Text of the row before them. */
  #before = 0;
  /** The stencil before the value that is open. */
  #stencil = 0;
  #valuesAt = 0;
  #pieces = Buffer.alloc(FIRST_PIECES * PIECE_BYTES);
  #piecesEnd = 0;
  /** That the next stencil takes. */
  #sightings = 2 ** SIGHTINGS_LOG;

  phrase(text: string): Phrase {
    return this.#phrases.push(Buffer.from(text)) - 1;
  }

  /** Of a text that is too long for a stencil, those that together are the same. */
  #partsOf(phrase: Phrase): readonly Phrase[] {
    const text = this.#phrases[phrase]!;
    return this.#parts[phrase] ??= Array.from({ length: Math.ceil(text.length / STENCIL_BYTES_MAX) }, (_, part) => (
      this.#phrases.push(text.subarray(part * STENCIL_BYTES_MAX, (part + 1) * STENCIL_BYTES_MAX)) - 1));
  }

  get textBytes(): number {
    return this.#before + this.#gap.text.length;
  }

  begin(out: RoomyBytes, at: number): number {
    out.reserve(at, ROW_HEAD.bytes);
    this.#gap = this.#root;
    this.#before = 0;
    this.#piecesEnd = 0;
    this.#valuesAt = at + ROW_HEAD.bytes;
    return this.#valuesAt;
  }

  fixed(phrase: Phrase, out: RoomyBytes, at: number): number {
    const next = this.#gap.next[phrase];
    if (next === undefined) return this.#explore(phrase, out, at);
    this.#gap = next;
    return at;
  }

  open(out: RoomyBytes, at: number): number {
    const gap = this.#gap;
    let to = at;
    if (gap.code !== 0 || gap === this.#root || this.#learn(gap)) this.#stencil = gap.code;
    else to = this.#spell(gap, out, at);
    this.#before += gap.text.length;
    this.#gap = this.#root;
    return to;
  }

  close(bytes: number): void {
    this.#before += bytes;
    let left = bytes;
    for (; left > VALUE_BYTES_MAX; left -= VALUE_BYTES_MAX) this.#piece(VALUE_BYTES_MAX);
    this.#piece(left);
  }

  /** Writes its head and its pieces. */
  end(out: RoomyBytes, at: number): number {
    const to = this.open(out, at);
    this.close(0);
    const pieces = this.#piecesEnd / PIECE_BYTES;
    out.reserve(to, this.#piecesEnd);
    const head = this.#valuesAt - ROW_HEAD.bytes;
    out.bytes.writeUInt32LE(this.#before, head + ROW_HEAD.text);
    out.bytes.writeUInt32LE(to - this.#valuesAt, head + ROW_HEAD.values);
    out.bytes.writeUInt32LE(pieces, head + ROW_HEAD.pieces);
    const control = this.#pieces;
    const end = this.#piecesEnd;
    const { bytes } = out;
    for (let place = 0; place < end; place++) bytes[to + place] = control[place]!;
    return to + end;
  }

  stencils(): Uint8Array {
    return stencilTable(this.#stencils);
  }

  #piece(bytes: number): void {
    if (this.#piecesEnd === this.#pieces.length) this.#pieces = Buffer.concat([this.#pieces], 2 * this.#pieces.length);
    this.#pieces[this.#piecesEnd] = this.#stencil;
    this.#pieces[this.#piecesEnd + 1] = bytes;
    this.#piecesEnd += PIECE_BYTES;
    this.#stencil = 0;
  }

  /** Texts that never stood side by side before. Where they are too long for one stencil, or gaps are too many, a new one begins behind a value of nothing. */
  #explore(phrase: Phrase, out: RoomyBytes, at: number): number {
    const text = this.#phrases[phrase]!;
    if (text.length > STENCIL_BYTES_MAX) {
      let to = at;
      for (const part of this.#partsOf(phrase)) to = this.fixed(part, out, to);
      return to;
    }
    if (this.#gap === this.#root) {
      this.#gap = this.#root.next[phrase] = new Gap(text, [phrase]);
      return at;
    }
    if (this.#gap.text.length + text.length <= STENCIL_BYTES_MAX && this.#gaps < GAPS_MAX) {
      this.#gaps++;
      this.#gap = this.#gap.next[phrase] = new Gap(Buffer.concat([this.#gap.text, text]), [...this.#gap.phrases, phrase]);
      return at;
    }
    const to = this.open(out, at);
    this.close(0);
    return this.fixed(phrase, out, to);
  }

  /** Whether the gap has a stencil now: it takes more sightings the fewer are left, so that the first rows do not take them all. */
  #learn(gap: Gap): boolean {
    if (++gap.sightings < this.#sightings) return false;
    gap.code = this.#stencils.push(gap.text) - 1;
    const taken = this.#stencils.length;
    this.#sightings = taken === STENCILS_MAX ? Infinity : 2 ** (SIGHTINGS_LOG + taken / STENCILS_A_LOG);
    return true;
  }

  /** By the longest of the stencils that its texts have, one behind the other; a text that has none stands in the row. */
  #spell(gap: Gap, out: RoomyBytes, at: number): number {
    let to = at;
    for (let first = 0; first < gap.phrases.length;) {
      let [longest, end] = [this.#root, first];
      let walked: Gap | undefined = this.#root;
      for (let place = first; walked !== undefined && place < gap.phrases.length; place++) {
        walked = walked.next[gap.phrases[place]!];
        if (walked !== undefined && walked.code !== 0) [longest, end] = [walked, place + 1];
      }
      if (end > first) {
        if (this.#stencil !== 0) this.#piece(0);
        this.#stencil = longest.code;
        first = end;
        continue;
      }
      const phrase = gap.phrases[first++]!;
      const text = this.#phrases[phrase]!;
      this.#learn(this.#root.next[phrase] ??= new Gap(text, [phrase]));
      out.reserve(to, text.length);
      to += text.copy(out.bytes, to);
      for (let left = text.length; left > 0; left -= VALUE_BYTES_MAX) this.#piece(Math.min(left, VALUE_BYTES_MAX));
    }
    return to;
  }
}

/** Gaps that are kept to be counted. */
const GAPS_MAX = 4_096;
const FIRST_PIECES = 64;
/** Sightings that the first stencil takes, as a power of two, and the stencils after which it takes twice as many. */
const SIGHTINGS_LOG = 2;
const STENCILS_A_LOG = 32;

/** The texts between two values, or the first of them. */
class Gap {
  readonly text: Buffer;
  readonly phrases: readonly Phrase[];
  readonly next: (Gap | undefined)[] = [];
  code = 0;
  sightings = 0;

  constructor(text: Buffer, phrases: readonly Phrase[]) {
    this.text = text;
    this.phrases = phrases;
  }
}
