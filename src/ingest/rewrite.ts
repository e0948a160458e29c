import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { fileFault } from '../lib/file_fault.ts';
import { linesIn, utf8Texts } from '../lib/utf8_lines.ts';
import { rowsIn, type Manifest } from '../sources/lake/manifest.ts';
import { nextSnapshot } from '../sources/lake/publish.ts';
import { BATCH_ROWS, literal, type Columns } from './duckdb.ts';
import { IngestError } from './failure.ts';
import { createLead, LEAD } from './lead_table.ts';
import { count, oldTruth } from './merge.ts';
import { rewrite, type RewriteOrder, type Rewriting } from './rewriting.ts';
import { CUTTING, sealLead } from './seal.ts';
import { thinSegments } from './thin.ts';
import { TIDY_MACROS } from './tidy_sql.ts';

/** The table of the ids whose rows are to go. */
const IDS = 'doomed_ids';

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
    await duck.run(`CREATE TABLE ${IDS} AS SELECT DISTINCT ${literal(`${order.source}:`)} || unnest(list_filter([key, tidy(key)], lambda one: one IS NOT NULL)) AS id FROM doomed`);
    // What was replaced is in the files, too.
    if (!(await standings.doom(duck, `SELECT id FROM ${IDS}`))) return { asked, erased: 0, kept: rowsIn(current.segments), snapshot: current.snapshot };
    const thinned = await thinSegments(work, IDS);
    if (thinned !== null) return { asked, erased: thinned.erased, kept: rowsIn(current.segments) - thinned.erased, snapshot: thinned.snapshot };
    const { kept, rewritten } = standings.divide(0);
    const before = await readLead(work, rewritten);
    await duck.run(`DELETE FROM ${LEAD} WHERE id IN (SELECT id FROM ${IDS})`);
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

/** Brings the rows of segments as they are into the lead table, and says how many they are. */
async function readLead({ order, place, current, duck, columns }: Rewriting, segments: Manifest['segments']): Promise<number> {
  await duck.run(createLead(columns));
  const old = await oldTruth(duck, place, current, segments, columns);
  if (old !== null) await order.stage('reading', duck, () => duck.run(`INSERT INTO ${LEAD} BY NAME SELECT * FROM ${old}`));
  return count(duck, LEAD);
}

/** Publishes the lead table beside the segments that are kept. */
async function publishLead({ order, place, current, duck, standings, extras, columns, workDir, rowForm }: Rewriting, kept: Manifest['segments']): Promise<number> {
  const { signal, stage, cutting = CUTTING } = order;
  const { snapshot } = await sealLead(duck, {
    place, workDir, columns, kept: await standings.stage(kept, workDir, await nextSnapshot(place.dir)), extras, demo: current.demo, rowForm, signal, stage, cutting,
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
