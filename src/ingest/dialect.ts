import { inGroups, isGroups, secondHeader } from './doubled_header.ts';
import type { Encoding } from './encodings.ts';
import { escapeOf, type Escape } from './escapes.ts';
import { windowsLetters } from './normalise/text.ts';

/**
 * How a delimited file is written. `skip` lines come before the header, of which `words` say something; `skipsAlike`: they end as it does, else the engine
 * finds no end of them. `headerCells` are the header as it is written, `header` gives every column a name, and `again` is a second header below. `coded`: in place of a line end, a tab and a
 * backslash its cells have two letters.
 */
export type Dialect = {
  readonly encoding: Encoding;
  readonly delimiter: string;
  readonly escape: Escape;
  readonly skip: number;
  readonly words: number;
  readonly skipsAlike: boolean;
  readonly coded: boolean;
  readonly header: readonly string[];
  readonly headerCells: readonly string[];
  readonly again: readonly string[] | null;
};

const DELIMITERS = [',', ';', '\t', '|'];
const SAMPLE_RECORDS = 20;
/** Of UTF-8, as a letter. */
export const MARK = '\ufeff';
export const UTF8_MARK_BYTES = 3;
/**
 * Up to ten lines of one cell each and a blank one, as some exports have before their header; spreadsheets fill both up with delimiters. Of remarks behind
 * a `#` none need be blank. The records below are to have so many columns.
 */
