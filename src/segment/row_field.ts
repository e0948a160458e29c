import type { Row } from '../model/field.ts';

const [QUOTE, BACKSLASH, OPENS, CLOSES, COMMA, BRACE] = [0x22, 0x5c, 0x5b, 0x5d, 0x2c, 0x7d];

/** Reads one field in the texts of rows without parsing the others. Its name in quotes, a colon behind it, is nothing else: no text is followed by a colon. */
export function fieldReader(field: string): (text: Buffer) => Row[string] {
  const name = Buffer.from(`"${field}":`);
  return (text) => {
    const at = text.indexOf(name);
    if (at === -1) return null;
    const start = at + name.length;
    return JSON.parse(text.toString('utf8', start, valueEnd(text, start))) as Row[string];
  };
}

function valueEnd(text: Buffer, start: number): number {
  if (text[start] === QUOTE) return textEnd(text, start);
  let at = start;
  if (text[start] !== OPENS) {
    while (at < text.length && text[at] !== COMMA && text[at] !== BRACE) at += 1;
    return at;
  }
  while (at < text.length && text[at] !== CLOSES) at = text[at] === QUOTE ? textEnd(text, at) : at + 1;
  return at + 1;
}

function textEnd(text: Buffer, quote: number): number {
  let at = quote + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}
