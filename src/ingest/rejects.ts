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
