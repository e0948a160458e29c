import { open, rename } from 'node:fs/promises';
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

/** Puts a whole file in the place of another, or of none: after a crash either the old or the new one is there. */
export async function writeDurably(path: string, text: string, temporary = `${path}.tmp`): Promise<void> {
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await sync(dirname(path));
}
