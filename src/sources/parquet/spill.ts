import { randomUUID } from 'node:crypto';
import { readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder, OWNER_ONLY } from '../../config/folder.ts';
import { LIMITS } from '../../config/limits.ts';
import { HOLDER, holderOf, livesWhere, ownHolder } from '../holder.ts';

const PREFIX = 'lds-parquet-';
const NAME = new RegExp(`^${PREFIX}${HOLDER}-[0-9a-f]{8}$`);

/** `release` takes it away. */
export type Spill = { readonly folder: string; release(): Promise<void> };

/** Makes a folder for what does not fit the memory of an engine. What is spilt are rows, and the folder stands where all users of the machine may look. */
export async function makeSpill(): Promise<Spill> {
  const folder = join(tmpdir(), `${PREFIX}${await ownHolder()}-${randomUUID().slice(0, 8)}`);
  makeFolder(folder, OWNER_ONLY);
  const touching = setInterval(() => { void utimes(folder, new Date(), new Date()).catch(() => {}); }, LIMITS.lockTouchMs).unref();
  await takeAwayOfTheDead(folder);
  // What died elsewhere a moment ago does not show yet that it is dead.
  const later = setTimeout(() => { void takeAwayOfTheDead(folder); }, LIMITS.lockTrustMs + LIMITS.lockTouchMs).unref();
  return {
    folder,
    release() {
      clearInterval(touching);
      clearTimeout(later);
      return rm(folder, { recursive: true, force: true });
    },
  };
}

/** A process that is killed amid a sort leaves its rows, by the gigabyte. One elsewhere, as in a container before it was started again, lives for as long as it touches its folder. */
async function takeAwayOfTheDead(own: string): Promise<void> {
  const folders = await readdir(tmpdir()).catch(() => []);
  await Promise.all(folders.map(async (name) => {
    const found = NAME.exec(name);
    if (found === null) return;
    const folder = join(tmpdir(), name);
    // Its own may be gone meanwhile: then nothing tells the time.
    const lives = await livesWhere(holderOf(found.slice(1)), folder, own).catch(() => 'elsewhere');
    if (lives === null) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }));
}
