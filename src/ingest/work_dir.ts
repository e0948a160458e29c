import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../config/folder.ts';

/** Copies of what is ingested stand here, also below the folder that all users of the machine share. */
const OWN = 0o700;

/** Lends `work` a new folder below `parent`, and removes it with all that is in it, however `work` ends. */
export async function inWorkDir<T>(parent: string, work: (workDir: string) => Promise<T>): Promise<T> {
  const workDir = join(parent, `lds-work-${randomBytes(6).toString('hex')}`);
  makeFolder(parent);
  makeFolder(workDir, OWN);
  try {
    return await work(workDir);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}
