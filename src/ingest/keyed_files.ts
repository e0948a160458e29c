import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { name, type Duck } from './duckdb.ts';
import type { Escape } from './escapes.ts';
import { EmptyFile, IngestError, unreadable } from './failure.ts';
import type { Input } from './input.ts';
import { smallShapes } from './json_reader.ts';
import { KEYS, type KeyedRows } from './key_table.ts';
import { leadColumns } from './lead_table.ts';
import { refuseUnknown, type Override } from './mapping.ts';
import { normaliseRaw, type Note } from './normal_table.ts';
import { assertWholeGzip } from './packed.ts';
import { emptyPlan, planFile, valuesOf, type FilePlan } from './plan_file.ts';
import type { Stage } from './progress.ts';
import { createRaw, FAULT, fillRaw, RAW } from './raw_table.ts';
import { openReader } from './reader.ts';
import type { Reader } from './reader_form.ts';
import { CREATE_REJECTS, rejectFaults, rejectRows, rejectUnread, type FileRange } from './rejects.ts';
import { rejectFoot } from './report_foot.ts';
import { rulesOf } from './rules.ts';
import { alike, alikePlanned, readTogether, rowsRead, type Planned } from './together.ts';

/** How files are read, and as rows of what. */
export type ReadingOrder = {
  readonly dataset: Dataset;
  readonly source: string;
  readonly overrides: readonly Override[];
  readonly extras: readonly ExtraField[];
  /** As `encodingNamed` gives it; null to tell it from the file. */
  readonly encoding: string | null;
  readonly escape: Escape | null;
  readonly stage: Stage;
  /** Told once for all files, before any row is read. */
  onPlans(plans: readonly FilePlan[]): void;
};

type Readings = { readonly ranges: readonly FileRange[]; readonly notes: readonly Note[]; readonly warnings: readonly string[]; readonly rows: KeyedRows };

/** As `readKeyed`, but for files that are not whole. Those are looked at beside the reading, and first where that failed by what they say. */
export async function readWhole(duck: Duck, order: ReadingOrder, inputs: readonly Input[]): Promise<Readings> {
  const stop = new AbortController();
  const whole = Promise.all(inputs.filter(({ compression }) => compression === 'gzip').map(({ label, path }) => assertWholeGzip(label, path, AbortSignal.any([duck.signal, stop.signal]))));
  whole.catch(() => undefined);
  try {
    const readings = await readKeyed(duck, order, inputs, null);
    await whole;
    return readings;
  } catch (error) {
    if (!(error instanceof IngestError && error.usage) && !duck.signal.aborted) await whole;
    throw error;
  } finally {
    stop.abort();
  }
}

/** Files to keyed rows; what is rejected on the way stands in the rejects table. */
export async function readKeyed(duck: Duck, order: ReadingOrder, inputs: readonly Input[], recordsMax: number | null): Promise<Readings> {
  const columns = leadColumns(order.dataset, order.extras);
  const rules = rulesOf(order.dataset, order.extras);
  const { readers, empty } = await openReaders(duck, order, inputs);
  refuseUnknown(readers.map(({ columns }) => columns.map(({ name: column }) => column)), order.overrides);
  const planned = await planAll(duck, readers, order);
  const plans = planned.map(({ plan }) => plan);
  order.onPlans([...plans, ...empty]);
  await duck.run(createRaw(columns));
  await duck.run(CREATE_REJECTS);
  const ranges: FileRange[] = [];
  for (const group of alikePlanned(planned)) {
    // Where the first records are wanted alone, those of small files that are read together are nearly all.
    const most = group.length > 1 ? null : recordsMax;
    for (const range of await readGroup(duck, order, group, (reader, plan) => duck.run(fillRaw(reader, plan, columns, rules, most)))) {
      if (recordsMax === null || range.rows < recordsMax) await rejectFoot(duck, range, plans[range.at]!.mapping.feeds);
      await rejectUnread(duck, range, recordsMax === null);
      ranges.push(range);
    }
  }
  await rejectFaults(duck, ranges);
  const fed = new Set(plans.flatMap(({ mapping }) => mapping.feeds.map(({ field }) => field)));
  const rounded = fed.has('id') ? await dropRoundedKeys(duck) : [];
  await dropUnsureKey(duck, ranges.filter(({ at }) => plans[at]!.mapping.feeds.some((feed) => feed.field === 'id' && feed.unsure)));
  const { notes, rows } = await order.stage('normalising', duck, () => normaliseRaw(duck, { dataset: order.dataset, source: order.source, extras: order.extras, columns, fed }));
  await rejectFrom(duck, ranges, `SELECT nth, fault AS reason FROM ${KEYS} WHERE fault IS NOT NULL`);
  return { ranges, notes: [...rounded, ...notes], warnings: [...plans, ...empty].flatMap((plan) => plan.notes), rows };
}

/** Of an export in parts some may have no rows. Where all are so, that is no export. */
async function openReaders(duck: Duck, order: ReadingOrder, inputs: readonly Input[]): Promise<{ readonly readers: readonly Reader[]; readonly empty: readonly FilePlan[] }> {
  const readers: Reader[] = [];
  const empty: FilePlan[] = [];
  const shapes = await smallShapes(duck, inputs, order.encoding);
  for (const input of inputs) {
    try {
      readers.push(await reading(input, () => openReader(duck, input, readers.length, order, shapes.get(input))));
    } catch (error) {
      if (!(error instanceof EmptyFile) || (readers.length === 0 && empty.length === inputs.length - 1)) throw error;
      empty.push(emptyPlan(input, error.message));
    }
  }
  return { readers, empty };
}

