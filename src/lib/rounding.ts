/** For times in milliseconds on the wire: two decimals tell all that can be told. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
