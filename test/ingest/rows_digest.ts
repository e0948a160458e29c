import { createHash } from 'node:crypto';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { lakeDir } from '../../src/sources/lake/paths.ts';
import { livingLines } from '../support/published_rows.ts';

/** All that is published of the contacts in `crm`, byte for byte and in its order. */
export async function rowsDigest(dataDir: string): Promise<string> {
  const dir = lakeDir(dataDir, 'contacts', 'crm');
  return createHash('sha1').update((await livingLines(dir, await readCurrent(dir))).join('\n')).digest('hex');
}
