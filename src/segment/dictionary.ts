import { lowerBound } from '../lib/search.ts';
import type { SectionDrafts, Sections } from './sections.ts';

const TEXTS_INDEXED_MAX = 2_048;

/**
 * Sorted distinct texts: `NAME.text` holds their UTF-8 bytes, `NAME.at` where each begins. A text's code is its place.
 */
export class Dictionary {
  readonly size: number;
  readonly #text: Buffer;
  readonly #at: Uint32Array;
  /** Of a short dictionary that was asked: looking up is then a tenth of a binary search over text. */
  #codes: Map<string, number> | null = null;

  constructor(sections: Sections, name: string) {
    const text = sections.u8(`${name}.text`);
    this.#text = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    this.#at = sections.u32(`${name}.at`);
    this.size = this.#at.length - 1;
  }

  text(code: number): string {
    return this.#text.toString('utf8', this.#at[code]!, this.#at[code + 1]!);
  }

  /** The code of a text, -1 where it is absent. */
  find(text: string): number {
    return this.size <= TEXTS_INDEXED_MAX ? (this.#codes ??= this.#indexed()).get(text) ?? -1 : this.#search(text);
  }

  #search(text: string): number {
    const wanted = Buffer.from(text);
    const code = this.#firstNotBelow(wanted);
    return code < this.size && this.#compare(code, wanted) === 0 ? code : -1;
  }

  /** The codes [from, to) of the texts that begin so. */
  prefixed(prefix: string): readonly [from: number, to: number] {
    const wanted = Buffer.from(prefix);
    const from = this.#firstNotBelow(wanted);
    let low = from;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#begins(middle, wanted)) low = middle + 1; else high = middle;
    }
    return [from, low];
  }

  /** The codes of the texts that have the part, of ASCII, somewhere; ascending. A look at every byte. */
  *containing(part: string): Generator<number> {
    for (let place = this.#text.indexOf(part); place !== -1;) {
      const code = lowerBound(this.#at, place + 1) - 1;
      const end = this.#at[code + 1]!;
      const isWithin = place + part.length <= end;
      if (isWithin) yield code;
      place = this.#text.indexOf(part, isWithin ? end : place + 1);
    }
  }

  #indexed(): Map<string, number> {
    return new Map(Array.from({ length: this.size }, (_, code) => [this.text(code), code]));
  }

  #firstNotBelow(wanted: Buffer): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, wanted) < 0) low = middle + 1; else high = middle;
    }
    return low;
  }

  #compare(code: number, wanted: Buffer): number {
    return this.#text.compare(wanted, 0, wanted.length, this.#at[code]!, this.#at[code + 1]!);
  }

  #begins(code: number, wanted: Buffer): boolean {
    const start = this.#at[code]!;
    if (this.#at[code + 1]! - start < wanted.length) return false;
    return this.#text.compare(wanted, 0, wanted.length, start, start + wanted.length) === 0;
  }
}

export function draftDictionary(drafts: SectionDrafts, name: string, sorted: readonly string[]): void {
  const at = new Uint32Array(sorted.length + 1);
  let bytes = 0;
  sorted.forEach((text, code) => {
    at[code] = bytes;
    bytes += Buffer.byteLength(text);
  });
  if (bytes > 0xffffffff) throw new Error(`dictionary ${name} exceeds 4 GiB`);
  at[sorted.length] = bytes;
  const blob = Buffer.allocUnsafeSlow(bytes);
  sorted.forEach((text, code) => blob.write(text, at[code]!));
  drafts.add(`${name}.text`, blob);
  drafts.add(`${name}.at`, at);
}
