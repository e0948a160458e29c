import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { fileFault } from '../lib/file_fault.ts';
import { linesIn, utf8Texts } from '../lib/utf8_lines.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { awaitLock } from '../sources/lake/lock.ts';
import { readCurrent } from '../sources/lake/current.ts';
import { rowsIn, type Manifest } from '../sources/lake/manifest.ts';
import { lakePlaces, segmentsDir, stagingDir, type LakePlace } from '../sources/lake/paths.ts';
import { nextSnapshot } from '../sources/lake/publish.ts';
import { storageOf, type RowStorage } from '../sources/lake/row_storage.ts';
import { sweepKnown } from '../sources/lake/sweep.ts';
import type { Cutting } from './cut.ts';
import { Standings } from './division.ts';
import { BATCH_ROWS, literal, withDuck, type Columns, type Duck } from './duckdb.ts';
import { IngestError } from './failure.ts';
import { createLead, LEAD, leadColumns, type LeadColumn } from './lead_table.ts';
import { count, isAsAsked, keptExtras, oldTruth } from './merge.ts';
import type { Stage } from './progress.ts';
import { KEEPING_NONE, type Keeping } from './rewritten.ts';
import { CUTTING, sealLead } from './seal.ts';
import { TIDY_MACROS } from './tidy_sql.ts';
import { inWorkDir } from './work_dir.ts';

export type RewriteOrder = {
  readonly dataDir: string;
  readonly source: string;
  readonly extras: Readonly<Record<Manifest['dataset'], readonly ExtraField[]>>;
  /** Null for what the source has. */
  readonly rowForm: RowStorage | null;
  readonly signal: AbortSignal;
  readonly stage: Stage;
  readonly cutting?: Cutting;
  readonly keeping?: Keeping;
};

type Erasure = { readonly asked: number; readonly erased: number; readonly kept: number; readonly snapshot: number };
type Compaction = { readonly rows: number; readonly segmentsBefore: number; readonly snapshot: number };

/**
 * Publishes the source without the rows whose ids stand in a file, one a line, with the source's name before them or without.
 * The snapshot before stays readable for the cursors cut from it, and for calls that read it, as long as any, and is then swept from the disk.
 */
export async function eraseRows(order: RewriteOrder, idsFile: string): Promise<Erasure> {
  await access(idsFile).catch((cause: unknown) => { throw new IngestError(fileFault(idsFile, cause) ?? `${idsFile} cannot be read`, { usage: true, cause }); });
  return rewrite(order, async (work) => {
    const { duck, standings, current } = work;
    for (const macro of TIDY_MACROS) await duck.run(macro);
    await duck.run('CREATE TABLE doomed (key VARCHAR)');
    await duck.append('doomed', ['text'], keyBatches(idsFile, order.source));
    const asked = await count(duck, '(SELECT DISTINCT key FROM doomed)');
    // The list may come from where the rows came from, and say keys as they were before an ingest tidied them.
    const ids = `SELECT DISTINCT ${literal(`${order.source}:`)} || unnest(list_filter([key, tidy(key)], lambda one: one IS NOT NULL)) AS id FROM doomed`;
    // What was replaced is in the files, too.
    if (!(await standings.doom(duck, ids))) return { asked, erased: 0, kept: rowsIn(current.segments), snapshot: current.snapshot };
    const { kept, rewritten } = standings.divide(0);
    const before = await readLead(work, rewritten);
    await duck.run(`DELETE FROM ${LEAD} WHERE id IN (${ids})`);
    const left = await count(duck, LEAD);
    return { asked, erased: before - left, kept: rowsIn(kept) + left, snapshot: await publishLead(work, kept) };
  });
}

/** Rewrites the source as few segments as a new ingest would make, in today's format and with today's extra columns too, and without the rows that were replaced. */
export async function compactSource(order: RewriteOrder): Promise<Compaction> {
  return rewrite(order, async (work) => {
    const { segments } = work.current;
    const rows = await readLead(work, segments);
    return { rows, segmentsBefore: segments.length, snapshot: await publishLead(work, []) };
  });
}

