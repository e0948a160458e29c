import { DamagedLake } from '../sources/lake/current.ts';
import { isListed, readGone, type GoneEntry } from '../sources/lake/gone.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import { gonePath, segmentFiles, snapshotOf } from '../sources/lake/paths.ts';
import { checkTruths } from '../sources/lake/seals.ts';
import { BATCH_ROWS, literal, type Duck } from './duckdb.ts';

type Segments = Manifest['segments'];

/** A query of the rows that live in one of the published segments. A row has the number in its Parquet file that it has in the segment. */
export async function livingTruth(duck: Duck, dir: string, { id, gone }: Segments[number], published: Segments): Promise<string> {
  const truth = truthsOf(dir, [id]);
  if (gone === undefined) return `SELECT * FROM read_parquet(${truth})`;
  const table = `gone_${id.replaceAll('-', '_')}`;
  await duck.run(`CREATE OR REPLACE TABLE ${table} (row BIGINT)`);
  await duck.append(table, ['integer'], numberBatches(await goneRows(duck, dir, { id, gone }, published)));
  return `SELECT * EXCLUDE (file_row_number) FROM read_parquet(${truth}, file_row_number = true) WHERE file_row_number NOT IN (SELECT row FROM ${table})`;
}

async function goneRows(duck: Duck, dir: string, segment: { readonly id: string; readonly gone: GoneEntry }, published: Segments): Promise<Uint32Array> {
  try {
    return await readGone(dir, segment.gone);
  } catch (error) {
    if (!(error instanceof DamagedLake)) throw error;
    const rows = await replacedRows(duck, dir, segment.id, published);
    if (isListed(segment.gone, rows)) return rows;
    throw new DamagedLake(dir, `${gonePath(dir, segment.gone.id)} is lost, and the Parquet files do not tell what it said`, { cause: error });
  }
}

/** What is gone by the Parquet files: of what was replaced there is a row in a segment that was made later, and what was erased is in none. */
async function replacedRows(duck: Duck, dir: string, id: string, published: Segments): Promise<Uint32Array> {
  const later = published.filter((other) => snapshotOf(other.id) > snapshotOf(id));
  if (later.length === 0) return new Uint32Array();
  await checkTruths(dir, later);
  const rows: number[] = [];
  const query = `SELECT file_row_number::INTEGER FROM read_parquet(${truthsOf(dir, [id])}, file_row_number = true) WHERE id IN (SELECT id FROM read_parquet(${truthsOf(dir, later.map((one) => one.id))}))`;
  for await (const [numbers] of duck.batches(query)) for (const row of numbers as readonly number[]) rows.push(row);
  return Uint32Array.from(rows).sort();
}

function truthsOf(dir: string, ids: readonly string[]): string {
  return `[${ids.map((id) => literal(segmentFiles(dir, id).truth)).join(', ')}]`;
}

function* numberBatches(rows: Uint32Array): Generator<[number[]]> {
  for (let at = 0; at < rows.length; at += BATCH_ROWS) yield [[...rows.subarray(at, at + BATCH_ROWS)]];
}
