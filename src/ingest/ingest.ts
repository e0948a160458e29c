import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataFolder } from '../config/folder.ts';
import { LIMITS } from '../config/limits.ts';
import { DATASETS, type Dataset } from '../model/dataset.ts';
import { awaitLock } from '../sources/lake/lock.ts';
import { rowsIn, type Manifest } from '../sources/lake/manifest.ts';
import { lakeDir, segmentsDir, stagingDir, type LakePlace } from '../sources/lake/paths.ts';
import { DamagedLake, readCurrent } from '../sources/lake/current.ts';
import { nextSnapshot } from '../sources/lake/publish.ts';
import { storageOf, type RowStorage } from '../sources/lake/row_storage.ts';
import { dropEmpty, sweepKnown } from '../sources/lake/sweep.ts';
import type { Cutting } from './cut.ts';
import { Standings } from './division.ts';
import { name, withDuck, type Duck } from './duckdb.ts';
import { IngestError } from './failure.ts';
import { assertUnchanged, beginningOf, openInput, unpackedInput, type Input } from './input.ts';
import { bothRows, KEYS, leadRows, PLACE, type KeyedRows } from './key_table.ts';
import { readKeyed, readWhole, rejectFrom, type ReadingOrder } from './keyed_files.ts';
import { leadColumns } from './lead_table.ts';
import { count, dropRepeats, isAsAsked, keepOld, keptExtras, knownRows, oldTruth, type Merged } from './merge.ts';
import type { Mode } from './mode.ts';
import type { Note } from './normal_table.ts';
import { isForeignGzip } from './packed.ts';
import { FAULT, RAW } from './raw_table.ts';
import { writeRejects, type RejectFile } from './reject_files.ts';
import { REJECTS, rejectReasons } from './rejects.ts';
import { KEEPING_NONE, type Keeping } from './rewritten.ts';
import { CUTTING, sealRows } from './seal.ts';
import { TIDY_MACROS } from './tidy_sql.ts';
import { RANK } from './truth/truth_rows.ts';
import { dropUnchanged } from './unchanged.ts';
import { inWorkDir } from './work_dir.ts';

export type IngestOrder = ReadingOrder & {
  readonly files: readonly string[];
  readonly dataDir: string;
  readonly mode: Mode;
  /** Null for what the source has. */
  readonly rowForm: RowStorage | null;
  readonly signal: AbortSignal;
  readonly cutting?: Cutting;
  readonly keeping?: Keeping;
};

