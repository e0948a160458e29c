import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Forces what was written to a file, or the names in a folder, to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Puts a whole file in the place of another, or of none: after a crash either the old or the new one is there. A failure, of a full disk say, leaves no draft. */
export async function writeDurably(path: string, text: string, temporary = `${path}.tmp`): Promise<void> {
  try {
    await write(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await sync(dirname(path));
}

async function write(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
