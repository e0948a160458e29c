import { existsSync } from 'node:fs';
import { rename, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sync } from '../../config/durable.ts';
import { makeFolder } from '../../config/folder.ts';
import { DamagedLake, readCurrent, readSnapshot, snapshotNumbers } from './current.ts';
import { acquireLock, LockHeldError, type Lock } from './lock.ts';
import type { Manifest } from './manifest.ts';
import { namesIn, segmentsDir, snapshotPath, snapshotsDir, stagingDir } from './paths.ts';
import { markedSnapshots } from './read_marks.ts';
import { replacedLately } from './retained.ts';

/** For how long the caller has seen a snapshot as the current one: also where the wall clock was put back since it was published. */
export type Served = { readonly snapshot: number; readonly forMs: number };

/**
 * Deletes what no reader can need: files of an unfinished writer, and snapshots replaced longer ago than cursors live that no living
 * process reads, with the segments that only they name. The caller holds the lock, and looked at the clock before.
 */
export async function sweep(dir: string, lock: Lock, nowMs: number): Promise<string[]> {
  const { gone, unnamed } = await unname(dir, lock, nowMs, null);
  await removeAll(unnamed);
  return [...gone, ...unnamed];
}

/** `gone`: small files, deleted. `unnamed`: what nothing names any more, nor will ever again, which takes no lock to delete. */
type Swept = { readonly gone: readonly string[]; readonly unnamed: readonly string[] };

async function unname(dir: string, lock: Lock, nowMs: number, served: Served | null): Promise<Swept> {
  const current = await readCurrent(dir);
  const lately = current === null ? [] : [current, ...(await replacedLately(dir, current, latest(nowMs, current, served))).map(({ manifest }) => manifest)];
  const kept = [...lately, ...(await readElse(dir, lock, lately))];
  const gone = [
    ...(await snapshotNumbers(dir)).filter((number) => !kept.some(({ snapshot }) => snapshot === number)).map((number) => snapshotPath(dir, number)),
    ...(await temporaries(snapshotsDir(dir))),
    ...(await temporaries(dir)),
  ];
  const segments = await unnamedSegments(dir, kept);
  const staged = (await namesIn(stagingDir(dir))).map((name) => join(stagingDir(dir), name));
  // A writer that was killed as it published, or whose disk failed then, may have left a CURRENT that a crash of the machine takes back to the one before.
  if (gone.length + segments.length + staged.length > 0) await sync(dir);
  const unnamed = [...staged, ...await putAside(dir, segments)];
  await removeAll(gone);
  return { gone, unnamed };
}

/** Before the manifests go that named them: who is killed then leaves no file among the segments that nothing tells from those of the source. */
async function putAside(dir: string, files: readonly string[]): Promise<string[]> {
  if (files.length > 0) makeFolder(stagingDir(dir));
  const aside: string[] = [];
  for (const file of files) {
    const path = join(stagingDir(dir), `swept-${basename(file)}`);
    try {
      await rename(file, path);
      aside.push(path);
    } catch (error) {
      // A gateway of an older version deletes them where they are.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return aside;
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true });
}

/** As `sweep`, for a writer: where a damaged manifest does not tell what is needed, everything stays until nobody can need what it named. */
export async function sweepKnown(dir: string, lock: Lock): Promise<void> {
  await sweep(dir, lock, Date.now()).catch((error: unknown) => {
    if (!(error instanceof DamagedLake)) throw error;
  });
}

/** Takes away what a writer made of a new source's folder and put nothing into. Whatever holds anything stays, as does a link. */
export async function dropEmpty(dir: string): Promise<void> {
  for (const folder of [stagingDir(dir), segmentsDir(dir), snapshotsDir(dir), dir]) await rmdir(folder).catch(() => {});
}

/**
 * As `sweep`, for whoever finds the source unlocked; null where a writer is at work, and the source is left alone. A writer who comes meanwhile is not
 * kept waiting while large files are deleted.
 */
export async function sweepUnlessWriting(dir: string, nowMs: number, served: Served | null = null, remove = removeAll): Promise<string[] | null> {
  // Its lock would make the folder again that somebody took away.
  if (!existsSync(dir)) return [];
  try {
    const lock = await acquireLock(dir);
    const { gone, unnamed } = await unname(dir, lock, nowMs, served).finally(() => lock.release());
    await remove(unnamed);
    return [...gone, ...unnamed];
  } catch (error) {
    if (error instanceof LockHeldError) return null;
    throw error;
  }
}

function latest(nowMs: number, { snapshot, createdAt }: Manifest, served: Served | null): number {
  return served?.snapshot === snapshot ? Math.max(nowMs, Date.parse(createdAt) + served.forMs) : nowMs;
}

/** The manifests of what is still read beside those at hand. */
async function readElse(dir: string, lock: Lock, known: readonly Manifest[]): Promise<Manifest[]> {
  const marked = (await markedSnapshots(dir, lock)).filter((number) => !known.some(({ snapshot }) => snapshot === number));
  const there = await snapshotNumbers(dir);
  return Promise.all(marked.filter((number) => there.includes(number)).map((number) => readSnapshot(dir, number)));
}

async function temporaries(dir: string): Promise<string[]> {
  return (await namesIn(dir)).filter((name) => name.endsWith('.tmp')).map((name) => join(dir, name));
}

async function unnamedSegments(dir: string, manifests: readonly Manifest[]): Promise<string[]> {
  const ids = new Set(manifests.flatMap(({ segments }) => segments.flatMap(({ id, gone }) => [id, ...(gone === undefined ? [] : [gone.id])])));
  return (await namesIn(segmentsDir(dir))).filter((name) => !ids.has(name.slice(0, name.lastIndexOf('.')))).map((name) => join(segmentsDir(dir), name));
}
