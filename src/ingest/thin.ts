import { isDeepStrictEqual } from 'node:util';
import { segmentFiles } from '../sources/lake/paths.ts';
import type { KeptSegment } from '../sources/lake/publish.ts';
import { checkTruths } from '../sources/lake/seals.ts';
import type { Doomed } from './division.ts';
import { literal, name, type Duck } from './duckdb.ts';
import { goneRows } from './gone_rows.ts';
import { count } from './merge.ts';
import type { Rewriting } from './rewriting.ts';
import { asTruth, CUTTING, sealTruths, stagedFiles, truthColumns, type WrittenTruth } from './seal.ts';
import { RANK } from './truth/truth_rows.ts';

type Thinned = { readonly erased: number; readonly snapshot: number };
/** `written`: null where no row is left. */
type Thin = { readonly written: WrittenTruth | null; readonly erased: number };

/**
 * Publishes the source with each of the segments that hold a row of some ids, given as a table, written anew without them, and without those of it that are gone. What is left of a segment
 * stands in its order already: it is neither sorted nor kept in memory, and all others stay. Null where a segment cannot be read, or would be written in another way today.
 */
export async function thinSegments(work: Rewriting, ids: string): Promise<Thinned | null> {
  const { order: { stage, signal, cutting = CUTTING }, place, current, duck, standings, extras, rowForm } = work;
  const doomed = work.isAsAsked ? standings.doomed() : null;
  if (doomed === null) return null;
  await checkTruths(place.dir, doomed.map(({ entry }) => entry), signal);
  for (const { entry } of doomed) if (!(await isOfToday(work, segmentFiles(place.dir, entry.id).truth))) return null;
  const thins = new Map<string, Thin>();
  await stage('writing', doomed.reduce((sum, { entry }) => sum + entry.rows, 0), async (advance) => {
    for (const [part, one] of doomed.entries()) {
      thins.set(one.entry.id, await thin(work, one, part, ids));
      advance(one.entry.rows);
    }
  });
  duck.close();
  const parts = current.segments.flatMap((entry): readonly (KeptSegment | WrittenTruth)[] => {
    const thinned = thins.get(entry.id);
    if (thinned === undefined) return [{ entry, gone: null }];
    return thinned.written === null ? [] : [thinned.written];
  });
  const { snapshot } = await sealTruths({ place, extras, demo: current.demo, rowForm, signal, stage, cutting }, parts);
  return { erased: [...thins.values()].reduce((sum, { erased }) => sum + erased, 0), snapshot };
}

/** Whether a truth has the columns, and ranks, that it would be written with. */
async function isOfToday({ duck, columns }: Rewriting, truth: string): Promise<boolean> {
  const found = await duck.rows(`DESCRIBE SELECT * FROM read_parquet(${literal(truth)})`);
  return isDeepStrictEqual(found.map(({ column_name, column_type }) => [column_name, column_type]), truthColumns(columns));
}

/** The engine keeps rows in their order where they are filtered by what stands in them, as it does not where they are joined: what is to go is a bit of one value. */
async function thin({ place, current, duck, columns, extras, workDir }: Rewriting, { entry, form }: Doomed, part: number, ids: string): Promise<Thin> {
  const { truth } = segmentFiles(place.dir, entry.id);
  const rows = `read_parquet(${literal(truth)}, file_row_number = true)`;
  const gone = entry.gone === undefined ? new Uint32Array() : await goneRows(duck, place.dir, { id: entry.id, gone: entry.gone }, current.segments);
  await duck.list('removed', 'row', gone);
  await duck.run(`INSERT INTO removed SELECT file_row_number FROM ${rows} WHERE id IN (SELECT id FROM ${ids}) AND file_row_number NOT IN (SELECT row FROM removed)`);
  const all = entry.rows + gone.length;
  const removed = await count(duck, 'removed');
  const erased = removed - gone.length;
  if (removed === all) return { written: null, erased };
  const files = stagedFiles(workDir, part);
  await duck.run(`SET VARIABLE removed = (SELECT coalesce(bitstring_agg(row, 0, ${all - 1}), bitstring('0', ${all})) FROM removed)`);
  const wanted = truthColumns(columns).map(([column]) => name(column)).join(', ');
  await duck.run(`COPY (SELECT ${wanted} FROM ${rows} WHERE get_bit(getvariable('removed'), file_row_number::INTEGER) = 0) TO ${asTruth(files.truth, await groupRowsOf(duck, truth))}`);
  const head = { dataset: place.dataset, source: place.source, extras };
  return { written: { order: { head, files, form, rankGaps: await gapsIn(duck, files.truth) }, rows: all - removed }, erased };
}

async function groupRowsOf(duck: Duck, truth: string): Promise<number> {
  const [most] = await duck.rows(`SELECT max(row_group_num_rows)::DOUBLE AS rows FROM parquet_metadata(${literal(truth)})`);
  return most!.rows as number;
}

async function gapsIn(duck: Duck, truth: string): Promise<Uint32Array> {
  const ranks = `SELECT ${name(RANK)} AS rank FROM read_parquet(${literal(truth)})`;
  const gaps: number[] = [];
  const query = `SELECT range::INTEGER AS gap FROM range((SELECT max(rank) FROM (${ranks}))) WHERE range NOT IN (${ranks}) ORDER BY range`;
  for await (const [batch] of duck.batches(query)) for (const gap of batch as readonly number[]) gaps.push(gap);
  return Uint32Array.from(gaps);
}