type Work = {
  readonly order: RewriteOrder;
  readonly place: LakePlace;
  readonly current: Manifest;
  readonly duck: Duck;
  readonly standings: Standings;
  readonly extras: readonly ExtraField[];
  readonly columns: readonly LeadColumn[];
  readonly workDir: string;
};

async function rewrite<T>(order: RewriteOrder, work: (work: Work) => Promise<T>): Promise<T> {
  const place = await publishedPlace(order);
  const lock = await awaitLock(place.dir);
  try {
    await sweepKnown(place.dir, lock);
    const current = (await readCurrent(place.dir))!;
    const extras = keptExtras(current, order.extras[place.dataset]);
    const standings = new Standings(place.dir, current.segments, isAsAsked(current, { rowForm: order.rowForm, extras }) ? order.keeping : KEEPING_NONE);
    try {
      return await inWorkDir(stagingDir(place.dir), (workDir) => withDuck(workDir, { folders: [segmentsDir(place.dir)], files: [] }, order.signal,
        (duck) => work({ order, place, current, duck, standings, extras, columns: leadColumns(place.dataset, extras), workDir })));
    } finally {
      standings.close();
    }
  } finally {
    await lock.release();
  }
}

async function publishedPlace({ dataDir, source }: RewriteOrder): Promise<LakePlace> {
  for (const place of await lakePlaces(dataDir)) {
    if (place.source === source && (await readCurrent(place.dir)) !== null) return place;
  }
  throw new IngestError(`there is no lake source ${source}; lds sources lists them`, { usage: true });
}

/** Brings the rows of segments as they are into the lead table, and says how many they are. */
async function readLead({ order, place, current, duck, columns }: Work, segments: Manifest['segments']): Promise<number> {
  await duck.run(createLead(columns));
  const old = await oldTruth(duck, place, current, segments, columns);
  if (old !== null) await order.stage('reading', duck, () => duck.run(`INSERT INTO ${LEAD} BY NAME SELECT * FROM ${old}`));
  return count(duck, LEAD);
}

/** Publishes the lead table beside the segments that are kept. */
async function publishLead({ order, place, current, duck, standings, extras, columns, workDir }: Work, kept: Manifest['segments']): Promise<number> {
  const { signal, stage, rowForm, cutting = CUTTING } = order;
  const { snapshot } = await sealLead(duck, {
    place, workDir, columns, kept: await standings.stage(kept, workDir, await nextSnapshot(place.dir)), extras, demo: current.demo, rowForm: rowForm ?? storageOf(current), signal, stage, cutting,
  });
  return snapshot;
}

/** Of ids in another encoding none would be found, and whoever asked for their erasure would believe that nothing of them was there. */
async function* idTexts(file: string): AsyncGenerator<string> {
  for await (const text of utf8Texts(createReadStream(file), (cause) => notUtf8(file, cause))) {
    if (text.includes('\0')) throw notUtf8(file);
    yield text;
  }
}

function notUtf8(file: string, cause?: unknown): IngestError {
  return new IngestError(`${file} is not text in UTF-8: convert it first (iconv -f UTF-16 -t UTF-8 ${file} > NEW, where it was saved as Unicode text)`, { usage: true, cause });
}

async function* keyBatches(file: string, source: string): AsyncGenerator<Columns> {
  let keys: string[] = [];
  for await (const line of linesIn(idTexts(file))) {
    const id = line.trim();
    if (id === '') continue;
    keys.push(id.startsWith(`${source}:`) ? id.slice(source.length + 1) : id);
    if (keys.length === BATCH_ROWS) {
      yield [keys];
      keys = [];
    }
  }
  if (keys.length > 0) yield [keys];
}
