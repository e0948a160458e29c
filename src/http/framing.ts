import type { RequestHeaders } from './exchange.ts';

/** How many body bytes the headers announce: none is 0, chunked is null. */
export type Framing = { readonly bodyBytes: number | null };

/** Two of these in one request, or both kinds of length, are read differently by different parsers: a request could hide behind another. */
const SINGLE = ['content-length', 'transfer-encoding', 'host', 'authorization'] as const;
/** Also of lengths that no body may have: they are answered 413, not cut. */
const LENGTH_DIGITS_MAX = 15;
const ZERO = 0x30;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Colon, blank and line end. */
const BETWEEN_BYTES = 4;
/** Letters of ASCII alone: that of a Kelvin in lower case is a k. */
const CHUNKED_CODING = /^chunked$/i;
const NO_BODY: Framing = { bodyBytes: 0 };
const CHUNKED: Framing = { bodyBytes: null };

/**
 * Raw headers in, one by one; names in lower case. Lines of one name are one list (RFC 9110, 5.3). A plain list: few are asked for, by names of
 * different lengths, so that walking it costs less than to hash every name and value that came.
 */
export class HeaderBlock implements RequestHeaders {
  /** Of names, values and what stands between them; characters of headers are bytes. */
  bytes = 0;
  /** Names and values by turns. */
  readonly #list: string[] = [];

  add(name: string, value: string): void {
    this.bytes += name.length + value.length + BETWEEN_BYTES;
    this.#list.push(name, value);
  }

  get(name: string): string | undefined {
    const list = this.#list;
    let value: string | undefined;
    for (let at = 0; at < list.length; at += 2) {
      if (list[at] === name) value = value === undefined ? list[at + 1]! : value + (name === 'cookie' ? '; ' : ', ') + list[at + 1]!;
    }
    return value;
  }

  /** The framing of a request of this verb, or in words why it is refused. */
  framing(verb: string): Framing | string {
    // Trailers behind a chunked body, which a parser takes for the next request: a colon stands before their first blank.
    if (!TOKEN.test(verb)) return 'a verb that is no word';
    for (const name of SINGLE) if (this.#repeats(name)) return `repeated ${name}`;
    const encoding = this.get('transfer-encoding');
    const length = this.get('content-length');
    if (encoding !== undefined) return chunkedFraming(encoding, length);
    if (length === undefined) return NO_BODY;
    const bodyBytes = lengthOf(length);
    return bodyBytes === null ? 'bad content-length' : { bodyBytes };
  }

  #repeats(single: string): boolean {
    const list = this.#list;
    let seen = false;
    for (let at = 0; at < list.length; at += 2) {
      if (list[at] !== single) continue;
      if (seen) return true;
      seen = true;
    }
    return false;
  }
}

/** Digits and nothing else; null for all that `Number` would take besides. */
function lengthOf(text: string): number | null {
  if (text.length === 0 || text.length > LENGTH_DIGITS_MAX) return null;
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return null;
    bytes = bytes * 10 + digit;
  }
  return bytes;
}

function chunkedFraming(encoding: string, length: string | undefined): Framing | string {
  if (length !== undefined) return 'content-length beside transfer-encoding';
  return CHUNKED_CODING.test(encoding) ? CHUNKED : 'transfer-encoding other than chunked';
}
