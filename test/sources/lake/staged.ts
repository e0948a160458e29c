import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagedSegment } from '../../../src/sources/lake/publish.ts';
import { stagingDir } from '../../../src/sources/lake/paths.ts';

/** A segment of no rows, as a writer leaves it for `publish`. */
export async function stagedSegment(dir: string, id: string): Promise<StagedSegment> {
  const at = (part: string): string => join(stagingDir(dir), `${id}.${part}`);
  const files = { index: at('index'), rows: at('rows'), truth: at('parquet') };
  await mkdir(stagingDir(dir), { recursive: true });
  for (const path of Object.values(files)) await writeFile(path, id);
  return { entry: { id, rows: 0, indexBytes: 1, rowsBytes: 1, fill: {}, countries: {}, updatedAt: null }, files };
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(() => true, () => false);
}
