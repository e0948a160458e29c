import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { fileFault } from '../lib/file_fault.ts';
import { linesIn, utf8Texts } from '../lib/utf8_lines.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { awaitLock } from '../sources/lake/lock.ts';
import { readCurrent } from '../sources/lake/current.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import { lakePlaces, segmentsDir, stagingDir, type LakePlace } from '../sources/lake/paths.ts';
import { storageOf, type RowStorage } from '../sources/lake/row_storage.ts';
import { sweepKnown } from '../sources/lake/sweep.ts';
import type { Cutting } from './cut.ts';
import { BATCH_ROWS, literal, withDuck, type Columns, type Duck } from './duckdb.ts';
import { IngestError } from './failure.ts';
import { createLead, LEAD, leadColumns } from './lead_table.ts';
import { count, keptExtras, oldTruth } from './merge.ts';
import type { Stage } from './progress.ts';
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
};

type Erasure = { readonly asked: number; readonly erased: number; readonly kept: number; readonly snapshot: number };
type Compaction = { readonly rows: number; readonly segmentsBefore: number; readonly snapshot: number };

/**
 * Publishes the source without the rows whose ids stand in a file, one a line, with the source's name before them or without.
 * The snapshot before stays readable for the cursors cut from it, and for calls that read it, as long as any, and is then swept from the disk.
 */
export async function eraseRows(order: RewriteOrder, idsFile: string): Promise<Erasure> {
  await access(idsFile).catch((cause: unknown) => { throw new IngestError(fileFault(idsFile, cause) ?? `${idsFile} cannot be read`, { usage: true, cause }); });
  return rewrite(order, async (duck) => {
    for (const macro of TIDY_MACROS) await duck.run(macro);
    await duck.run('CREATE TABLE doomed (key VARCHAR)');
    await duck.append('doomed', ['text'], keyBatches(idsFile, order.source));
    const before = await count(duck, LEAD);
    // The list may come from where the rows came from, and say keys as they were before an ingest tidied them.
    await duck.run(`DELETE FROM ${LEAD} WHERE id IN (SELECT ${literal(`${order.source}:`)} || unnest([key, tidy(key)]) FROM doomed)`);
    const kept = await count(duck, LEAD);
    const asked = await count(duck, '(SELECT DISTINCT key FROM doomed)');
    return { told: { asked, erased: before - kept, kept }, changed: kept < before };
  });
}

/** Rewrites the source as few segments as a new ingest would make, in today's format and with today's extra columns too. */
export async function compactSource(order: RewriteOrder): Promise<Compaction> {
  return rewrite(order, async (duck, current) => ({ told: { rows: await count(duck, LEAD), segmentsBefore: current.segments.length }, changed: true }));
}

/** What is told of a change, beside the snapshot that came of it. */
type Change<T> = (duck: Duck, current: Manifest) => Promise<{ readonly told: T; readonly changed: boolean }>;
type Published<T> = T & { readonly snapshot: number };

/** The rows as they are into the lead table, a change of it, and the table as the next snapshot. */
async function rewrite<T>(order: RewriteOrder, change: Change<T>): Promise<Published<T>> {
  const place = await publishedPlace(order);
  const lock = await awaitLock(place.dir);
  try {
    await sweepKnown(place.dir, lock);
    const current = (await readCurrent(place.dir))!;
    return await inWorkDir(stagingDir(place.dir), (workDir) => withDuck(workDir, { folders: [segmentsDir(place.dir)], files: [] }, order.signal,
      (duck) => rewriteIn(order, { duck, place, current, workDir }, change)));
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

async function rewriteIn<T>(
  { extras, signal, stage, rowForm, cutting = CUTTING }: RewriteOrder,
  { duck, place, current, workDir }: { readonly duck: Duck; readonly place: LakePlace; readonly current: Manifest; readonly workDir: string },
  change: Change<T>,
): Promise<Published<T>> {
  const kept = keptExtras(current, extras[place.dataset]);
  const columns = leadColumns(place.dataset, kept);
  await duck.run(createLead(columns));
  const old = await oldTruth(duck, place, current, columns);
  if (old !== null) await stage('reading', duck, () => duck.run(`INSERT INTO ${LEAD} BY NAME SELECT * FROM ${old}`));
  const { told, changed } = await change(duck, current);
  if (!changed) return { ...told, snapshot: current.snapshot };
  const { snapshot } = await sealLead(duck, { place, workDir, columns, extras: kept, demo: current.demo, rowForm: rowForm ?? storageOf(current), signal, stage, cutting });
  return { ...told, snapshot };
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
