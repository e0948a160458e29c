import type { Phrase, RowCalls } from './row_calls.ts';
import { STENCIL_BYTES_MAX, stencilTable, STENCILS_MAX, VALUE_BYTES_MAX } from './row_form.ts';
import { MEMORY, type RowMemory } from './row_memory.ts';

/**
 * What compact rows are spelled with. The fixed texts between two values are one stencil, once that has been met a few times; the rarer ones of a segment are put
 * together from several, or stand in the row as they are. Texts that stood side by side before are a step in a tree, which the writer goes by itself; it asks here where
 * there is no such step, or no stencil yet.
 */
export class Stencils {
  readonly #memory: RowMemory;
  #calls!: RowCalls;
  readonly #phrases: Uint8Array[] = [];
  readonly #stencils: Uint8Array[] = [Buffer.alloc(0)];
  readonly #root = new Gap(0, Buffer.alloc(0), []);
  /** By their numbers. */
  readonly #gaps: Gap[] = [this.#root];
  /** Of more than one text. */
  #longer = 0;
  /** Gaps with a text that they have no room for. */
  #ends = 0;
  /** That the next stencil takes. */
  #sightings = 2 ** SIGHTINGS_LOG;

  constructor(memory: RowMemory) {
    this.#memory = memory;
  }

  attach(calls: RowCalls): void {
    this.#calls = calls;
  }

  phrase(phrase: Phrase, text: Uint8Array): void {
    this.#phrases[phrase] = text;
  }

  /** The gap that is the phrase alone. */
  gapOf(phrase: Phrase): number {
    return this.#step(this.#root, phrase).number;
  }

  /** As the section holds them. */
  table(): Uint8Array {
    return stencilTable(this.#stencils);
  }

  /** Texts that never stood side by side before. -1 where they are too long for one stencil, or gaps are too many: then a new one begins. */
  explore(phrase: Phrase): number {
    const gap = this.#gaps[this.#calls.gap.value]!;
    const isFull = gap !== this.#root && (gap.text.length + this.#phrases[phrase]!.length > STENCIL_BYTES_MAX || this.#longer === GAPS_MAX);
    if (!isFull) return this.#step(gap, phrase).number;
    if (this.#ends++ < ENDS_MAX) this.#note(gap, phrase, NO_GAP);
    return NO_GAP;
  }

  /** The gap has no stencil: now it has, or it is put together. Says where the value will stand. */
  spell(at: number): number {
    const { gap: { value }, stencil } = this.#calls;
    const gap = this.#gaps[value]!;
    this.#calls.gap.value = this.#root.number;
    if (!this.#learn(gap)) return this.#compose(gap, at);
    stencil.value = gap.code;
    return at;
  }

  /** The gap with a text more, which is the writer's to know too. */
  #step(from: Gap, phrase: Phrase): Gap {
    const known = from.next[phrase];
    if (known !== undefined) return known;
    const gap = new Gap(this.#gaps.length, Buffer.concat([from.text, this.#phrases[phrase]!]), [...from.phrases, phrase]);
    from.next[phrase] = gap;
    this.#gaps.push(gap);
    if (from !== this.#root) this.#longer++;
    this.#memory.words[MEMORY.codes / 4 + gap.number] = -1;
    this.#note(from, phrase, gap.number);
    return gap;
  }

  /** For the writer, which goes the same way without asking from now on. */
  #note(from: Gap, phrase: Phrase, to: number): void {
    const { words } = this.#memory;
    const key = from.number * 4_096 + phrase + 1;
    let place = (Math.imul(key, 0x9e3779b1) >>> 18) * STEP_BYTES;
    while (words[(MEMORY.steps + place) / 4] !== 0) place = (place + STEP_BYTES) & MEMORY.stepsMask;
    words[(MEMORY.steps + place) / 4] = key;
    words[(MEMORY.steps + place) / 4 + 1] = to;
  }

  /** Whether the gap has a stencil now: it takes more sightings the fewer are left, so that the first rows do not take them all. */
  #learn(gap: Gap): boolean {
    if (++gap.sightings < this.#sightings) return false;
    gap.code = this.#stencils.push(gap.text) - 1;
    this.#memory.words[MEMORY.codes / 4 + gap.number] = gap.code;
    const taken = this.#stencils.length;
    this.#sightings = taken === STENCILS_MAX ? Infinity : 2 ** (SIGHTINGS_LOG + taken / STENCILS_A_LOG);
    return true;
  }

  /** By the longest of the stencils that its texts have, one behind the other; a text that has none stands in the row. */
  #compose(gap: Gap, at: number): number {
    const calls = this.#calls;
    let to = at;
    for (let first = 0; first < gap.phrases.length;) {
      let [longest, end] = [this.#root, first];
      let walked: Gap | undefined = this.#root;
      for (let place = first; walked !== undefined && place < gap.phrases.length; place++) {
        walked = walked.next[gap.phrases[place]!];
        if (walked !== undefined && walked.code !== 0) [longest, end] = [walked, place + 1];
      }
      if (end > first) {
        if (calls.stencil.value !== 0) calls.piece(0);
        calls.stencil.value = longest.code;
        first = end;
        continue;
      }
      const phrase = gap.phrases[first++]!;
      const text = this.#phrases[phrase]!;
      this.#learn(this.#step(this.#root, phrase));
      calls.reserve(to, text.length);
      this.#memory.bytes.set(text, to);
      to += text.length;
      for (let left = text.length; left > 0; left -= VALUE_BYTES_MAX) calls.piece(Math.min(left, VALUE_BYTES_MAX));
    }
    return to;
  }
}

/** Gaps of several texts that are kept to be counted. */
const GAPS_MAX = 4_096;
/** Ends of gaps that are kept: with the gaps they take no more than three quarters of the table of steps. */
const ENDS_MAX = 4_096;
const NO_GAP = -1;
const STEP_BYTES = 8;
/** Sightings that the first stencil takes, as a power of two, and the stencils after which it takes twice as many. */
const SIGHTINGS_LOG = 2;
const STENCILS_A_LOG = 32;

/** The texts between two values, or the first of them. */
class Gap {
  readonly number: number;
  readonly text: Buffer;
  readonly phrases: readonly Phrase[];
  readonly next: (Gap | undefined)[] = [];
  code = 0;
  sightings = 0;

  constructor(number: number, text: Buffer, phrases: readonly Phrase[]) {
    this.number = number;
    this.text = text;
    this.phrases = phrases;
  }
}
