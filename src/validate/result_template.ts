import type { ByteSink } from '../encode/byte_sink.ts';
import type { Status } from './codes.ts';
import type { Validation } from './result.ts';
import { validationText } from './validation_text.ts';

const encoder = new TextEncoder();
const HEAD = encoder.encode('"input":"');
const NO_TAG = encoder.encode('null');
const QUOTE = 0x22;
/** `2026-01-01T00:00:00.000Z` */
const TIME_BYTES = 24;
const EXPIRES_FROM_END = TIME_BYTES + '"}'.length;
const CHECKED_FROM_END = EXPIRES_FROM_END + '","expires_at":"'.length + TIME_BYTES;
/** Below this many bytes a loop beats the fixed cost of a native copy. */
const SHORT_BYTES = 32;

/**
 * The text of the result of one address, less its opening brace, its local part and its times: by far the most of it follows from the domain.
 *
 *   "input":"LOCAL@domain","email":"LOCAL@domain","local":"LOCAL","domain":...,"canonical":"LOCAL@home","tag":TAG,"status": ... "}
 *                └ afterInput ────┘     └ afterEmail ────┘     └ afterLocal ────────────┘     └ afterCanonical ┘   └ rest ───┘
 *
 * Cut out of what `validationText` writes of a real result, so that the form of a result is written down there alone. Fits local parts of
 * ASCII letters that need no escape in JSON.
 */
export class ResultTemplate {
  readonly status: Status;
  readonly bytes: number;
  readonly #afterInput: Uint8Array;
  readonly #afterEmail: Uint8Array;
  readonly #afterLocal: Uint8Array;
  readonly #afterCanonical: Uint8Array;
  readonly #rest: Uint8Array;
  #checkedAt: string;
  #expiresAt: string;

  /** `validation` as it is of every such address, but for what is left out here. */
  constructor(validation: Validation) {
    const { local, canonical, tag } = validation;
    const cut = new Cutter(validationText(validation), 1 + HEAD.length);
    this.status = validation.status;
    this.#checkedAt = validation.checked_at;
    this.#expiresAt = validation.expires_at;
    const pieces = [
      cut.skip(local!.length).through('","email":"'),
      cut.skip(local!.length).through('","local":"'),
      cut.skip(local!.length).through(',"canonical":"'),
      cut.skip(canonical!.lastIndexOf('@')).through(',"tag":'),
      cut.skip(tag === null ? NO_TAG.length : tag.length + 2).through('"}', validation.expires_at),
    ];
    [this.#afterInput, this.#afterEmail, this.#afterLocal, this.#afterCanonical, this.#rest] = inOneMemory(pieces) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    this.bytes = this.#rest.buffer.byteLength;
  }

  /** The times of the results to come. A call has few: they are written over those of the last one. */
  stamp(checkedAt: string, expiresAt: string): void {
    if (this.#checkedAt !== checkedAt) writeAscii(this.#rest, this.#rest.length - CHECKED_FROM_END, (this.#checkedAt = checkedAt));
    if (this.#expiresAt !== expiresAt) writeAscii(this.#rest, this.#rest.length - EXPIRES_FROM_END, (this.#expiresAt = expiresAt));
  }

  /** For the address whose local part is the first `letters` of `input`, of which the last `tagLetters` are its tag (-1: it has none); `canonical` where its local part is another. */
  append(sink: ByteSink, input: string, letters: number, tagLetters: number, canonical: string | null): void {
    // A tag is shorter than the local part, which stands here four times.
    const room = sink.room(this.bytes + HEAD.length + 5 * letters + (canonical?.length ?? 0) + NO_TAG.length);
    let to = copy(room, sink.length, HEAD);
    const local = to;
    for (let at = 0; at < letters; at++) room[to++] = input.charCodeAt(at);
    to = copy(room, to, this.#afterInput);
    to = again(room, to, local, letters);
    to = copy(room, to, this.#afterEmail);
    to = again(room, to, local, letters);
    to = copy(room, to, this.#afterLocal);
    if (canonical === null) to = again(room, to, local, letters);
    else to = writeAscii(room, to, canonical);
    to = copy(room, to, this.#afterCanonical);
    if (tagLetters < 0) to = copy(room, to, NO_TAG);
    else {
      room[to++] = QUOTE;
      to = again(room, to, local + letters - tagLetters, tagLetters);
      room[to++] = QUOTE;
    }
    sink.advance(copy(room, to, this.#rest));
  }
}

/** Takes a text apart from its head to its end. */
class Cutter {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  skip(letters: number): this {
    this.#at += letters;
    return this;
  }

  /** Up to and with the next `mark`, or the first one after `before`. */
  through(mark: string, before = ''): string {
    const start = this.#at;
    const found = this.#text.indexOf(mark, this.#text.indexOf(before, start));
    if (found === -1) throw new Error(`no ${mark} in the text of a result`);
    this.#at = found + mark.length;
    return this.#text.slice(start, this.#at);
  }
}

/** Memory of its own for each would take more than most of them hold. */
function inOneMemory(pieces: readonly string[]): Uint8Array[] {
  const { buffer } = encoder.encode(pieces.join(''));
  let end = 0;
  return pieces.map((piece) => {
    const start = end;
    end += Buffer.byteLength(piece);
    return new Uint8Array(buffer, start, end - start);
  });
}

function copy(room: Uint8Array, to: number, bytes: Uint8Array): number {
  if (bytes.length >= SHORT_BYTES) room.set(bytes, to);
  else for (let at = 0; at < bytes.length; at++) room[to + at] = bytes[at]!;
  return to + bytes.length;
}

function again(room: Uint8Array, to: number, from: number, count: number): number {
  for (let at = 0; at < count; at++) room[to + at] = room[from + at]!;
  return to + count;
}

function writeAscii(room: Uint8Array, to: number, text: string): number {
  for (let at = 0; at < text.length; at++) room[to + at] = text.charCodeAt(at);
  return to + text.length;
}
