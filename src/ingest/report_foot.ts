import { open } from 'node:fs/promises';
import { LIMITS } from '../config/limits.ts';
import { fold } from '../lib/fold.ts';
import { recordsOf, type Dialect } from './dialect.ts';
import { literal, name, type Duck } from './duckdb.ts';
import type { Input } from './input.ts';
import type { Feed } from './mapping.ts';
import { FAULT, RAW } from './raw_table.ts';
import type { FileRange } from './rejects.ts';

type Foot = 'row' | 'blank' | 'words' | 'totals';

/** What stands before the sums and counts of a report, folded. */
const TOTALS: ReadonlySet<string> = new Set([
  'total', 'totals', 'grand total', 'grand totals', 'subtotal', 'sum', 'count', 'record count', 'summe', 'gesamt', 'gesamtsumme', 'gesamtergebnis', 'insgesamt', 'anzahl', 'total général', 'totaux', 'somme',
  'total general', 'suma', 'suma total', 'totale', 'totale generale', 'somma', 'totaal', 'totalt', 'summa', 'razem', 'łącznie', 'celkem', 'toplam', 'genel toplam', 'итого', 'всего', '合計', '总计', '合计', '總計', '합계',
].map(fold));
/** What follows them in the same cell: `Total: 12`, `Grand Totals (2 records)`. Without a sign between them they may be a name (`Total 24`). */
const COUNTED = /\s*(?::\s*(?:\(?[\d.,]+(?:\s\p{L}+)?\)?)?|\([\d.,]+(?:\s\p{L}+)?\))$/u;
const REPORT = /all rights reserved|copyright\s*(?:\(c\)|©|\d)|©\s*\d|confidential information|^(?:report )?generated (?:by|on)\b|^exported (?:by|on|from)\b|^(?:erstellt|exportiert) (?:am|von)\b/i;
const COLUMNS_MIN = 3;
const UNIT_LETTERS_MAX = 3;
/** A phone, a day, a range, and more than so many. */
const NO_SUM = /^\+|^0\d|@|\d[-/:]\d|^\d{1,2}\.\d{1,2}\.\d{2,4}$|\+$/;
/** What says nothing of many rows together: a number there is that of one. */
const OF_ONE_ROW: ReadonlySet<string> = new Set(['id', 'email', 'phone', 'postal_code', 'website', 'domain', 'company_domain', 'linkedin_url', 'founded_year', 'updated_at']);

const REASONS: Readonly<Record<'words' | 'totals', string>> = { words: 'no row, but words below the rows of a report', totals: 'no row, but the totals below the rows of a report' };

/** What is no row among the last of a file, as reports have: totals, and words below a blank line. Told from the end of the file, as it costs nothing there; of a packed one that is not in sight. */
export async function rejectFoot(duck: Duck, { reader: { input, dialect }, firstRow, rows }: Pick<FileRange, 'reader' | 'firstRow' | 'rows'>, feeds: readonly Feed[]): Promise<void> {
  if (dialect === null || input.compression !== 'none') return;
  const ofOneRow = new Set(feeds.filter(({ field }) => OF_ONE_ROW.has(field)).flatMap(({ columns }) => columns.map((column) => dialect.header.indexOf(column))));
  const feet = footOf(await lastLines(input), dialect, ofOneRow);
  // Of nothing there are no totals: it is a row alone.
  if (feet.length >= rows && !feet.includes('words')) return;
  for (const kind of ['words', 'totals'] as const) {
    const places = feet.flatMap((foot, at) => (foot === kind ? [firstRow + rows - feet.length + at] : [])).filter((nth) => nth >= firstRow);
    if (places.length > 0) await duck.run(`UPDATE ${RAW} SET ${name(FAULT)} = ${literal(REASONS[kind])} WHERE rowid IN (${places.join(', ')}) AND ${name(FAULT)} IS NULL`);
  }
}

/**
 * What the last rows of a file are, of as many as may belong to its foot. A line with other than its columns is none of them: the engine refuses it. Words
 * count below totals, or below a blank line where some of them say what only a report does; and not where rows above say no more than a name either.
 */
export function footOf(lines: readonly string[], dialect: Pick<Dialect, 'delimiter' | 'escape' | 'header'>, ofOneRow: ReadonlySet<number> = new Set()): Foot[] {
  if (dialect.header.length < COLUMNS_MIN) return [];
  const found: { readonly foot: Foot; readonly cells: readonly string[] }[] = [];
  const read = lines.map((line) => (recordsOf(`${line}\n`, dialect.delimiter, dialect.escape !== 'none')[0] ?? []).map((cell) => cell.trim()));
  for (const cells of read.toReversed()) {
    // Part of a cell of several lines, or what the engine may refuse, by which the places of all above would be others.
    if (cells.some((cell) => cell.includes('\ufffd') || (dialect.escape !== 'none' && cell.includes('"')))) break;
    const foot = footOfCells(cells, ofOneRow);
    if (foot === 'row') break;
    found.unshift({ foot, cells });
  }
  const says = found.some(({ foot, cells }) => foot === 'words' && REPORT.test(cells[0]!));
  const opens = found.findIndex(({ foot }) => foot === 'totals' || (foot === 'blank' && says));
  if (opens === -1) return [];
  const isSparse = !says && read.slice(0, read.length - found.length + opens).some((cells) => isWhole(cells, dialect.header.length) && isOfFirst(cells));
  return found.slice(opens).filter(({ cells }) => isWhole(cells, dialect.header.length)).map(({ foot, cells }) => (isSparse && isOfFirst(cells) ? 'row' : foot));
}

/** Whether the first of its cells is all that it says. */
function isOfFirst(cells: readonly string[]): boolean {
  return cells[0] !== '' && cells.slice(1).every((cell) => cell === '');
}

/** Rows may end with a delimiter where the header does not. */
function isWhole(cells: readonly string[], columns: number): boolean {
  return cells.length === columns || (cells.length === columns + 1 && cells.at(-1) === '');
}

function footOfCells(cells: readonly string[], ofOneRow: ReadonlySet<number>): Foot {
  const [first, ...others] = cells.filter((cell) => cell !== '');
  if (first === undefined) return 'blank';
  const isOfOne = cells.some((cell, at) => ofOneRow.has(at) && /^\d/.test(cell));
  if (!isOfOne && isTotal(first, others)) return 'totals';
  return isOfFirst(cells) ? 'words' : 'row';
}

function isTotal(first: string, others: readonly string[]): boolean {
  if (first.length > LIMITS.ingestNameCharactersMax) return false;
  const named = fold(first).replace(COUNTED, '');
  return TOTALS.has(named) && (others.length > 0 || named !== fold(first)) && others.every(isNumber);
}

/** Beside the letters of a code or a unit a number. */
function isNumber(cell: string): boolean {
  return /\d/.test(cell) && !NO_SUM.test(cell) && (cell.match(/\p{L}/gu)?.length ?? 0) <= UNIT_LETTERS_MAX;
}

async function lastLines({ path }: Input): Promise<string[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - LIMITS.ingestFootBytes);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from });
    const lines = buffer.toString('utf8', 0, bytesRead).split(/\r\n|\r|\n/);
    return lines.slice(from === 0 ? 0 : 1).slice(-LIMITS.ingestFootLinesMax);
  } finally {
    await file.close();
  }
}
