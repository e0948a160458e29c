import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATASETS, type Dataset } from '../../model/dataset.ts';
import { SOURCE_NAME } from '../../config/sources.ts';

export type LakePlace = { readonly dataset: Dataset; readonly source: string; readonly dir: string };

export type SegmentFiles = { readonly index: string; readonly rows: string; readonly truth: string };

export const SNAPSHOT_FILE = /^(\d{6,15})\.json$/;

export function lakeDir(dataDir: string, dataset: Dataset, source: string): string {
  return join(dataDir, 'lake', dataset, source);
}

export const currentPath = (dir: string): string => join(dir, 'CURRENT');
export const snapshotsDir = (dir: string): string => join(dir, 'snapshots');
export const segmentsDir = (dir: string): string => join(dir, 'segments');
/** Where the one writer works before anything is named; emptied by the next writer. */
export const stagingDir = (dir: string): string => join(dir, 'staging');

export function snapshotPath(dir: string, snapshot: number): string {
  return join(snapshotsDir(dir), `${padded(snapshot)}.json`);
}

/** What the ids of segments begin with that are made for a snapshot. */
export function segmentIdsOf(snapshot: number): string {
  return `${padded(snapshot)}-`;
}

/** The snapshot that a segment was made for. */
export function snapshotOf(segmentId: string): number {
  return Number.parseInt(segmentId, 10);
}

/** Then what they go on with that are not all of their snapshot. */
export const BESIDE = 'beside-';

function padded(snapshot: number): string {
  return String(snapshot).padStart(6, '0');
}

export function segmentFiles(dir: string, id: string): SegmentFiles {
  const stem = join(segmentsDir(dir), id);
  return { index: `${stem}.index`, rows: `${stem}.rows`, truth: `${stem}.parquet` };
}

export function gonePath(dir: string, id: string): string {
  return join(segmentsDir(dir), `${id}.gone`);
}

/** Every place that may hold a lake source, published or not, by dataset and name. */
export async function lakePlaces(dataDir: string): Promise<LakePlace[]> {
  const places = await Promise.all(DATASETS.map(async (dataset) => {
    const names = await foldersIn(join(dataDir, 'lake', dataset));
    return names.filter((name) => SOURCE_NAME.test(name)).map((source) => ({ dataset, source, dir: lakeDir(dataDir, dataset, source) }));
  }));
  return places.flat();
}

/** A link may be one to a folder. */
async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(noneWhereMissing);
  return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name).sort();
}

/** The names in a folder, sorted; none where there is no such folder. */
export async function namesIn(dir: string): Promise<string[]> {
  return (await readdir(dir).catch(noneWhereMissing)).sort();
}

function noneWhereMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