async function planAll(duck: Duck, readers: readonly Reader[], order: ReadingOrder): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const group of alike(readers)) {
    // What is wrong with one of them, it tells alone.
    const values = group.length === 1 ? null : await valuesOf(duck, group).catch(() => null);
    for (const [nth, reader] of group.entries()) {
      const plan = await reading(reader.input, async () => planFile(reader, values?.[nth] ?? (await valuesOf(duck, [reader]))[0]!, order));
      planned.push({ at: planned.length, reader, plan });
    }
  }
  return planned;
}

type Filling = (reader: Reader, plan: FilePlan) => Promise<void>;

async function readGroup(duck: Duck, order: ReadingOrder, group: readonly Planned[], fill: Filling): Promise<FileRange[]> {
  const [{ reader: first, plan: same }] = group as readonly [Planned];
  let firstRow = await rowsRead(duck);
  if (group.length > 1) {
    const readers = group.map(({ reader }) => reader);
    const told = `reading ${first.input.label} and ${group.length - 1} more`;
    const each = await order.stage(told, duck, () => readTogether(duck, readers, firstRow, (relation) => fill({ ...first, relation, rejects: null }, same)));
    if (each !== null) {
      return group.map(({ reader, at }, nth) => {
        const rows = each[nth]!;
        firstRow += rows;
        return { reader: { ...reader, rejects: null }, at, firstRow: firstRow - rows, rows };
      });
    }
  }
  const ranges: FileRange[] = [];
  for (const { reader, at, plan } of group) {
    const read = await order.stage(`reading ${reader.input.label}`, duck, () => reading(reader.input, () => readInto(duck, (from) => fill(from, plan), reader)));
    const rows = (await rowsRead(duck)) - firstRow;
    ranges.push({ reader: read, at, firstRow, rows });
    firstRow += rows;
  }
  return ranges;
}

async function reading<T>({ label }: Input, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unreadable(label, error);
  }
}

/** Reads as if nothing were wrong, else strictly. A reading that fails leaves nothing behind. */
async function readInto(duck: Duck, fill: (reader: Reader) => Promise<void>, reader: Reader): Promise<Reader> {
  if (reader.clean !== null) {
    try {
      const clean = { ...reader, relation: reader.clean, rejects: null };
      await fill(clean);
      return clean;
    } catch (error) {
      // What the disk or the memory lacks, the next reading lacks too; what the engine says quotes the file, so that nothing is told from it.
      if (duck.signal.aborted) throw error;
    }
  }
  const strict = reader.strictly === null ? reader : { ...(await reader.strictly()), columns: reader.columns };
  await fill(strict);
  return strict;
}

/** Moves rows to the rejects. */
export async function rejectFrom(duck: Duck, ranges: readonly FileRange[], query: string): Promise<void> {
  await duck.run(`CREATE TABLE refused AS ${query}`);
  await rejectRows(duck, ranges, 'SELECT nth, reason FROM refused');
  await duck.run(`DELETE FROM ${KEYS} WHERE nth IN (SELECT nth FROM refused)`);
  await duck.run('DROP TABLE refused');
}

/** A column that only may be the key is one if every row of the files that have such a one has it, and no two the same. */
async function dropUnsureKey(duck: Duck, ranges: readonly FileRange[]): Promise<void> {
  if (ranges.length === 0) return;
  const theirs = spansOf(ranges).map(({ first, behind }) => `rowid >= ${first} AND rowid < ${behind}`).join(' OR ');
  const [found] = await duck.rows(`SELECT (count(*) = count(DISTINCT id))::INTEGER AS key FROM ${RAW} WHERE ${name(FAULT)} IS NULL AND (${theirs})`);
  if (found!.key === 0) await duck.run(`UPDATE ${RAW} SET id = NULL WHERE ${theirs}`);
}

/** Each row is compared with every span: of an export in parts they are one. */
function spansOf(ranges: readonly FileRange[]): { readonly first: number; readonly behind: number }[] {
  const spans: { first: number; behind: number }[] = [];
  for (const { firstRow, rows } of ranges) {
    const last = spans.at(-1);
    if (last?.behind === firstRow) last.behind += rows;
    else spans.push({ first: firstRow, behind: firstRow + rows });
  }
  return spans;
}

/**
 * A key of which a spreadsheet kept the first digits alone (`1.23457E+11`) is one of many rows, and of none. One of fifteen digits lost no more than
 * any number does there, and with a small letter programs write all digits that they have: `1e+05` is 100000 to R.
 */
async function dropRoundedKeys(duck: Duck): Promise<Note[]> {
  const rounded = `contains(id, 'E+') AND regexp_full_match(id, '-?\\d(?:[.,]\\d{1,13})?E[+]\\d\\d') AND length(regexp_extract(id, '^-?\\d[.,]?(\\d*)', 1)) < TRY_CAST(right(id, 2) AS INTEGER)`;
  const [found] = await duck.rows(`SELECT count(*) AS n, (list(DISTINCT id ORDER BY id))[:3] AS examples FROM ${RAW} WHERE ${name(FAULT)} IS NULL AND ${rounded}`);
  const { n: rows, examples } = found as { readonly n: number; readonly examples: readonly string[] };
  if (rows === 0) return [];
  await duck.run(`UPDATE ${RAW} SET id = NULL WHERE ${rounded}`);
  return [{ field: 'id', rows, examples }];
}
