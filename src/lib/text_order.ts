const SURROGATE = /[\ud800-\udfff]/;

/** The order of the UTF-8 bytes of two texts. UTF-16 units order alike, but for surrogates against U+E000 to U+FFFF. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Sorts in place by UTF-8 bytes. */
export function sortTexts(texts: string[]): string[] {
  return texts.some((text) => SURROGATE.test(text)) ? texts.sort(compareText) : texts.sort();
}
