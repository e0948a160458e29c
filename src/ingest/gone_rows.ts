import { DamagedLake } from '../sources/lake/current.ts';
import { isListed, readGone, type GoneEntry } from '../sources/lake/gone.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import { gonePath, segmentFiles, snapshotOf } from '../sources/lake/paths.ts';
import { checkTruths } from '../sources/lake/seals.ts';
import { literal, type Duck } from './duckdb.ts';

type Segments = Manifest['segments'];

/** What is gone of a published segment, by its list, or by the Parquet files where that is lost. */
export async function goneRows(duck: Duck, dir: string, segment: { readonly id: string; readonly gone: GoneEntry }, published: Segments): Promise<Uint32Array> {
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
  await checkTruths(dir, later, duck.signal);
  const rows: number[] = [];
  const query = `SELECT file_row_number::INTEGER FROM read_parquet(${truthsOf(dir, [id])}, file_row_number = true) WHERE id IN (SELECT id FROM read_parquet(${truthsOf(dir, later.map((one) => one.id))}))`;
  for await (const [numbers] of duck.batches(query)) for (const row of numbers as readonly number[]) rows.push(row);
  return Uint32Array.from(rows).sort();
}

function truthsOf(dir: string, ids: readonly string[]): string {
  return `[${ids.map((id) => literal(segmentFiles(dir, id).truth)).join(', ')}]`;
}
