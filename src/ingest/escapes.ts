/**
 * What a quote within a quoted cell has before it: another quote, or a backslash, as MySQL and Spark write it. `none` where no cell is quoted and a quote
 * is a letter, as Google Sheets, PostgreSQL and the client of MySQL write cells between tabs.
 */
export type Escape = 'quote' | 'backslash' | 'none';
export const ESCAPES: readonly Escape[] = ['quote', 'backslash', 'none'];

/** What stands within quotes. Such programs put a backslash before nothing else: one before a letter tells of another kind of file. */
const QUOTED: Readonly<Record<Exclude<Escape, 'none'>, string>> = { quote: '[^"]*(?:""[^"]*)*', backslash: '[^"\\\\]*(?:\\\\["\\\\\\r\\n][^"\\\\]*)*' };
/** The delimiters of programs that quote nothing. A comma stands in too many cells for that. */
const UNQUOTED: ReadonlySet<string> = new Set(['\t', '|']);

/** Where `isCut`, the text may end amid a record. */
type Sample = { readonly delimiter: string; readonly columns: number; readonly isCut: boolean };

/** Another one than doubled quotes alone where those leave something of the text that cannot be read, and it nothing. */
export function escapeOf(text: string, sample: Sample): Escape {
  const isBackslash = text.includes('\\"');
  const isNone = mayBeUnquoted(sample) && text.includes('"');
  if (!(isBackslash || isNone) || isReadBy('quote', text, sample)) return 'quote';
  if (isBackslash && isReadBy('backslash', text, sample)) return 'backslash';
  return isNone && isReadBy('none', text, sample) && quotesNothing(text, sample) ? 'none' : 'quote';
}

export function mayBeUnquoted({ delimiter }: Pick<Sample, 'delimiter'>): boolean {
  return UNQUOTED.has(delimiter);
}

/**
 * Whether no quote of a cell is doubled for being quoted, no column is quoted, as are the texts of programs that only forgot to double them, and of the
 * cells that begin with a quote hardly one is quoted: a file of quoted ones has others where it is damaged.
 */
function quotesNothing(text: string, { delimiter }: Sample): boolean {
  const [header = [], ...records] = text.split(/[\r\n]+/).filter((line) => line !== '').map((line) => line.split(delimiter));
  const isDoubled = (cell: string): boolean => /^".*"$/.test(cell) && cell.slice(1, -1).includes('""');
  const opensQuote = (cell: string): boolean => cell.startsWith('"');
  if (header.some(opensQuote) || records.some((record) => record.some(isDoubled))) return false;
  const opened = records.flat().filter(opensQuote);
  if (opened.filter((cell) => /^"[^"]*"$/.test(cell)).length * 2 >= opened.length) return false;
  return header.every((_, at) => {
    const cells = records.map((record) => record[at] ?? '').filter((cell) => cell !== '');
    return cells.length === 0 || !cells.every(opensQuote);
  });
}

/** Whether every cell can be read, and every record has as many. */
function isReadBy(escape: Escape, text: string, { delimiter, columns, isCut }: Sample): boolean {
  const end = delimiter.replace(/[\\^$.*+?()[\]{}|-]/, '\\$&');
  const plain = `[^${end}\\r\\n]*`;
  const cell = new RegExp(`(?:${escape === 'none' ? plain : `"${QUOTED[escape]}"|(?!")${plain}`})(${end}|\\r?\\n|\\r|$)`, 'y');
  let cells = 0;
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    const [found, ended] = cell.exec(text) ?? [];
    if (found === undefined) return isCut && escape !== 'none' && new RegExp(`^"${QUOTED[escape]}\\\\?$`).test(text.slice(at));
    if (isCut && ended === '') return true;
    const isBlank = cells === 0 && found === ended && ended !== delimiter;
    if (!isBlank) cells += 1;
    if (ended === delimiter) continue;
    if (!isBlank && cells !== columns) return false;
    cells = 0;
  }
  return cells === 0 || isCut || cells + 1 === columns;
}
