import { Stencils } from './compact_rows.ts';
import type { Phrase, RowCalls } from './row_calls.ts';
import { STENCIL_BYTES_MAX, type RowForm } from './row_form.ts';
import { MEMORY, PHRASES_MAX, RowMemory } from './row_memory.ts';
import { ROWS_MODULE } from './rows_module.ts';

/** What is read and written behind the end of a text at most, with the pieces of a few. */
const SPARE_BYTES = 256;
/** Texts that come as rows do may take so much of what can be kept. */
const MAY_KEEP_BYTES = (MEMORY.ground - MEMORY.kept) / 4;
const MAY_KEEP_PHRASES = PHRASES_MAX / 2;

/** Writes rows in the form in which they are stored, one behind the other. */
export class RowWriter {
  readonly memory: RowMemory;
  readonly calls: RowCalls;
  readonly #stencils: Stencils | null;
  #phrases = 0;
  #kept: number = MEMORY.kept;
  #roomAt: number = MEMORY.ground;

  /** `turn` brings the next entries of a column. */
  constructor(form: RowForm, fields: number, turn: (column: number) => number = () => 0) {
    const memory = new RowMemory(fields);
    const stencils = form === 'compact' ? new Stencils(memory) : null;
    this.memory = memory;
    this.#stencils = stencils;
    const writer = {
      memory: memory.memory,
      turn,
      explore: (phrase: Phrase) => stencils!.explore(phrase),
      spell: (at: number) => stencils!.spell(at),
      widen: (at: number, bytes: number) => { this.#widen(at, bytes); },
      escape: (at: number, from: number, bytes: number) => this.#escape(at, this.spelled(from, bytes)),
    };
    const module = new WebAssembly.Module(Buffer.from(ROWS_MODULE, 'base64'));
    this.calls = new WebAssembly.Instance(module, { writer }).exports as RowCalls;
    this.calls.compact.value = stencils === null ? 0 : 1;
    stencils?.attach(this.calls);
  }

  /** One that is too long for a stencil has its parts behind it. */
  phrase(text: string): Phrase {
    const bytes = Buffer.from(text);
    const phrase = this.#keepPhrase(bytes);
    if (this.#stencils === null) return phrase;
    for (let at = 0; bytes.length > STENCIL_BYTES_MAX && at < bytes.length; at += STENCIL_BYTES_MAX) this.#keepPhrase(bytes.subarray(at, at + STENCIL_BYTES_MAX));
    return phrase;
  }

  /** Where one that is short leads to behind a value. */
  gapOf(phrase: Phrase): number {
    return this.#stencils?.gapOf(phrase) ?? 0;
  }

  /** Whether a text that is no part of every row can become a phrase. */
  mayKeep(bytes: number): boolean {
    return this.#kept + bytes - MEMORY.kept <= MAY_KEEP_BYTES && this.#phrases + bytes / STENCIL_BYTES_MAX <= MAY_KEEP_PHRASES;
  }

  /** Says where the bytes stand from now on: at the beginning of a word. */
  keep(bytes: Uint8Array): number {
    const at = this.#kept;
    if (at + bytes.length + SPARE_BYTES > MEMORY.ground) throw new Error('more fixed texts than a row has room for');
    this.memory.bytes.set(bytes, at);
    this.#kept += Math.ceil(bytes.length / 4) * 4;
    return at;
  }

  /** Rows stand from `at` on, behind all else; there is room for so many bytes before more is made. */
  spread(at: number, bytes: number): void {
    this.#roomAt = at;
    this.memory.claim(at + bytes + SPARE_BYTES);
    this.calls.top.value = this.calls.low.value = at + bytes;
  }

  /** A text that stands at `from` as JSON spells it, without quotes. */
  spelled(from: number, bytes: number): Buffer {
    return Buffer.from(JSON.stringify(this.memory.bytes.toString('utf8', from, from + bytes)).slice(1, -1));
  }

  /** What the rows so far are spelled with, as the section holds it; null where they are their text. */
  stencils(): Uint8Array | null {
    return this.#stencils?.table() ?? null;
  }

  #escape(at: number, spelled: Buffer): number {
    this.calls.reserve(at, spelled.length);
    this.memory.bytes.set(spelled, at);
    return spelled.length;
  }

  #keepPhrase(text: Uint8Array): Phrase {
    if (this.#phrases === PHRASES_MAX) throw new Error('more fixed texts than a row has room for');
    const at = this.keep(text);
    const phrase = this.#phrases++;
    this.#stencils?.phrase(phrase, text);
    this.memory.words[MEMORY.phrases / 4 + phrase * 2] = at;
    this.memory.words[MEMORY.phrases / 4 + phrase * 2 + 1] = text.length;
    return phrase;
  }

  /** Twice the room at least; the pieces of the row move to its end. */
  #widen(at: number, bytes: number): void {
    const { low, top } = this.calls;
    const pieces = top.value - low.value;
    const end = Math.max(at + bytes + (bytes >>> 4) + SPARE_BYTES + pieces, 2 * top.value - this.#roomAt);
    this.memory.claim(end + SPARE_BYTES);
    this.memory.bytes.copyWithin(end - pieces, low.value, top.value);
    top.value = end;
    low.value = end - pieces;
  }
}
