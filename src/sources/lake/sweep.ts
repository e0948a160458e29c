import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../config/limits.ts';
import { acquireLock, LockHeldError } from './lock.ts';
import { Manifest } from './manifest.ts';
import { namesIn, segmentsDir, SNAPSHOT_FILE, snapshotPath, snapshotsDir, stagingDir } from './paths.ts';
import { readCurrent } from './publish.ts';

/**
 * Deletes what no reader can need: files of an unfinished writer, and snapshots replaced longer ago than cursors live, with the
 * segments that only they name. The caller holds the lock. A clock that went back only delays it.
 */
export async function sweep(dir: string, nowMs: number): Promise<string[]> {
  const current = await readCurrent(dir);
  const numbers = (await namesIn(snapshotsDir(dir))).flatMap((name) => SNAPSHOT_FILE.exec(name)?.[1] ?? []).map(Number);
  const kept = await retained(dir, numbers, current, nowMs);
  const doomed = [
    ...numbers.filter((number) => !kept.has(number)).map((number) => snapshotPath(dir, number)),
    ...(await temporaries(snapshotsDir(dir))),
    ...(await temporaries(dir)),
    ...(await unnamedSegments(dir, [...kept.values()])),
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

/** A snapshot was replaced when its successor was made. */
async function retained(dir: string, numbers: readonly number[], current: Manifest | null, nowMs: number): Promise<Map<number, Manifest>> {
  const kept = new Map<number, Manifest>();
  if (current === null) return kept;
  kept.set(current.snapshot, current);
  let replacedAtMs = Date.parse(current.createdAt);
  for (const number of numbers.filter((number) => number < current.snapshot).sort((a, b) => b - a)) {
    if (nowMs - replacedAtMs >= LIMITS.snapshotRetainMs) break;
    const manifest = Manifest.parse(JSON.parse(await readFile(snapshotPath(dir, number), 'utf8')));
    kept.set(number, manifest);
    replacedAtMs = Date.parse(manifest.createdAt);
  }
  return kept;
}

async function temporaries(dir: string): Promise<string[]> {
  return (await namesIn(dir)).filter((name) => name.endsWith('.tmp')).map((name) => join(dir, name));
}

async function unnamedSegments(dir: string, manifests: readonly Manifest[]): Promise<string[]> {
  const ids = new Set(manifests.flatMap(({ segments }) => segments.map(({ id }) => id)));
  return (await namesIn(segmentsDir(dir))).filter((name) => !ids.has(name.slice(0, name.lastIndexOf('.')))).map((name) => join(segmentsDir(dir), name));
}
