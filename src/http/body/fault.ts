import { LIMITS } from '../../config/limits.ts';

/**
 * Says in words what is wrong with the text of a body that was refused, and where; quotes nothing of it. A strict reader of RFC 8259
 * that builds no values. Recursion is bounded by the depth that it refuses itself.
 */
export function fault(bytes: Uint8Array): string {
  const broken = firstNonUtf8(bytes);
  if (broken !== -1) return `The body is not UTF-8: byte ${broken + 1} is part of no character.`;
  return new Walk(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)).run();
}

class Fault extends Error {}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const BLANK = /[ \t\n\r]*/y;
/** Part of a string; its repeats are bounded because the engine remembers each. */
const TEXT = /(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,999}/y;
/** Elements without parts of their own, each with its comma: a long list in few steps. */
const PLAIN_ELEMENTS = /(?:(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|"[^"\\\u0000-\u001f]*")[ \t\n\r]*,[ \t\n\r]*(?!\])){1,999}/y;

class Walk {
  readonly #text: string;
  #at = 0;
  #nodes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): string {
    if (this.#text.startsWith('\uFEFF')) return 'The body begins with a byte order mark: send UTF-8 without one.';
    try {
      this.#skip(BLANK);
      if (this.#at === this.#text.length) return 'The body is empty: send a JSON object.';
      this.#value(1);
      this.#skip(BLANK);
      if (this.#at < this.#text.length) this.#fail('something follows the end of the value');
      return 'The body is not valid JSON.';
    } catch (error) {
      if (error instanceof Fault) return error.message;
      throw error;
    }
  }

  #value(depth: number): void {
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') {
      if (depth > LIMITS.jsonDepthMax) this.#fail(`nested deeper than ${LIMITS.jsonDepthMax}`);
      this.#node();
      this.#at++;
      if (first === '{') this.#members(depth);
      else this.#elements(depth);
    } else if (first === '"') {
      this.#string();
    } else if (!this.#skip(NUMBER) && !this.#skip(LITERAL)) {
      this.#fail(first === undefined ? 'the body ends where a value should stand' : 'no JSON value begins here');
    }
  }

  #members(depth: number): void {
    const names = new Set<string>();
    if (this.#closes('}')) return;
    for (;;) {
      const start = this.#at;
      if (this.#text[start] !== '"') this.#fail('a member name in double quotes should stand here');
      this.#string();
      const name: string = JSON.parse(this.#text.slice(start, this.#at));
      if (names.has(name)) this.#fail('a second member of the same name', start);
      names.add(name);
      this.#node();
      this.#skip(BLANK);
      if (this.#text[this.#at] !== ':') this.#fail('a colon should stand here');
      this.#at++;
      this.#skip(BLANK);
      this.#value(depth + 1);
      if (this.#ends('}')) return;
    }
  }

  #elements(depth: number): void {
    if (this.#closes(']')) return;
    do {
      while (this.#skip(PLAIN_ELEMENTS));
      this.#value(depth + 1);
    } while (!this.#ends(']'));
  }

  #closes(bracket: string): boolean {
    this.#skip(BLANK);
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  /** After a part of an object or an array: true at its end, false after a comma. */
  #ends(bracket: string): boolean {
    if (this.#closes(bracket)) return true;
    if (this.#text[this.#at] !== ',') this.#fail(`a comma or ${bracket} should stand here`);
    this.#at++;
    this.#skip(BLANK);
    return false;
  }

  #string(): void {
    const start = this.#at++;
    while (this.#skip(TEXT));
    const next = this.#text[this.#at];
    if (next === undefined) this.#fail('a string that begins here does not end', start);
    if (next !== '"') this.#fail(next === '\\' ? 'no such escape' : 'a control character in a string must be escaped');
    this.#at++;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #node(): void {
    if (++this.#nodes > LIMITS.jsonNodesMax) this.#fail(`more than ${LIMITS.jsonNodesMax} objects, arrays and members`);
  }

  #fail(what: string, at = this.#at): never {
    let line = 1;
    let lineStart = 0;
    for (let end = this.#text.indexOf('\n'); end !== -1 && end < at; end = this.#text.indexOf('\n', lineStart)) {
      line++;
      lineStart = end + 1;
    }
    throw new Fault(`Line ${line}, column ${at - lineStart + 1}: ${what}.`);
  }
}

/** Offset of the first byte that is part of no well-formed character; -1 where all are. */
function firstNonUtf8(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = characterLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return -1;
}

/** Bytes of the character at `at` by table 3-7 of the Unicode standard; 0 where none is well formed. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const second = bytes[at + 1] ?? 0;
  if (lead >= 0xc2 && lead <= 0xdf) return second >= 0x80 && second <= 0xbf ? 2 : 0;
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  const length = lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (length === 0 || second < lowest || second > highest) return 0;
  for (let next = at + 2; next < at + length; next++) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
