import { randomBytes } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sync, writeDurably } from '../../config/durable.ts';
import { makeFolder } from '../../config/folder.ts';
import { currentNumber, DamagedLake, snapshotNumbers } from './current.ts';
import { Manifest, sealed } from './manifest.ts';
import { BESIDE, currentPath, gonePath, segmentFiles, segmentIdsOf, segmentsDir, snapshotPath, snapshotsDir, type SegmentFiles } from './paths.ts';
import type { RowStorage } from './row_storage.ts';
import { sealsOf } from './seals.ts';

type SegmentEntry = Manifest['segments'][number];

/** A segment that stands in the staging folder, whole and synced, not yet named by any snapshot. */
export type StagedSegment = { readonly entry: SegmentEntry; readonly files: SegmentFiles };

/** A segment of the snapshot before that stays: `gone` is the staged file of its rows that are gone, where that is a new one. */
export type KeptSegment = { readonly entry: SegmentEntry; readonly gone: string | null };

type Publication = {
  readonly dataset: Manifest['dataset'];
  readonly source: string;
  readonly demo: boolean;
  readonly rowForm?: RowStorage;
  readonly extras: Manifest['extras'];
  /** In serving order. */
  readonly segments: readonly (KeptSegment | StagedSegment)[];
};

/** A snapshot is the current one, but the disk did not say that it will be after a crash of the machine. */
export class UnsettledError extends Error {
  override readonly name = 'UnsettledError';

  constructor(source: string, cause: unknown) {
    const { code } = cause as NodeJS.ErrnoException;
    super(`the disk answered ${code ?? 'with a failure'} when all was done: what is new is published and served, and may be lost where the machine crashes; see to the disk, then run lds compact --source ${source}`, { cause });
  }
}

/** What a segment takes on disk, truth and what is gone of it included; a file that is missing takes nothing. */
export async function segmentBytes(dir: string, { id, gone }: SegmentEntry): Promise<number> {
  const files = [...Object.values(segmentFiles(dir, id)), ...(gone === undefined ? [] : [gonePath(dir, gone.id)])];
  const sizes = await Promise.all(files.map((path) => stat(path).then(({ size }) => size, () => 0)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Unique for ever: the snapshot it is made for, its place among the segments of that one, and chance. Sorted they stand in serving order. `beside`: what is
 * made for the snapshot stands beside segments of before, and is not all of it.
 */
export function newSegmentId(snapshot: number, part: number, beside = false): string {
  return `${segmentIdsOf(snapshot)}${beside ? BESIDE : ''}${String(part).padStart(4, '0')}-${randomBytes(5).toString('hex')}`;
}

/**
 * Makes a new snapshot the current one. The caller holds the lock. Order is what makes it atomic: the files under their names, the
 * manifest, then the one number that counts, CURRENT; each durable before the next. A crash in between leaves files that nothing names; a
 * failure, of a full disk say, takes them away again.
 */
export async function publish(dir: string, { dataset, source, demo, rowForm, extras, segments: parts }: Publication): Promise<Manifest> {
  makeFolder(segmentsDir(dir));
  makeFolder(snapshotsDir(dir));
  const snapshot = await nextSnapshot(dir);
  const segments = await Promise.all(parts.map(async (part) => (isStaged(part) ? { ...part.entry, seals: await sealsOf(part.files) } : part.entry)));
  const manifest = Manifest.parse({ format: 1, snapshot, dataset, source, createdAt: new Date().toISOString(), demo, ...(rowForm === undefined ? {} : { rowForm }), extras, segments });
  try {
    if (snapshot === 1) await writeDurably(currentPath(dir), '0\n');
    for (const part of parts) await namePart(dir, part);
    await sync(segmentsDir(dir));
    await writeDurably(snapshotPath(dir, snapshot), sealed(manifest));
    await sync(dir);
    await writeDurably(currentPath(dir), `${snapshot}\n`);
    await sync(dirname(dir));
  } catch (error) {
    // It may have been seen, and stays.
    if (await namedNumber(dir) === snapshot) throw new UnsettledError(source, error);
    await withdraw(dir, snapshot, parts).catch(() => {});
    throw error;
  }
  return manifest;
}

function isStaged(part: KeptSegment | StagedSegment): part is StagedSegment {
  return 'files' in part;
}

async function withdraw(dir: string, snapshot: number, parts: Publication['segments']): Promise<void> {
  const named = parts.flatMap((part) => {
    if (isStaged(part)) return Object.values(segmentFiles(dir, part.entry.id));
    return part.gone === null ? [] : [gonePath(dir, part.entry.gone!.id)];
  });
  for (const path of [...named, snapshotPath(dir, snapshot)]) await rm(path, { force: true });
}

/** The number that the next published snapshot gets: also where what was published is damaged, one that no manifest has. */
export async function nextSnapshot(dir: string): Promise<number> {
  return Math.max(await namedNumber(dir), ...await snapshotNumbers(dir)) + 1;
}

async function namedNumber(dir: string): Promise<number> {
  return currentNumber(dir).catch((error: unknown) => {
    if (error instanceof DamagedLake) return 0;
    throw error;
  });
}

async function namePart(dir: string, part: KeptSegment | StagedSegment): Promise<void> {
  if (!isStaged(part)) {
    if (part.gone !== null) await nameFile(part.gone, gonePath(dir, part.entry.gone!.id));
    return;
  }
  const final = segmentFiles(dir, part.entry.id);
  for (const file of ['truth', 'rows', 'index'] as const) await nameFile(part.files[file], final[file]);
}

async function nameFile(staged: string, final: string): Promise<void> {
  await sync(staged);
  await rename(staged, final);
}
