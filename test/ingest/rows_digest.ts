import { createHash } from 'node:crypto';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { lakeDir, segmentFiles } from '../../src/sources/lake/paths.ts';
import { publishedLines } from '../support/published_rows.ts';

/** All that is published of the contacts in `crm`, byte for byte and in its order. */
export async function rowsDigest(dataDir: string): Promise<string> {
  const dir = lakeDir(dataDir, 'contacts', 'crm');
  const manifest = await readCurrent(dir);
  const lines = await Promise.all((manifest?.segments ?? []).map(({ id }) => publishedLines(segmentFiles(dir, id))));
  return createHash('sha1').update(lines.flat().join('\n')).digest('hex');
}
