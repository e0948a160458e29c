/** What a quote within a quoted cell has before it: another quote, or a backslash, as MySQL and Spark write it. */
export type Escape = 'quote' | 'backslash';
export const ESCAPES: readonly Escape[] = ['quote', 'backslash'];

/** What stands within quotes. Such programs put a backslash before nothing else: one before a letter tells of another kind of file. */
const QUOTED: Readonly<Record<Escape, string>> = { quote: '[^"]*(?:""[^"]*)*', backslash: '[^"\\\\]*(?:\\\\["\\\\\\r\\n][^"\\\\]*)*' };

/** Where `isCut`, the text may end amid a record. */
export type Sample = { readonly delimiter: string; readonly columns: number; readonly isCut: boolean };

/** Backslashes alone where doubled quotes leave something of the text that cannot be read, and backslashes nothing. */
export function escapeOf(text: string, sample: Sample): Escape {
  return text.includes('\\"') && !isReadBy('quote', text, sample) && isReadBy('backslash', text, sample) ? 'backslash' : 'quote';
}

/** Whether every cell can be read, and every record has as many. */
function isReadBy(escape: Escape, text: string, { delimiter, columns, isCut }: Sample): boolean {
  const end = delimiter.replace(/[\\^$.*+?()[\]{}|-]/, '\\$&');
  const cell = new RegExp(`(?:"${QUOTED[escape]}"|(?!")[^${end}\\r\\n]*)(${end}|\\r?\\n|\\r|$)`, 'y');
  let cells = 0;
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    const [found, ended] = cell.exec(text) ?? [];
    if (found === undefined) return isCut && new RegExp(`^"${QUOTED[escape]}\\\\?$`).test(text.slice(at));
    if (isCut && ended === '') return true;
    const isBlank = cells === 0 && found === ended && ended !== delimiter;
    if (!isBlank) cells += 1;
    if (ended === delimiter) continue;
    if (!isBlank && cells !== columns) return false;
    cells = 0;
  }
  return cells === 0 || isCut || cells + 1 === columns;
}
