import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, OWNER_ONLY } from '../config/folder.ts';

/** Lends `work` a new folder below `parent`, and removes it with all that is in it, however `work` ends. */
export async function inWorkDir<T>(parent: string, work: (workDir: string) => Promise<T>): Promise<T> {
  const workDir = join(parent, `lds-work-${randomBytes(6).toString('hex')}`);
  makeFolder(parent);
  // Copies of what is ingested stand there, also below the folder that all users of the machine share.
  makeFolder(workDir, OWNER_ONLY);
  try {
    return await work(workDir);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}
