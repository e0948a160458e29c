import { stat } from 'node:fs/promises';
import { goneBytes } from './gone.ts';
import type { Manifest } from './manifest.ts';
import { gonePath, segmentFiles } from './paths.ts';

/** What files of a segment are missing, or of another size than was published; of a Parquet truth no size is known. Nothing is read. */
export async function wrongSizes(dir: string, { id, indexBytes, rowsBytes, gone }: Manifest['segments'][number]): Promise<string[]> {
  const { index, rows, truth } = segmentFiles(dir, id);
  const marked = gone === undefined ? [] : [wrongSize(gonePath(dir, gone.id), goneBytes(gone))];
  const found = await Promise.all([wrongSize(index, indexBytes), wrongSize(rows, rowsBytes), wrongSize(truth, null), ...marked]);
  return found.filter((wrong) => wrong !== null);
}

async function wrongSize(file: string, bytes: number | null): Promise<string | null> {
  try {
    const { size } = await stat(file);
    return bytes === null || size === bytes ? null : `${file} has ${size} bytes of ${bytes}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `${file} is missing` : `${file} cannot be read (${code})`;
  }
}
