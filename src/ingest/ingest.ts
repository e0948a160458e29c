import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../config/limits.ts';
import { DATASETS, type Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import type { RowForm } from '../segment/row_form.ts';
import { awaitLock } from '../sources/lake/lock.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import { lakeDir, segmentsDir, stagingDir, type LakePlace } from '../sources/lake/paths.ts';
import { DamagedLake, readCurrent } from '../sources/lake/current.ts';
import { dropEmpty, sweepKnown } from '../sources/lake/sweep.ts';
import type { Cutting } from './cut.ts';
import { Duck, name } from './duckdb.ts';
import type { Escape } from './escapes.ts';
import { EmptyFile, IngestError, unreadable } from './failure.ts';
import { assertUnchanged, beginningOf, openInput, unpackedInput, type Input } from './input.ts';
import { bothRows, KEYS, leadRows, PLACE, type KeyedRows } from './key_table.ts';
import { leadColumns } from './lead_table.ts';
import { refuseUnknown, type Override } from './mapping.ts';
import { count, dropRepeats, keepOld, knownRows, oldTruth, keptExtras, type Merged, type Mode } from './merge.ts';
import { normaliseRaw, type Note } from './normal_table.ts';
import { assertWholeGzip, isForeignGzip } from './packed.ts';
import { emptyPlan, planFile, type FilePlan } from './plan_file.ts';
import type { Stage } from './progress.ts';
import { createRaw, FAULT, fillRaw, RAW } from './raw_table.ts';
import { evenReader, openReader, type Reader } from './reader.ts';
import { CREATE_REJECTS, REJECTS, rejectReasons, rejectRows, rejectUnread, writeRejects, type FileRange, type RejectFile } from './rejects.ts';
import { rulesOf } from './rules.ts';
import { CUTTING, sealRows } from './seal.ts';
import { TIDY_MACROS } from './tidy_sql.ts';
import { RANK } from './truth/truth_rows.ts';
import { inWorkDir } from './work_dir.ts';

export type IngestOrder = {
  readonly files: readonly string[];
  readonly dataDir: string;
  readonly dataset: Dataset;
  readonly source: string;
  readonly mode: Mode;
  readonly overrides: readonly Override[];
  readonly extras: readonly ExtraField[];
  /** Null for what the source has, text where it is new. */
  readonly rowForm: RowForm | null;
  /** As `encodingNamed` gives it; null to tell it from the file. */
  readonly encoding: string | null;
  readonly escape: Escape | null;
  readonly signal: AbortSignal;
  readonly stage: Stage;
  readonly cutting?: Cutting;
  /** Told once for each file, before its rows are read. */
  onPlan(plan: FilePlan): void;
};

export type IngestSummary = Merged & {
  /** Rows of before that `replace` took away. */
  readonly removed: number;
  readonly dataset: Dataset;
  readonly source: string;
  readonly mode: Mode;
  /** Rows of the source as published. */
  readonly rows: number;
  readonly snapshot: number;
  /** Records of the files, the rejected ones among them. */
  readonly read: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly rejects: readonly RejectFile[];
  /** Rows of the input that a later one with the same key replaced. */
  readonly repeats: number;
  readonly notes: readonly Note[];
  /** Rows of the input without a key of their own, whose ids are hashes. */
  readonly unkeyed: number;
  /** What the plans of the files noted. */
  readonly warnings: readonly string[];
};

export type Preview = { readonly rows: readonly Record<string, unknown>[]; readonly rejected: Readonly<Record<string, number>>; readonly notes: readonly Note[]; readonly warnings: readonly string[] };

/** Reads files, normalises their rows and publishes them as a lake source. Whatever goes wrong, what was published before stands. */
export async function ingestFiles(order: IngestOrder): Promise<IngestSummary> {
  const place = placeOf(order);
  await refuseTakenName(order);
  const isNew = !existsSync(place.dir);
  const lock = await awaitLock(place.dir);
  let published = false;
  try {
    await sweepKnown(place.dir, lock);
    const current = await readCompared(place, order);
    const summary = await inWorkDir(stagingDir(place.dir), (workDir) => run(tellingOnce(keeping(order, current)), place, current, workDir));
    published = true;
    return summary;
  } finally {
    await lock.release();
    if (isNew && !published) await dropEmpty(place.dir);
  }
}

/** What `ingestFiles` would make of the first records, and refuse. Touches nothing. */
export async function previewFiles(wanted: IngestOrder, tempDir: string): Promise<Preview> {
  await refuseTakenName(wanted);
  const order = tellingOnce(keeping(wanted, await readCompared(placeOf(wanted), wanted)));
  return inWorkDir(tempDir, async (workDir) => withDuck(order, workDir, [], LIMITS.ingestPreviewRecords, async (duck, inputs) => {
    const { notes, warnings, rows: keyed } = await readKeyed(duck, order, inputs, LIMITS.ingestPreviewRecords);
    const rejected = await rejectReasons(duck);
    const first = `SELECT nth, nth AS place, 0 AS rank FROM ${KEYS} ORDER BY nth LIMIT ${LIMITS.ingestPreviewRows}`;
    const rows = await duck.rows(`SELECT to_json(row)::VARCHAR AS row FROM (${keyed(first)}) row ORDER BY ${name(PLACE)}`);
    return { rows: rows.map(({ row }) => shown(JSON.parse(row as string) as Record<string, unknown>)), rejected, notes, warnings };
  }));
}

async function run(order: IngestOrder, place: LakePlace, current: Manifest | null, workDir: string): Promise<IngestSummary> {
  const { mode, extras, signal, stage, dataset, source } = order;
  return withDuck(order, workDir, [segmentsDir(place.dir)], null, async (duck, inputs) => {
    const columns = leadColumns(dataset, extras);
    const { ranges, notes, warnings, rows: fresh } = await readWhole(duck, order, inputs);
    for (const input of inputs) await assertUnchanged(input);
    const old = mode === 'replace' ? null : await oldTruth(duck, place, current, columns);
    if (mode === 'append' && old !== null) await rejectFrom(duck, ranges, knownRows(old));
    const repeats = await dropRepeats(duck);
    const rejected = await rejectReasons(duck);
    const rejects = await writeRejects(duck, ranges, join(order.dataDir, 'rejects', source), order.files);
    await refuseNothing(duck, rejects);
    const read = await recordsRead(duck);
    const unkeyed = await count(duck, `${KEYS} JOIN ${RAW} raw ON raw.rowid = ${KEYS}.nth WHERE raw.id IS NULL`);
    const first = await count(duck, RAW);
    const merged = await stage('merging', duck, () => keepOld(duck, { dataset, columns, first }, old));
    const removed = mode === 'replace' ? rowsOf(current) : 0;
    const keyed = merged.kept === 0 ? fresh : bothRows(fresh, leadRows(columns, first));
    const manifest = await sealRows(duck, {
      place, workDir, columns, rows: keyed, extras, demo: false,
      rowForm: order.rowForm ?? current?.rowForm ?? 'text', signal, stage, cutting: order.cutting ?? CUTTING,
    });
    return { ...merged, removed, dataset, source, mode, rows: rowsOf(manifest), snapshot: manifest.snapshot, read, rejected, rejects, repeats, unkeyed, notes, warnings };
  });
}

const placeOf = ({ dataset, source, dataDir }: IngestOrder): LakePlace => ({ dataset, source, dir: lakeDir(dataDir, dataset, source) });

/** What the source has now; a demonstration counts for nothing. */
async function readCompared(place: LakePlace, { mode }: IngestOrder): Promise<Manifest | null> {
  const found = await readBefore(place, mode);
  return found?.demo === true ? null : found;
}

function keeping(order: IngestOrder, current: Manifest | null): IngestOrder {
  return order.mode === 'replace' ? order : { ...order, extras: keptExtras(current, order.extras) };
}

/** What is damaged may be replaced: that it cannot be read is then no matter. */
async function readBefore({ dir }: LakePlace, mode: Mode): Promise<Manifest | null> {
  return readCurrent(dir).catch((error: unknown) => {
    if (error instanceof DamagedLake && mode === 'replace') return null;
    throw error;
  });
}

function rowsOf(manifest: Manifest | null): number {
  return manifest?.segments.reduce((sum, { rows }) => sum + rows, 0) ?? 0;
}

type Readings = { readonly ranges: readonly FileRange[]; readonly notes: readonly Note[]; readonly warnings: readonly string[]; readonly rows: KeyedRows };

/** As `readKeyed`, but for files that are not whole. Those are looked at beside the reading, and first where that failed by what they say. */
async function readWhole(duck: Duck, order: IngestOrder, inputs: readonly Input[]): Promise<Readings> {
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
async function readKeyed(duck: Duck, order: IngestOrder, inputs: readonly Input[], recordsMax: number | null): Promise<Readings> {
  const columns = leadColumns(order.dataset, order.extras);
  const rules = rulesOf(order.dataset, order.extras);
  const { readers, empty } = await openReaders(duck, order, inputs);
  refuseUnknown(readers.map(({ columns }) => columns.map(({ name: column }) => column)), order.overrides);
  const plans: FilePlan[] = [];
  for (const reader of readers) plans.push(await reading(reader.input, () => planFile(duck, reader, order)));
  [...plans, ...empty].forEach((plan) => order.onPlan(plan));
  await duck.run(createRaw(columns));
  await duck.run(CREATE_REJECTS);
  const ranges: FileRange[] = [];
  for (const [at, reader] of readers.entries()) {
    const firstRow = ranges.reduce((sum, { rows }) => sum + rows, 0);
    const fill = (from: Reader): Promise<void> => duck.run(fillRaw(from, plans[at]!.mapping.feeds, columns, rules, recordsMax));
    const read = await order.stage(`reading ${reader.input.label}`, duck, () => reading(reader.input, () => readInto(duck, fill, reader, at)));
    const [counted] = await duck.rows(`SELECT count(*) AS n FROM ${RAW}`);
    const range = { reader: read, at, firstRow, rows: (counted!.n as number) - firstRow };
    await rejectUnread(duck, range);
    ranges.push(range);
  }
  const fed = new Set(plans.flatMap(({ mapping }) => mapping.feeds.map(({ field }) => field)));
  await dropUnsureKey(duck, ranges.filter(({ at }) => plans[at]!.mapping.feeds.some((feed) => feed.field === 'id' && feed.unsure)));
  const { notes, rows } = await order.stage('normalising', duck, () => normaliseRaw(duck, { dataset: order.dataset, source: order.source, extras: order.extras, columns, fed }));
  await rejectFrom(duck, ranges, `SELECT nth, fault AS reason FROM ${KEYS} WHERE fault IS NOT NULL`);
  return { ranges, notes, warnings: [...plans, ...empty].flatMap((plan) => plan.notes), rows };
}

/** Of an export in parts some may have no rows. Where all are so, that is no export. */
async function openReaders(duck: Duck, order: IngestOrder, inputs: readonly Input[]): Promise<{ readonly readers: readonly Reader[]; readonly empty: readonly FilePlan[] }> {
  const readers: Reader[] = [];
  const empty: FilePlan[] = [];
  for (const input of inputs) {
    try {
      readers.push(await reading(input, () => openReader(duck, input, readers.length, order)));
    } catch (error) {
      if (!(error instanceof EmptyFile) || (readers.length === 0 && empty.length === inputs.length - 1)) throw error;
      empty.push(emptyPlan(input, error.message));
    }
  }
  return { readers, empty };
}

async function reading<T>({ label }: Input, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unreadable(label, error);
  }
}

/** Reads as if nothing were wrong, else strictly. A reading that fails leaves nothing behind. */
async function readInto(duck: Duck, fill: (reader: Reader) => Promise<void>, reader: Reader, at: number): Promise<Reader> {
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
  const strict = await evenReader(duck, reader, at);
  await fill(strict);
  return strict;
}

/** Moves rows to the rejects. */
async function rejectFrom(duck: Duck, ranges: readonly FileRange[], query: string): Promise<void> {
  await duck.run(`CREATE TABLE refused AS ${query}`);
  for (const range of ranges) await rejectRows(duck, range, 'SELECT nth, reason FROM refused');
  await duck.run(`DELETE FROM ${KEYS} WHERE nth IN (SELECT nth FROM refused)`);
  await duck.run('DROP TABLE refused');
}

/** A column that only may be the key is one if every row of the files that have such a one has it, and no two the same. */
async function dropUnsureKey(duck: Duck, ranges: readonly FileRange[]): Promise<void> {
  if (ranges.length === 0) return;
  const theirs = ranges.map(({ firstRow, rows }) => `rowid >= ${firstRow} AND rowid < ${firstRow + rows}`).join(' OR ');
  const [found] = await duck.rows(`SELECT (count(*) = count(DISTINCT id))::INTEGER AS key FROM ${RAW} WHERE ${name(FAULT)} IS NULL AND (${theirs})`);
  if (found!.key === 0) await duck.run(`UPDATE ${RAW} SET id = NULL WHERE ${theirs}`);
}

async function withDuck<T>(order: IngestOrder, workDir: string, folders: readonly string[], recordsMax: number | null, work: (duck: Duck, inputs: readonly Input[]) => Promise<T>): Promise<T> {
  const inputs: Input[] = [];
  for (const [at, file] of order.files.entries()) {
    const input = await openInput(file, at, workDir, order.signal);
    inputs.push(recordsMax === null ? input : await beginningOf(input, recordsMax + 1, order.escape));
  }
  const readBy = async (read: readonly Input[]): Promise<T> => {
    const duck = await Duck.open(workDir, { folders, files: read.map(({ realPath }) => realPath) }, order.signal);
    try {
      for (const macro of TIDY_MACROS) await duck.run(macro);
      return await work(duck, read);
    } finally {
      duck.close();
    }
  };
  try {
    return await readBy(inputs);
  } catch (error) {
    if (!isForeignGzip(error)) throw error;
  }
  // Nothing is published yet: the engine says so while it reads.
  const unpacked: Input[] = [];
  for (const input of inputs) unpacked.push(await unpackedInput(input, order.signal));
  return readBy(unpacked);
}

/** Files may be opened twice; their plans are told all at once or not at all. */
function tellingOnce(order: IngestOrder): IngestOrder {
  let left = order.files.length;
  return { ...order, onPlan: (plan) => { if (left-- > 0) order.onPlan(plan); } };
}

/** One name means one source, whatever it holds. */
async function refuseTakenName({ dataDir, dataset, source }: IngestOrder): Promise<void> {
  for (const other of DATASETS.filter((known) => known !== dataset)) {
    if ((await readCurrent(lakeDir(dataDir, other, source))) !== null) throw new IngestError(`the source ${source} holds ${other}: choose another name for these ${dataset}`, { usage: true });
  }
}

async function refuseNothing(duck: Duck, rejects: readonly RejectFile[]): Promise<void> {
  if ((await count(duck, KEYS)) !== 0) return;
  const where = rejects.map(({ path }) => path).join(', ');
  throw new IngestError(`no row could be used${where === '' ? ': the files hold no records' : `; the reasons are in ${where}`}`);
}

/** Blank lines are no records; what the engine could not read is one. */
async function recordsRead(duck: Duck): Promise<number> {
  const blank = `SELECT count(*) FROM ${RAW} WHERE ${name(FAULT)} = 'blank'`;
  const [found] = await duck.rows(`SELECT ((SELECT count(*) FROM ${RAW}) - (${blank}) + (SELECT count(*) FROM ${REJECTS} WHERE record > 0)) AS n`);
  return found!.n as number;
}

function shown({ [PLACE]: _place, [RANK]: _rank, ...row }: Record<string, unknown>): Record<string, unknown> {
  return row;
}
