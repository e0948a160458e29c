/** How many body bytes the headers announce: none is 0, chunked is null. */
export type Framing = { readonly bodyBytes: number | null };

/** Two of these in one request, or both kinds of length, are read differently by different parsers: a request could hide behind another. */
const SINGLE: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'host', 'authorization']);
/** Also lengths that no body may have: they are answered 413, not cut. */
const LENGTH = /^\d{1,15}$/;
/** Colon, blank and line end. */
const BETWEEN_BYTES = 4;
const NO_BODY: Framing = { bodyBytes: 0 };
const CHUNKED: Framing = { bodyBytes: null };

/** Raw headers in, one by one; names in lower case. The last of a repeated one wins. */
export class HeaderBlock {
  readonly map = new Map<string, string>();
  /** Of names, values and what stands between them; characters of headers are bytes. */
  bytes = 0;
  #repeated: string | null = null;

  add(name: string, value: string): void {
    this.bytes += name.length + value.length + BETWEEN_BYTES;
    if (SINGLE.has(name) && this.map.has(name)) this.#repeated = name;
    this.map.set(name, value);
  }

  /** The framing, or in words why it is refused. */
  framing(): Framing | string {
    if (this.#repeated !== null) return `repeated ${this.#repeated}`;
    const encoding = this.map.get('transfer-encoding');
    const length = this.map.get('content-length');
    if (encoding !== undefined) return chunkedFraming(encoding, length);
    if (length === undefined) return NO_BODY;
    return LENGTH.test(length) ? { bodyBytes: Number(length) } : 'bad content-length';
  }
}

function chunkedFraming(encoding: string, length: string | undefined): Framing | string {
  if (length !== undefined) return 'content-length beside transfer-encoding';
  return encoding === 'chunked' ? CHUNKED : 'transfer-encoding other than chunked';
}
