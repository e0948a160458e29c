import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder, OWNER_ONLY } from '../../config/folder.ts';
import { HOLDER, holderOf, livesWhere, ownHolder } from '../holder.ts';

const PREFIX = 'lds-parquet-';
const NAME = new RegExp(`^${PREFIX}${HOLDER}-[0-9a-f]{8}$`);

/** Makes a folder for what does not fit the memory of an engine. What is spilt are rows, and the folder stands where all users of the machine may look. */
export async function makeSpill(): Promise<string> {
  const own = await ownHolder();
  await takeAwayOfTheDead(own);
  const folder = join(tmpdir(), `${PREFIX}${own}-${randomUUID().slice(0, 8)}`);
  makeFolder(folder, OWNER_ONLY);
  return folder;
}

/** A process that is killed amid a sort leaves its rows, by the gigabyte. Of processes elsewhere, as in a container that shares the folder, nobody here can tell. */
async function takeAwayOfTheDead(own: string): Promise<void> {
  const folders = await readdir(tmpdir()).catch(() => []);
  await Promise.all(folders.map(async (name) => {
    const found = NAME.exec(name);
    if (found === null || !own.endsWith(`-${found[3]}`)) return;
    const folder = join(tmpdir(), name);
    if (await livesWhere(holderOf(found.slice(1)), folder, folder) === null) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }));
}
