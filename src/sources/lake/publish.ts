import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../config/folder.ts';
import { sync, writeDurably } from './durable.ts';
import { Manifest } from './manifest.ts';
import { currentPath, lakePlaces, segmentFiles, segmentsDir, snapshotPath, snapshotsDir, type LakePlace, type SegmentFiles } from './paths.ts';

export type SegmentEntry = Manifest['segments'][number];

/** A segment that stands in the staging folder, whole and synced, not yet named by any snapshot. */
export type StagedSegment = { readonly entry: SegmentEntry; readonly files: SegmentFiles };

export type Publication = {
  readonly dataset: Manifest['dataset'];
  readonly source: string;
  readonly demo: boolean;
  readonly rowForm?: Manifest['rowForm'];
  readonly extras: Manifest['extras'];
  /** Segments of the snapshot before that stay. */
  readonly kept: readonly SegmentEntry[];
  readonly added: readonly StagedSegment[];
};

/** The manifest that is served, or null where nothing was ever published. A damaged one throws. */
export async function readCurrent(dir: string): Promise<Manifest | null> {
  const current = await textOf(currentPath(dir));
  if (current === null) return null;
  return readSnapshot(dir, Number(current));
}

/** A damaged or missing manifest throws. */
export async function readSnapshot(dir: string, snapshot: number): Promise<Manifest> {
  return Manifest.parse(JSON.parse(await readFile(snapshotPath(dir, snapshot), 'utf8')));
}

/** Every published lake source under the data folder. */
export async function readLakes(dataDir: string): Promise<{ place: LakePlace; manifest: Manifest }[]> {
  const lakes = await Promise.all((await lakePlaces(dataDir)).map(async (place) => ({ place, manifest: await readCurrent(place.dir) })));
  return lakes.flatMap(({ place, manifest }) => (manifest === null ? [] : [{ place, manifest }]));
}

/** What a segment takes on disk, truth included. */
export async function segmentBytes(dir: string, id: string): Promise<number> {
  const sizes = await Promise.all(Object.values(segmentFiles(dir, id)).map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Unique for ever: the snapshot it is made for, its place among the segments of that one, and chance. Sorted they stand in serving order. */
export function newSegmentId(snapshot: number, part: number): string {
  return `${String(snapshot).padStart(6, '0')}-${String(part).padStart(4, '0')}-${randomBytes(5).toString('hex')}`;
}

/**
 * Makes a new snapshot the current one. The caller holds the lock. Order is what makes it atomic: the files under their names, the
 * manifest, then the one byte that counts, CURRENT; each durable before the next. A crash in between leaves files that nothing names; a
 * failure, of a full disk say, takes them away again.
 */
export async function publish(dir: string, { dataset, source, demo, rowForm, extras, kept, added }: Publication): Promise<Manifest> {
  makeFolder(segmentsDir(dir));
  makeFolder(snapshotsDir(dir));
  const snapshot = await nextSnapshot(dir);
  const segments = [...kept, ...added.map(({ entry }) => entry)];
  const manifest = Manifest.parse({ format: 1, snapshot, dataset, source, createdAt: new Date().toISOString(), demo, ...(rowForm === 'compact' ? { rowForm } : {}), extras, segments });
  try {
    for (const { entry, files } of added) await nameSegment(dir, entry.id, files);
    await sync(segmentsDir(dir));
    await writeDurably(snapshotPath(dir, snapshot), `${JSON.stringify(manifest, null, 1)}\n`);
    await sync(dir);
    await writeDurably(currentPath(dir), `${snapshot}\n`);
    await sync(dirname(dir));
  } catch (error) {
    await withdraw(dir, snapshot, added).catch(() => {});
    throw error;
  }
  return manifest;
}

/** What was to be published, unless CURRENT names it already: then it may have been seen, and stays. */
async function withdraw(dir: string, snapshot: number, added: readonly StagedSegment[]): Promise<void> {
  if (await nextSnapshot(dir) > snapshot) return;
  const named = added.flatMap(({ entry }) => Object.values(segmentFiles(dir, entry.id)));
  const manifest = snapshotPath(dir, snapshot);
  for (const path of [...named, manifest, `${manifest}.tmp`, `${currentPath(dir)}.tmp`]) await rm(path, { force: true });
}

/** The number that the next published snapshot gets. */
export async function nextSnapshot(dir: string): Promise<number> {
  return Number((await textOf(currentPath(dir))) ?? 0) + 1;
}

async function nameSegment(dir: string, id: string, staged: SegmentFiles): Promise<void> {
  const final = segmentFiles(dir, id);
  for (const part of ['truth', 'rows', 'index'] as const) {
    await sync(staged[part]);
    await rename(staged[part], final[part]);
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