export type IngestSummary = Merged & {
  /** Rows of before that `replace` took away. */
  readonly removed: number;
  readonly dataset: Dataset;
  readonly source: string;
  readonly mode: Mode;
  /** Rows of the source as published. */
  readonly rows: number;
  /** False where the source has all of it already, as it is: the snapshot is that of before. */
  readonly published: boolean;
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

/** The ids of the input that are known. */
const KNOWN = 'known';

export type Preview = { readonly rows: readonly Record<string, unknown>[]; readonly rejected: Readonly<Record<string, number>>; readonly notes: readonly Note[]; readonly warnings: readonly string[] };

/** Reads files, normalises their rows and publishes them as a lake source. Whatever goes wrong, what was published before stands. */
export async function ingestFiles(order: IngestOrder): Promise<IngestSummary> {
  const place = placeOf(order);
  makeDataFolder(order.dataDir);
  await refuseTakenName(order);
  const isNew = !existsSync(place.dir);
  const lock = await awaitLock(place.dir);
  let published = false;
  try {
    await sweepKnown(place.dir, lock);
    const current = await readCompared(place, order);
    const summary = await inWorkDir(stagingDir(place.dir), (workDir) => run(tellingOnce(withKeptExtras(order, current)), place, current, workDir));
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
  const order = tellingOnce(withKeptExtras(wanted, await readCompared(placeOf(wanted), wanted)));
  return inWorkDir(tempDir, async (workDir) => withInputs(order, workDir, [], LIMITS.ingestPreviewRecords, async (duck, inputs) => {
    const { notes, warnings, rows: keyed } = await readKeyed(duck, order, inputs, LIMITS.ingestPreviewRecords);
    const rejected = await rejectReasons(duck);
    const first = `SELECT nth, nth AS place, 0 AS rank FROM ${KEYS} ORDER BY nth LIMIT ${LIMITS.ingestPreviewRows}`;
    const rows = await duck.rows(`SELECT to_json(row)::VARCHAR AS row FROM (${keyed(first)}) row ORDER BY ${name(PLACE)}`);
    return { rows: rows.map(({ row }) => shown(JSON.parse(row as string) as Record<string, unknown>)), rejected, notes, warnings };
  }));
}

async function run(order: IngestOrder, place: LakePlace, current: Manifest | null, workDir: string): Promise<IngestSummary> {
  const { mode, dataset, source } = order;
  const before = mode === 'replace' ? null : current;
  return withInputs(order, workDir, [segmentsDir(place.dir)], null, async (duck, inputs) => {
    const { ranges, notes, warnings, rows: fresh } = await readWhole(duck, order, inputs);
    for (const input of inputs) await assertUnchanged(input);
    const standings = new Standings(place.dir, before?.segments ?? [], before === null || isAsAsked(before, order) ? order.keeping : KEEPING_NONE);
    try {
      const work = { order, place, before, duck, standings, workDir };
      // Where append finds all of them there already, nothing is wrong.
      const usable = await count(duck, KEYS);
      if (mode === 'append' && before !== null) await rejectFrom(duck, ranges, await knownTo(work, before));
      const repeats = await dropRepeats(duck);
      const rejected = await rejectReasons(duck);
      const rejects = await writeRejects(duck, ranges, join(order.dataDir, 'rejects', source), order.files);
      if (usable === 0) throw nothingUsable(rejects);
      const read = await recordsRead(duck);
      const unkeyed = await count(duck, `${KEYS} JOIN ${RAW} raw ON raw.rowid = ${KEYS}.nth WHERE raw.id IS NULL`);
      const told = { dataset, source, mode, read, rejected, rejects, repeats, unkeyed, notes, warnings };
      if (before !== null && mode === 'append' && await count(duck, KEYS) === 0 && isAsAsked(before, order)) {
        const rows = rowsOf(before);
        return { ...told, added: 0, replaced: 0, kept: rows, removed: 0, rows, published: false, snapshot: before.snapshot };
      }
      const removed = mode === 'replace' ? rowsOf(current) : 0;
      const { merged, manifest } = await publishMerged(work, fresh, current);
      return { ...told, ...merged, removed, rows: rowsOf(manifest), published: manifest !== before, snapshot: manifest.snapshot };
    } finally {
      standings.close();
    }
  });
}

type Work = {
  readonly order: IngestOrder;
  readonly place: LakePlace;
  /** What the rows are brought to; null where they are all that there is to be. */
  readonly before: Manifest | null;
  readonly duck: Duck;
  readonly standings: Standings;
  readonly workDir: string;
};

const KEY_IDS = `SELECT id FROM ${KEYS}`;

/** A query of the rows that are there already. */
async function knownTo({ order, place, duck, standings }: Work, before: Manifest): Promise<string> {
  const unasked = await standings.findKnown(duck, KEY_IDS, await count(duck, KEYS), KNOWN);
  const old = await oldTruth(duck, place, before, unasked, leadColumns(order.dataset, order.extras));
  return knownRows(old === null ? [KNOWN] : [KNOWN, old]);
}

type Outcome = { readonly merged: Merged; readonly manifest: Manifest };

/** Few rows stand beside the segments of before, as one of their own; what they replace there is marked as gone. */
async function publishMerged({ order, place, before, duck, standings, workDir }: Work, fresh: KeyedRows, current: Manifest | null): Promise<Outcome> {
  const { dataset, extras, mode, signal, stage } = order;
  const columns = leadColumns(dataset, extras);
  const first = await count(duck, RAW);
  const given = await count(duck, KEYS);
  const truthOf = (segments: Manifest['segments']): Promise<string | null> => (before === null ? Promise.resolve(null) : oldTruth(duck, place, before, segments, columns));
  if (mode === 'upsert' && before !== null && isAsAsked(before, order)) {
    await stage('comparing', duck, () => dropUnchanged({ duck, fresh, columns }, standings, () => truthOf(before.segments)));
  }
  const rows = await count(duck, KEYS);
  const unchanged = given - rows;
  if (before !== null && unchanged > 0 && rows === 0) return { merged: { added: 0, replaced: unchanged, kept: rowsOf(before) - unchanged }, manifest: before };
  if (mode === 'upsert') await standings.markReplaced(duck, KEY_IDS, rows);
  const { kept, rewritten } = await standings.divideWhole(rows);
  const old = await truthOf(rewritten);
  const written = await stage('merging', duck, () => keepOld(duck, { dataset, columns, first }, old));
  const marked = standings.markedIn(kept);
  const merged = { added: written.added - marked, replaced: written.replaced + marked + unchanged, kept: written.kept + rowsIn(kept) - marked - unchanged };
  const manifest = await sealRows(duck, {
    place, workDir, columns, rows: written.kept === 0 ? fresh : bothRows(fresh, leadRows(columns, first)), kept: await standings.stage(kept, workDir, await nextSnapshot(place.dir)),
    extras, demo: false, rowForm: order.rowForm ?? storageOf(current), signal, stage, cutting: order.cutting ?? CUTTING,
  });
  return { merged, manifest };
}

const placeOf = ({ dataset, source, dataDir }: IngestOrder): LakePlace => ({ dataset, source, dir: lakeDir(dataDir, dataset, source) });

/** What the source has now; a demonstration counts for nothing. What is damaged may be replaced: that it cannot be read is then no matter. */
async function readCompared({ dir }: LakePlace, { mode }: IngestOrder): Promise<Manifest | null> {
  try {
    const found = await readCurrent(dir);
    return found?.demo === true ? null : found;
  } catch (error) {
    if (error instanceof DamagedLake && mode === 'replace') return null;
    throw error;
  }
}

function withKeptExtras(order: IngestOrder, current: Manifest | null): IngestOrder {
  return order.mode === 'replace' ? order : { ...order, extras: keptExtras(current, order.extras) };
}

function rowsOf(manifest: Manifest | null): number {
  return rowsIn(manifest?.segments ?? []);
}

async function withInputs<T>(order: IngestOrder, workDir: string, folders: readonly string[], recordsMax: number | null, work: (duck: Duck, inputs: readonly Input[]) => Promise<T>): Promise<T> {
  const inputs: Input[] = [];
  for (const [at, file] of order.files.entries()) {
    const input = await openInput(file, at, workDir, order.signal);
    inputs.push(recordsMax === null ? input : await beginningOf(input, recordsMax + 1, order.escape));
  }
  const files = inputs.map(({ origin }) => origin.path);
  const readBy = (read: readonly Input[]): Promise<T> => withDuck(workDir, { folders, files }, order.signal, async (duck) => {
    for (const macro of TIDY_MACROS) await duck.run(macro);
    return work(duck, read);
  });
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

/** Files may be opened twice; their plans are told once. */
function tellingOnce(order: IngestOrder): IngestOrder {
  let isTold = false;
  return {
    ...order,
    onPlans: (plans) => {
      if (!isTold) order.onPlans(plans);
      isTold = true;
    },
  };
}

/** One name means one source, whatever it holds. */
async function refuseTakenName({ dataDir, dataset, source }: IngestOrder): Promise<void> {
  for (const other of DATASETS.filter((known) => known !== dataset)) {
    if ((await readCurrent(lakeDir(dataDir, other, source))) !== null) throw new IngestError(`the source ${source} holds ${other}: choose another name for these ${dataset}`, { usage: true });
  }
}

function nothingUsable(rejects: readonly RejectFile[]): IngestError {
  const where = rejects.map(({ path }) => path).join(', ');
  return new IngestError(`no row could be used${where === '' ? ': the files hold no records' : `; the reasons are in ${where}`}`);
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
