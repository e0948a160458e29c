const CELL_CHARACTERS_MAX = 32;

/** Rows as a table for a terminal: nulls as a dash, long cells cut, and no control character of the data let through. */
export function table(columns: readonly string[], rows: Rows, cellCharactersMax = CELL_CHARACTERS_MAX): string {
  return tableInPieces(columns, cellCharactersMax)(rows);
}

type Rows = readonly Readonly<Record<string, unknown>>[];

/** The same for rows that come in pieces: the head stands above the first alone, and a column that a later one widens stays so. */
export function tableInPieces(columns: readonly string[], cellCharactersMax = CELL_CHARACTERS_MAX): (rows: Rows) => string {
  let widths = columns.map((column) => column.length);
  let headed = false;
  return (rows) => {
    if (rows.length === 0) return '';
    const cells = rows.map((row) => columns.map((column) => cellText(row[column], cellCharactersMax)));
    widths = widths.map((before, index) => Math.max(before, ...cells.map((line) => width(line[index]!))));
    const line = (texts: readonly string[]): string =>
      `${texts.map((text, index) => text + ' '.repeat(widths[index]! - width(text))).join('  ').trimEnd()}\n`;
    const head = headed ? '' : line(columns) + line(widths.map((size) => '-'.repeat(size)));
    headed = true;
    return head + cells.map(line).join('');
  };
}

/** On one line, cut where it is too long, and with no sign that would move the cursor of a terminal. */
export function cellText(value: unknown, charactersMax: number): string {
  const text = value === null || value === undefined ? '-' : Array.isArray(value) ? value.join(', ') : String(value);
  const clean = Array.from(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' '));
  return clean.length > charactersMax ? `${clean.slice(0, charactersMax - 1).join('')}…` : clean.join('');
}

/** In columns of the screen: marks take none, East Asian wide letters two. */
function width(text: string): number {
  let columns = 0;
  for (const letter of text) columns += /\p{M}/u.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return columns;
}

const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
