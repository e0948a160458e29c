/** As a method of the text it would be looked up for each letter: texts are of more kinds than the engine tells apart. */
const codeAt = String.prototype.charCodeAt;

/**
 * Writes the first letters of a text, a byte each, and gives all their bits together: below 128 where all were ASCII. For short texts,
 * where a call into the engine costs more than a step for each letter.
 */
export function putLetters(bytes: Uint8Array, at: number, text: string, letters: number): number {
  let all = 0;
  for (let letter = 0; letter < letters; letter += 1) {
    const code = codeAt.call(text, letter);
    all |= code;
    bytes[at + letter] = code;
  }
  return all;
}
