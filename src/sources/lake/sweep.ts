import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireLock, LockHeldError } from './lock.ts';
import type { Manifest } from './manifest.ts';
import { namesIn, segmentsDir, snapshotPath, snapshotsDir, stagingDir } from './paths.ts';
import { readCurrent } from './publish.ts';
import { replacedLately, snapshotNumbers } from './retained.ts';

/**
 * Deletes what no reader can need: files of an unfinished writer, and snapshots replaced longer ago than cursors live, with the
 * segments that only they name. The caller holds the lock.
 */
export async function sweep(dir: string, nowMs: number): Promise<string[]> {
  const current = await readCurrent(dir);
  const kept = current === null ? [] : [current, ...(await replacedLately(dir, current, nowMs)).map(({ manifest }) => manifest)];
  const doomed = [
    ...(await snapshotNumbers(dir)).filter((number) => !kept.some(({ snapshot }) => snapshot === number)).map((number) => snapshotPath(dir, number)),
    ...(await temporaries(snapshotsDir(dir))),
    ...(await temporaries(dir)),
    ...(await unnamedSegments(dir, kept)),
    ...(await namesIn(stagingDir(dir))).map((name) => join(stagingDir(dir), name)),
  ];
  for (const path of doomed) await rm(path, { recursive: true, force: true });
  return doomed;
}

/** As `sweep`, for a start that finds the source unlocked; a source with a writer at work is left alone. */
export async function sweepUnlessWriting(dir: string, nowMs: number): Promise<string[]> {
  try {
    const lock = await acquireLock(dir);
    return await sweep(dir, nowMs).finally(() => lock.release());
  } catch (error) {
    if (error instanceof LockHeldError) return [];
    throw error;
  }
}

async function temporaries(dir: string): Promise<string[]> {
  return (await namesIn(dir)).filter((name) => name.endsWith('.tmp')).map((name) => join(dir, name));
}

async function unnamedSegments(dir: string, manifests: readonly Manifest[]): Promise<string[]> {
  const ids = new Set(manifests.flatMap(({ segments }) => segments.map(({ id }) => id)));
  return (await namesIn(segmentsDir(dir))).filter((name) => !ids.has(name.slice(0, name.lastIndexOf('.')))).map((name) => join(segmentsDir(dir), name));
}
