/** From one character to the most, counted as Unicode counts them. */
export function charactersIn(text: string, most: number): boolean {
  if (text.length <= most) return text.length > 0;
  return text.length <= 2 * most && [...text].length <= most;
}
