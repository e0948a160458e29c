import { open, rm, utimes } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { LIMITS } from '../../config/limits.ts';
import { HOLDER, holderOf, livesWhere, ownHolder } from '../holder.ts';
import type { Lock } from './lock.ts';
import { namesIn } from './paths.ts';

/** One empty file for each snapshot that a process reads: `READ-SNAPSHOT-CHANCE-PID-START-WHERE`, for the last three see `holder`. */
const READ_FILE = new RegExp(`^READ-(\\d+)-[0-9a-f]+-${HOLDER}$`);

/** A snapshot of the lake source in the folder `dir`. */
export type SnapshotPlace = { readonly dir: string; readonly snapshot: number };

/**
 * Tells whoever sweeps, this process or another, which snapshots this one reads. A file that threads have opened or mapped would outlive
 * its name, but a thread that takes the place of a lost one opens it by that name, and on a network file system names alone count.
 *
 * A mark that is made while nobody may sweep its snapshot yet holds against all who sweep: they look for marks after they looked at the
 * clock. One that a dead process left counts for nothing. A folder that cannot be written to takes no marks: then only what is open stays.
 */
export class ReadMarks {
  readonly #onTrouble: (error: unknown) => void;
  /** Files by folder and snapshot. */
  readonly #marks = new Map<string, string>();
  /** What could not be marked, and was told. */
  readonly #unmarked = new Set<string>();
  readonly #own = ownHolder();
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(onTrouble: (error: unknown) => void) {
    this.#onTrouble = onTrouble;
    this.#timer = setInterval(() => { for (const key of this.#marks.keys()) void this.#touch(key); }, LIMITS.lockTouchMs).unref();
  }

  /** Made already, it may be gone with its folder. Never rejects. */
  async make(place: SnapshotPlace): Promise<void> {
    const key = keyOf(place);
    await this.#touch(key);
    if (this.#marks.has(key) || this.#closed) return;
    const file = join(place.dir, `READ-${place.snapshot}-${randomBytes(4).toString('hex')}-${await this.#own}`);
    try {
      await (await open(file, 'wx')).close();
    } catch (error) {
      this.#tell(key, error as NodeJS.ErrnoException);
      return;
    }
    this.#marks.set(key, file);
    this.#unmarked.delete(key);
  }

  /** Sees to it that there are marks of these snapshots, and of no others. Never rejects. */
  async keep(places: readonly SnapshotPlace[]): Promise<void> {
    const wanted = new Set(places.map(keyOf));
    // As of now: what is marked meanwhile is of another's wanting.
    const unwanted = [...this.#marks].filter(([key]) => !wanted.has(key));
    for (const place of places) if (!this.#marks.has(keyOf(place))) await this.make(place);
    for (const key of this.#unmarked) if (!wanted.has(key)) this.#unmarked.delete(key);
    for (const [key, file] of unwanted) {
      if (this.#marks.get(key) === file) this.#marks.delete(key);
      await rm(file, { force: true }).catch(this.#onTrouble);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.keep([]);
  }

  async #touch(key: string): Promise<void> {
    const file = this.#marks.get(key);
    if (file === undefined) return;
    const now = new Date();
    await utimes(file, now, now).catch(({ code }: NodeJS.ErrnoException) => { if (code === 'ENOENT' && this.#marks.get(key) === file) this.#marks.delete(key); });
  }

  /** Once of each. What the owner took away with its folder needs no mark. */
  #tell(key: string, error: NodeJS.ErrnoException): void {
    if (this.#unmarked.has(key) || error.code === 'ENOENT') return;
    this.#unmarked.add(key);
    this.#onTrouble(error);
  }
}

/** The snapshots that living processes read. The marks of dead ones are removed. */
export async function markedSnapshots(dir: string, lock: Lock): Promise<number[]> {
  const marked = new Set<number>();
  for (const name of await namesIn(dir)) {
    const [, snapshot, ...holder] = READ_FILE.exec(name) ?? [];
    if (snapshot === undefined) continue;
    const file = join(dir, name);
    if (await livesWhere(holderOf(holder), file, lock.file) === null) await rm(file, { force: true });
    else marked.add(Number(snapshot));
  }
  return [...marked];
}

function keyOf({ dir, snapshot }: SnapshotPlace): string {
  return `${dir}@${snapshot}`;
}
