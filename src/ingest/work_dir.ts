import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, OWNER_ONLY } from '../config/folder.ts';
import { endedHere, HOLDER, holderOf, ownHolder } from '../sources/holder.ts';

const WORK_DIR = new RegExp(`^lds-work-${HOLDER}-[0-9a-f]{12}$`);

/** Lends `work` a new folder below `parent`, and removes it with all that is in it, however `work` ends. What a process left there that was killed is removed before. */
export async function inWorkDir<T>(parent: string, work: (workDir: string) => Promise<T>): Promise<T> {
  makeFolder(parent);
  await sweepLeftOvers(parent);
  const workDir = join(parent, `lds-work-${await ownHolder()}-${randomBytes(6).toString('hex')}`);
  // Copies of what is ingested stand there, also below the folder that all users of the machine share.
  makeFolder(workDir, OWNER_ONLY);
  try {
    return await work(workDir);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** What cannot be looked at, or removed, stays: nobody's work waits for that. */
async function sweepLeftOvers(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const of = WORK_DIR.exec(name);
    if (of === null || !(await endedHere(holderOf(of.slice(1))))) continue;
    const path = join(parent, name);
    if (await isOwnFolder(path)) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** What somebody else made in a folder that all share may become anything while it is being removed. */
async function isOwnFolder(path: string): Promise<boolean> {
  const stat = await lstat(path).catch(() => null);
  return stat !== null && stat.isDirectory() && stat.uid === process.geteuid!();
}
