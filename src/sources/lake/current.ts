import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unsealed, type Manifest } from './manifest.ts';
import { BESIDE, currentPath, lakePlaces, namesIn, segmentIdsOf, segmentsDir, SNAPSHOT_FILE, snapshotOf, snapshotPath, snapshotsDir, type LakePlace } from './paths.ts';

/** What is published of a source cannot be told: `message` says why, `advice` what to do. */
export class DamagedLake extends Error {
  override readonly name = 'DamagedLake';
  readonly advice: string;

  constructor(dir: string, what: string, { cause, otherwise, files = 'FILE' }: { readonly cause?: unknown; readonly otherwise?: string; readonly files?: string } = {}) {
    super(`the source ${basename(dir)} is damaged: ${what}`, { cause });
    const anew = `ingest all its rows anew: lds ingest ${files} --dataset ${basename(dirname(dir))} --source ${basename(dir)} --mode replace`;
    this.advice = otherwise === undefined ? anew : `${otherwise}, or ${anew}`;
  }
}

/** The manifest that is served, or null where nothing was ever published. What is damaged throws. */
export async function readCurrent(dir: string): Promise<Manifest | null> {
  const snapshot = await currentNumber(dir);
  return snapshot === 0 ? null : readSnapshot(dir, snapshot);
}

/** A damaged or missing manifest throws, and one of another snapshot or source. */
export async function readSnapshot(dir: string, snapshot: number): Promise<Manifest> {
  const path = snapshotPath(dir, snapshot);
  const lost = async (what: string, more: { readonly cause?: unknown; readonly otherwise?: string } = {}): Promise<DamagedLake> =>
    new DamagedLake(dir, `${path} ${what}`, { ...more, files: await truthsOf(dir, snapshot) });
  const text = await readFile(path, 'utf8').catch(async (cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? await lost('is missing', { cause }) : cause;
  });
  const manifest = unsealed(text);
  if (manifest === null) throw await lost('is no manifest');
  if (manifest === 'newer') throw await lost('was written by a newer version of the service', { otherwise: 'go back to that version' });
  const { dataset, source } = manifest;
  if (source !== basename(dir) || dataset !== basename(dirname(dir))) {
    throw new DamagedLake(dir, `it was published as ${source} of the ${dataset}`, { otherwise: `give its folder back the name ${dataset}/${source}` });
  }
  if (manifest.snapshot !== snapshot) throw await lost(`is the manifest of snapshot ${manifest.snapshot}`);
  return manifest;
}

/**
 * The Parquet files that have all rows of a snapshot, as a shell is given them: its own where it was written as a whole; all that are there where segments of
 * before were kept, and no other snapshot or writer can have left any: of rows with one id the last counts then, as it does for an ingest. Undefined where none are known to have them.
 */
async function truthsOf(dir: string, snapshot: number): Promise<string | undefined> {
  const own = segmentIdsOf(snapshot);
  const all = await namesIn(segmentsDir(dir));
  const written = all.filter((name) => name.startsWith(own));
  const isWhole = !written.some((name) => name.startsWith(own + BESIDE));
  const wanted = isWhole ? written : all.filter((name) => !name.endsWith('.gone'));
  const areTold = isWhole || (all.every((name) => snapshotOf(name) <= snapshot) && (await snapshotNumbers(dir)).every((number) => number === snapshot));
  const areThere = wanted.every((name) => all.includes(`${name.slice(0, name.lastIndexOf('.'))}.parquet`));
  return written.length > 0 && areTold && areThere ? join(segmentsDir(dir), isWhole ? `${own}*.parquet` : '*.parquet') : undefined;
}

/**
 * The number that CURRENT names; 0 where nothing was ever published. The first writer puts a 0 there before there is any manifest, so one without it was
 * lost; and the first manifest alone may stand beside it, of a writer that was killed.
 */
export async function currentNumber(dir: string): Promise<number> {
  const path = currentPath(dir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const number = text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
  if (number !== null && number > 0) return number;
  const last = Math.max(0, ...await snapshotNumbers(dir));
  if (number === 0 ? last <= 1 : text === null && last === 0) return 0;
  const otherwise = last === 0 ? undefined : `write the number of its last snapshot, ${last}, into ${path}`;
  const wrong = text === null ? 'is missing' : number === 0 ? 'says that nothing was ever published' : 'holds no number';
  throw new DamagedLake(dir, `${path} ${wrong}`, { otherwise });
}

/** The numbers of all snapshots whose manifests are there. */
export async function snapshotNumbers(dir: string): Promise<number[]> {
  return (await namesIn(snapshotsDir(dir))).flatMap((name) => SNAPSHOT_FILE.exec(name)?.[1] ?? []).map(Number);
}

/** Every lake source under the data folder that was ever published, by its manifest, or by what is wrong with it, or keeps it from being read. */
export async function readLakes(dataDir: string): Promise<{ place: LakePlace; found: Manifest | Error }[]> {
  const lakes = await Promise.all((await lakePlaces(dataDir)).map(async (place) => ({ place, found: await readCurrent(place.dir).catch((error: Error) => error) })));
  return lakes.flatMap(({ place, found }) => (found === null ? [] : [{ place, found }]));
}
