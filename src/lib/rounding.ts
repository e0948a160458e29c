/** The nearest whole number that a number can hold exactly, never the zero that has a sign; null where there is none. */
export function wholeOf(number: number): number | null {
  const whole = Math.round(number) + 0;
  return Number.isSafeInteger(whole) ? whole : null;
}

/** For times in milliseconds on the wire: two decimals tell all that can be told. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** For shares of rows on the wire; 0 of no rows, and of no part alone: who has few is not to be taken for one who has none. */
export function shareOf(part: number, whole: number): number {
  return part > 0 ? Math.max(1, Math.round((part / Math.max(1, whole)) * 1e4)) / 1e4 : 0;
}

const TEXTS_KEPT = 2_000;
const TEXTS: readonly string[] = Array.from({ length: TEXTS_KEPT }, (_, nth) => String(nth / 100));

/** The text of `hundredths`. Nearly every time on the wire is one of a few, and a fraction costs more to write than most of what stands beside it. */
export function hundredthsText(value: number): string {
  const nth = Math.round(value * 100);
  return nth >= 0 && nth < TEXTS_KEPT ? TEXTS[nth]! : String(nth / 100);
}
