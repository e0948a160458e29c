import { stat } from 'node:fs/promises';
import type { Manifest } from './manifest.ts';
import { segmentFiles } from './paths.ts';

/** What files of a segment are missing, or of another size than was published; of a Parquet truth no size is known. Nothing is read. */
export async function wrongSizes(dir: string, { id, indexBytes, rowsBytes }: Manifest['segments'][number]): Promise<string[]> {
  const { index, rows, truth } = segmentFiles(dir, id);
  const found = await Promise.all([wrongSize(index, indexBytes), wrongSize(rows, rowsBytes), wrongSize(truth, null)]);
  return found.filter((wrong) => wrong !== null);
}

async function wrongSize(file: string, bytes: number | null): Promise<string | null> {
  const size = await stat(file).then((found) => found.size, () => null);
  if (size === null) return `${file} is missing`;
  return bytes === null || size === bytes ? null : `${file} has ${size} bytes of ${bytes}`;
}
