import { createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { sync } from '../config/durable.ts';
import { makeLastingFolder } from '../config/folder.ts';
import { LIMITS } from '../config/limits.ts';
import type { Dialect } from './dialect.ts';
import { literal, name, type Duck } from './duckdb.ts';
import { mayBeUnquoted } from './escapes.ts';
import { lineShapes } from './line_shapes.ts';
import { BYTES, FAULT, ODD, RAW } from './raw_table.ts';
import type { Reader } from './reader_form.ts';

/** Why rows were left out: `record` counts the records of a file from 1, the header of a delimited one among them. */
export const REJECTS = 'rejects';
export const CREATE_REJECTS = `CREATE TABLE ${REJECTS} (file INTEGER, record BIGINT, reason VARCHAR, content VARCHAR)`;

export type FileRange = { readonly reader: Reader; readonly at: number; readonly firstRow: number; readonly rows: number };
export type RejectFile = { readonly input: string; readonly path: string; readonly rows: number };

const UNCLOSED = 'a quote that is not closed, or closed too early';

function unclosedSql(dialect: Dialect | null): string {
  if (dialect?.escape !== 'quote') return literal(UNCLOSED);
  const other = mayBeUnquoted(dialect) ? `${UNCLOSED}; --escape none may read it, if quotes are letters` : UNCLOSED;
  return `CASE WHEN contains(csv_line, '\\"') THEN '${UNCLOSED}; --escape backslash may read it' ELSE ${literal(other)} END`;
}

const hiddenText = (hidden: number): string => (hidden > 0 ? `; lines that such quotes hide, none of which was read: ${hidden}` : '');

const reasonSql = ({ dialect }: Reader, hidden: number): string => `CASE error_type
  WHEN 'MISSING COLUMNS' THEN 'too few columns: ' || error_message WHEN 'TOO MANY COLUMNS' THEN 'too many columns: ' || error_message
  WHEN 'UNQUOTED VALUE' THEN (${unclosedSql(dialect)}) || ${literal(hiddenText(hidden))}
  WHEN 'INVALID ENCODING' THEN 'not valid in the encoding of the file; --encoding latin-1 may read it'
  WHEN 'LINE SIZE OVER MAXIMUM' THEN 'longer than ${LIMITS.ingestLineBytesMax} bytes' ELSE error_message END`;

/** What the engine could not read, and what was read but is no record. Of several errors of one record the first stands. `isWhole`: the file was read to its end. */
export async function rejectUnread(duck: Duck, { reader, at, firstRow, rows }: FileRange, isWhole: boolean): Promise<void> {
  if (reader.rejects !== null) {
    const hidden = isWhole && reader.dialect !== null ? await hiddenLines(duck, reader, reader.rejects, reader.dialect) : 0;
    const content = `regexp_replace(csv_line, '^\\r?\\n', '')[:${LIMITS.ingestRejectCharactersMax}]`;
    await duck.run(`INSERT INTO ${REJECTS} SELECT DISTINCT ON (line) ${at}, line, ${reasonSql(reader, hidden)}, ${content} FROM ${reader.rejects} ORDER BY line, column_idx`);
  }
  if (reader.lines === null) return;
  await refuse(duck, [{ at, firstRow, rows }], `SELECT raw.rowid AS nth, raw.${name(FAULT)} AS reason, source.line::VARCHAR AS content
    FROM ${RAW} raw JOIN ${reader.lines} source ON source.rowid = raw.rowid - ${firstRow} WHERE raw.${name(FAULT)} <> 'blank'`);
  // It is as large as the rows, which are to have the memory from here on.
  await duck.run(`DROP TABLE ${reader.lines}`);
}

/**
 * The lines behind those with a quote that is not closed which are in no record. Up to where the engine finds one again there may be any number, and of these
 * it tells few or none: so it is the lines of the file less those of all that it tells of, for which it is read once more.
 */
async function hiddenLines(duck: Duck, { input, relation, columns }: Reader, rejects: string, dialect: Dialect): Promise<number> {
  const runs = (text: string): string => `len(regexp_extract_all(${text}, '[\\r\\n]+'))`;
  const told = `SELECT DISTINCT ON (line) error_type = 'UNQUOTED VALUE' AS open, 1 + ${runs("ltrim(csv_line, e'\\r\\n')")} AS lines FROM ${rejects} ORDER BY line, column_idx`;
  const [unread] = await duck.rows(`SELECT coalesce(sum(CASE WHEN open THEN 1 ELSE lines END), 0)::BIGINT AS lines, coalesce(bool_or(open), false)::INTEGER AS open FROM (${told})`);
  if (unread!.open === 0) return 0;
  // Of one column a blank line is a record to the engine.
  const saying = dialect.header.length === 1 ? `${relation} WHERE ${columns[0]!.sql} IS NOT NULL` : relation;
  const [read] = await duck.rows(`SELECT coalesce(sum(1 + ${runs(`concat_ws(',', ${columns.map(({ sql }) => sql).join(', ')})`)}), 0)::BIGINT AS lines FROM ${saying}`);
  const header = 1 + (dialect.headerCells.join(',').match(/[\r\n]+/g)?.length ?? 0);
  let [line, said] = [0, 0];
  for await (const shapes of lineShapes(duck, input, dialect)) {
    for (const { blank } of shapes) {
      line += 1;
      if (line > dialect.skip && !blank) said += 1;
    }
  }
  return said - header - (read!.lines as number) - (unread!.lines as number);
}

/** What was read of delimited files and is no record. */
export async function rejectFaults(duck: Duck, ranges: readonly FileRange[]): Promise<void> {
  const delimited = ranges.filter(({ reader }) => reader.dialect !== null);
  if (delimited.length > 0) await rejectRows(duck, delimited, `SELECT rowid AS nth, ${name(FAULT)} AS reason FROM ${RAW} WHERE ${name(FAULT)} <> 'blank'`);
}

/** Rows of the raw table that are left out, from a query of `nth` and `reason`. */
export async function rejectRows(duck: Duck, ranges: readonly RowRange[], query: string): Promise<void> {
  const cells = `json_merge_patch('{}', to_json(raw), '{"${FAULT}": null, "${ODD}": null, "${BYTES}": null}')::VARCHAR`;
  await refuse(duck, ranges, `SELECT found.nth, found.reason, ${cells} AS content FROM (${query}) found JOIN ${RAW} raw ON raw.rowid = found.nth`);
}

type RowRange = Pick<FileRange, 'at' | 'firstRow' | 'rows'>;

/** The record of a row is told from its place and what was rejected before it. */
async function refuse(duck: Duck, ranges: readonly RowRange[], query: string): Promise<void> {
  const files = ranges.map(({ at, firstRow, rows }) => `(${at}, ${firstRow}, ${firstRow + rows})`);
  await duck.run(
    `INSERT INTO ${REJECTS} SELECT files.file, -1 - (refused.nth - files.first), refused.reason, refused.content[:${LIMITS.ingestRejectCharactersMax}]
    FROM (${query}) refused JOIN (VALUES ${files.join(', ')}) files(file, first, behind) ON refused.nth >= files.first AND refused.nth < files.behind`,
  );
}

export async function rejectReasons(duck: Duck): Promise<Record<string, number>> {
  const found = await duck.rows(`SELECT reason, count(*) AS n FROM ${REJECTS} GROUP BY reason ORDER BY n DESC, reason`);
  return Object.fromEntries(found.map(({ reason, n }) => [reason as string, n as number]));
}

/** Writes the rejects of each file with their lines, by line: `line,reason,content`. Those of an earlier time, of `files` that have none or fewer now, go. */
export async function writeRejects(duck: Duck, ranges: readonly FileRange[], dir: string, files: readonly string[]): Promise<RejectFile[]> {
  const written: RejectFile[] = [];
  const refused = new Set((await duck.rows(`SELECT DISTINCT file FROM ${REJECTS}`)).map(({ file }) => file));
  for (const { reader, at } of ranges.filter((range) => refused.has(range.at))) {
    const found = await duck.rows(`SELECT record, reason, content FROM ${REJECTS} WHERE file = ${at} LIMIT ${LIMITS.ingestRejectsWrittenMax}`);
    const path = join(dir, freeName(basename(reader.input.label), written.map((file) => basename(file.path))));
    const place = await linePlacer(duck, reader, found.map(({ record }) => record as number));
    const rows = found.map(({ record, reason, content }) => ({ line: place(record as number), reason: reason as string, content: content as string }));
    await writeCsv(path, rows.sort((a, b) => a.line - b.line));
    written.push({ input: reader.input.label, path, rows: rows.length });
  }
  await dropOutdated(dir, files, written.map(({ path }) => basename(path)));
  return written;
}

/** Of files of one name those with rejects have the first names of rejects. */
async function dropOutdated(dir: string, files: readonly string[], written: readonly string[]): Promise<void> {
  for (const stem of new Set(files.map((file) => basename(file)))) {
    for (let round = 1; written.includes(nthName(stem, round)) || existsSync(join(dir, nthName(stem, round))); round++) {
      if (!written.includes(nthName(stem, round))) await rm(join(dir, nthName(stem, round)), { force: true });
    }
  }
}

/** Files of several folders may have one name. */
function freeName(stem: string, taken: readonly string[]): string {
  let round = 1;
  while (taken.includes(nthName(stem, round))) round += 1;
  return nthName(stem, round);
}

/** The name of a file may be as long as names can be. */
function nthName(stem: string, round: number): string {
  const ending = `${round === 1 ? '' : `.${round}`}.rejects.csv`;
  return `${new TextDecoder().decode(Buffer.from(stem).subarray(0, LIMITS.fileNameBytesMax - ending.length), { stream: true })}${ending}`;
}

/**
 * From a record to the line on which it begins. A row that was read is known by its place among the rows that were (negative: -1 is the
 * first); the records in between that were not read are counted in. Quoted line breaks are then found in the text of the file itself.
 */
async function linePlacer(duck: Duck, { input, dialect }: Reader, records: readonly number[]): Promise<(record: number) => number> {
  const unread = records.filter((record) => record > 0);
  if (dialect === null) {
    unread.sort((a, b) => a - b);
    return (record) => (record > 0 ? record : placeAmong(-record, unread));
  }
  const starts = await recordStarts(duck, { input, dialect }, new Set(records), new Set(unread));
  return (record) => starts.get(record) ?? (record > 0 ? record : -record + 1);
}

/** The `nth` number from 1 on that is not in `missing`, which is sorted. */
export function placeAmong(nth: number, missing: readonly number[]): number {
  let place = nth;
  for (const gap of missing) {
    if (gap > place) break;
    place += 1;
  }
  return place;
}

type Delimited = { readonly input: Reader['input']; readonly dialect: Dialect };

/** The engine counts what it skips, and blank lines, among the records; it reads these where there is one column. */
async function recordStarts(duck: Duck, { input, dialect }: Delimited, wanted: ReadonlySet<number>, unread: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
  const starts = new Map<number, number>();
  let [begins, line, all, read] = [true, 0, 0, 0];
  for await (const shapes of lineShapes(duck, input, dialect)) {
    for (const { open, blank } of shapes) {
      line += 1;
      if (begins) {
        all += 1;
        if (wanted.has(all)) starts.set(all, line);
        if (line > dialect.skip && !(blank && dialect.header.length > 1) && !unread.has(all)) {
          // The first is the header.
          if (wanted.has(-read)) starts.set(-read, line);
          read += 1;
        }
      }
      begins = !open;
    }
    if (starts.size === wanted.size) break;
  }
  return starts;
}

type Reject = { readonly line: number; readonly reason: string; readonly content: string };

/** Half of it would tell too little, and take the last bytes of a disk that is full. */
async function writeCsv(path: string, rejects: readonly Reject[]): Promise<void> {
  makeLastingFolder(dirname(path));
  try {
    await writeLines(path, rejects);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  await sync(dirname(path));
}

async function writeLines(path: string, rejects: readonly Reject[]): Promise<void> {
  const file = createWriteStream(path, { flush: true });
  file.write('line,reason,content\r\n');
  for (const { line, reason, content } of rejects) {
    if (!file.write(`${line},${quoted(reason)},${quoted(content)}\r\n`)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