const WORDS = (() => {
  // No line end can be taken for two: CR LF that were read as one and a blank line would cost the header, and of many an exponential time.
  const end = '(?:\\r\\n|\\n|\\r(?!\\n))';
  const cell = '(?:"(?:[^"\\r\\n]|"")*"|[^",;\\t|\\r\\n]+)';
  const remarks = `(?:#[^",;\\t|\\r\\n]*${end}){1,10}`;
  return new RegExp(`^(?:(?:${cell}[,;\\t|]*${end}){1,10}(?:[,;\\t|]*${end})+|${remarks})(?=[^\\r\\n])`);
})();
const HEADED_COLUMNS_MIN = 3;
/** How PostgreSQL, ClickHouse and MySQL write between tabs that there is nothing. They quote no cell and write no backslash alone; the first two have `\n` for a line end. */
const NULL_CELL = /(?:^|\t)\\N(?=\t|\r?$)/m;
const LONE_BACKSLASH = /(?<!\\)(?:\\\\)*\\[^\\bfnrtvN'0]/;
const QUOTED_CELL = /(?:^|\t)"/m;
/** A first line of plain cells right above another. */
const GROUPS = /^[^"\r\n]*(?:\r\n|\n|\r)(?=[^\r\n])/;
const LINE_ENDS = /\r\n|\r|\n/g;

/**
 * The encoding of a file by its first bytes: what is not UTF-8, not even cut off in a letter, is taken for Latin-1, unless more of its letters are right in
 * UTF-8 than wrong, as those of Latin-1 hardly ever are. The lines of the wrong ones are rejects then.
 */
export function encodingOf(head: Buffer): Encoding {
  if (utf16Of(head) !== null) return 'utf-16';
  if (isUtf8(head)) return 'utf-8';
  const text = new TextDecoder().decode(head, { stream: true });
  return lengthOf(text, /\ufffd/g) < lengthOf(text, /[^\0-\x7f\ufffd]/g) ? 'utf-8' : 'latin-1';
}

const lengthOf = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0;

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

export function hasUtf8Mark(head: Buffer): boolean {
  return head.subarray(0, UTF8_MARK_BYTES).toString('latin1') === '\xef\xbb\xbf';
}

/** The form of UTF-16 whose mark a file begins with. */
export function utf16Of(head: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (head.length < 2) return null;
  const mark = head.readUInt16BE();
  return mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : null;
}

/** The form of UTF-16 of a file without a mark: of delimiters, digits, blanks and line ends the first byte of two is zero in the one and the second in the other. */
export function unmarkedUtf16Of(head: Buffer): 'utf-16le' | 'utf-16be' {
  let [first, second] = [0, 0];
  for (let at = 1; at < head.length; at += 2) {
    if (head[at - 1] === 0) first += 1;
    if (head[at] === 0) second += 1;
  }
  return first > second ? 'utf-16be' : 'utf-16le';
}

/** Latin-1 as Windows writes it. Decoders called `windows-1252` leave the control characters in some releases of Node. */
export function windowsText(bytes: Buffer): string {
  return windowsLetters(bytes.toString('latin1'));
}

/** Where a file was named or told to be another than it looks. `isCut`: its text ends elsewhere than the file. */
export type Told = { readonly delimiter: string | null; readonly escape: Escape | null; readonly isCut: boolean };

/** Reads the header, with the delimiter under which the first records agree on the most columns. */
export function dialectOf(text: string, encoding: Encoding, { delimiter: preferred, escape, isCut }: Told): Dialect {
  const [told = '', announced] = /^sep=([^"])(?:\r?\n|\r)/i.exec(text) ?? [];
  const body = text.slice(told.length);
  const candidates = announced !== undefined ? [announced] : preferred !== null ? [preferred] : DELIMITERS;
  const words = WORDS.exec(body)?.[0] ?? '';
  const isQuoting = escape !== 'none';
  const below = bestOf(body.slice(words.length), candidates, isQuoting);
  const columns = below.records[0]?.length ?? 0;
  const isTable = words !== '' && columns >= HEADED_COLUMNS_MIN && fitness(below.records) * 2 >= columns;
  const best = isTable ? below : bestOf(body, candidates, isQuoting);
  const before = isTable ? words : /^(?:\r?\n|\r)*/.exec(body)![0];
  const [groups = ''] = isGroups(best.records) ? (GROUPS.exec(body.slice(before.length)) ?? []) : [];
  const records = groups === '' ? best.records : best.records.slice(1);
  const skipped = (told + before + groups).match(LINE_ENDS) ?? [];
  const table = body.slice(before.length + groups.length);
  const [own] = table.match(LINE_ENDS) ?? [];
  const said = (isTable ? words.split(LINE_ENDS).filter((line) => /[^,;\t|]/.test(line)).length : 0) + (groups === '' ? 0 : 1);
  const [headerCells = []] = records;
  const columnNames = groups === '' ? headerCells : inGroups(best.records[0]!, headerCells);
  const written = escape ?? escapeOf(table, { delimiter: best.delimiter, columns: headerCells.length, isCut });
  return {
    encoding, delimiter: best.delimiter, escape: written,
    coded: best.delimiter === '\t' && (escape === null || escape === 'none') && NULL_CELL.test(table) && !LONE_BACKSLASH.test(table) && (written === 'none' || !QUOTED_CELL.test(table)),
    skip: skipped.length, words: said, skipsAlike: own === undefined || skipped.every((end) => end === own), header: named(columnNames), headerCells, again: secondHeader(records),
  };
}

/** The delimiter under which the records fit best, and those. */
function bestOf(body: string, delimiters: readonly string[], isQuoting: boolean): { readonly delimiter: string; readonly records: string[][] } {
  const read = delimiters.map((delimiter) => ({ delimiter, records: recordsOf(body, delimiter, isQuoting) }));
  return read.sort((a, b) => fitness(b.records) - fitness(a.records))[0]!;
}

/** The first records of a delimited text; the last may be cut. */
export function recordsOf(text: string, delimiter: string, isQuoting: boolean): string[][] {
  const end = delimiter.replace(/[\\^$.*+?()[\]{}|-]/, '\\$&');
  const cells = new RegExp(`(?:${isQuoting ? '"((?:[^"]|"")*)"' : '(?!)()'}|([^${end}\\r\\n]*))(${end}|\\r?\\n|\\r|$)`, 'y');
  const found: string[][] = [];
  let record: string[] = [];
  while (cells.lastIndex < text.length && found.length < SAMPLE_RECORDS) {
    const cell = cells.exec(text);
    if (cell === null) break;
    record.push(cell[1]?.replaceAll('""', '"') ?? cell[2]!);
    if (cell[3] === delimiter) continue;
    if (record.length > 1 || record[0] !== '') found.push(record);
    record = [];
  }
  return found;
}

/** How well a delimiter fits: many columns, on which the records agree. One that the header does not hold fits not at all. */
function fitness(found: readonly (readonly string[])[]): number {
  const columns = found[0]?.length ?? 0;
  return columns < 2 ? 0 : (columns * found.filter((record) => record.length === columns).length) / found.length;
}

/** Every column gets a name of its own. */
function named(header: readonly string[]): string[] {
  const taken = new Set<string>();
  const rounds = new Map<string, number>();
  return header.map((cell, at) => {
    const plain = cell.replace(/\s+/g, ' ').trim() || `column ${at + 1}`;
    let name = plain;
    let round = rounds.get(plain) ?? 2;
    for (; taken.has(name); round += 1) name = `${plain} ${round}`;
    rounds.set(plain, round);
    taken.add(name);
    return name;
  });
}
