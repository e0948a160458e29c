/** Whether it has no more characters, counted as Unicode counts them. */
export function charactersIn(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && [...text].length <= most);
}
