import { createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sync } from '../config/durable.ts';
import { makeLastingFolder } from '../config/folder.ts';
import { LIMITS } from '../config/limits.ts';
import type { Dialect } from './dialect.ts';
import { BATCH_ROWS, type Columns, type Duck } from './duckdb.ts';
import { lineShapes } from './line_shapes.ts';
import type { Reader } from './reader_form.ts';
import { REJECTS, type FileRange } from './rejects.ts';

export type RejectFile = { readonly input: string; readonly path: string; readonly rows: number };

/** The table of the lines of those that are being written. */
const PLACES = 'reject_places';

/** Writes the rejects of each file with their lines, by line: `line,reason,content`. Those of an earlier time, of `files` that have none or fewer now, go. */
export async function writeRejects(duck: Duck, ranges: readonly FileRange[], dir: string, files: readonly string[]): Promise<RejectFile[]> {
  const written: RejectFile[] = [];
  const refused = new Set((await duck.rows(`SELECT DISTINCT file FROM ${REJECTS}`)).map(({ file }) => file));
  for (const { reader, at } of ranges.filter((range) => refused.has(range.at))) {
    const path = join(dir, freeName(basename(reader.input.label), written.map((file) => basename(file.path))));
    const rows = await placeRejects(duck, reader, at);
    await writeCsv(path, duck.batches(`SELECT line::DOUBLE AS line, reason, content FROM ${REJECTS} JOIN ${PLACES} USING (record) WHERE file = ${at} ORDER BY line, record`));
    written.push({ input: reader.input.label, path, rows });
  }
  await dropOutdated(dir, files, written.map(({ path }) => basename(path)));
  return written;
}

/** The lines of the rejects of a file that are written, into a table; says how many these are. What they say, a GB where there are a million, is not held beside them. */
async function placeRejects(duck: Duck, reader: Reader, at: number): Promise<number> {
  const records: number[] = [];
  for await (const [some] of duck.batches(`SELECT record::DOUBLE AS record FROM ${REJECTS} WHERE file = ${at} LIMIT ${LIMITS.ingestRejectsWrittenMax}`)) {
    for (const record of some as readonly number[]) records.push(record);
  }
  const place = await linePlacer(duck, reader, records);
  await duck.run(`CREATE OR REPLACE TABLE ${PLACES} (record BIGINT, line BIGINT)`);
  await duck.append(PLACES, ['integer', 'integer'], placed(records, place));
  return records.length;
}

function* placed(records: readonly number[], place: (record: number) => number): Generator<Columns> {
  for (let at = 0; at < records.length; at += BATCH_ROWS) {
    const some = records.slice(at, at + BATCH_ROWS);
    yield [some, some.map(place)];
  }
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
  let [from, to] = [0, missing.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (missing[middle]! - middle <= nth) from = middle + 1; else to = middle;
  }
  return nth + from;
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

/** Half of it would tell too little, and take the last bytes of a disk that is full. */
async function writeCsv(path: string, rejects: AsyncIterable<Columns>): Promise<void> {
  makeLastingFolder(dirname(path));
  try {
    await pipeline(csvTexts(rejects), createWriteStream(path, { flush: true }));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  await sync(dirname(path));
}

async function* csvTexts(rejects: AsyncIterable<Columns>): AsyncGenerator<string> {
  yield 'line,reason,content\r\n';
  for await (const [lines, reasons, contents] of rejects) {
    yield lines!.map((line, at) => `${line as number},${quoted(reasons![at] as string)},${quoted(contents![at] as string)}\r\n`).join('');
  }
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
