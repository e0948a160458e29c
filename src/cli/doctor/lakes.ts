import { stat } from 'node:fs/promises';
import type { Config } from '../../config/schema.ts';
import type { Manifest } from '../../sources/lake/manifest.ts';
import { lakePlaces, segmentFiles, type LakePlace } from '../../sources/lake/paths.ts';
import { readCurrent } from '../../sources/lake/publish.ts';
import { codeOf, fail, ok, warn, type Check } from './check.ts';

/** Every lake on disk by its manifest and the sizes of its files, and every lake of the configuration that has nothing there yet. */
export async function checkLakes({ dataDir, sources }: Config): Promise<Check[]> {
  const places = await lakePlaces(dataDir);
  const missing = sources.filter(({ kind, dataset, name }) => kind === 'lake' && !places.some((place) => place.dataset === dataset && place.source === name));
  return [
    ...await Promise.all(places.map(checkLake)),
    ...missing.map(({ name, dataset }) => warn(`source ${name}`, 'has no rows yet', `lds ingest FILE --dataset ${dataset} --source ${name}`)),
  ];
}

async function checkLake({ dataset, source, dir }: LakePlace): Promise<Check> {
  const name = `source ${source}`;
  const again = `lds ingest FILE --dataset ${dataset} --source ${source} --mode replace makes it anew`;
  let manifest: Manifest | null;
  try {
    manifest = await readCurrent(dir);
  } catch (error) {
    return fail(name, `its manifest cannot be read (${codeOf(error).split('\n')[0]!})`, again);
  }
  if (manifest === null) return warn(name, 'was never published', again);
  const wrong = (await Promise.all(manifest.segments.map((segment) => wrongFiles(dir, segment)))).flat();
  if (wrong.length > 0) return fail(name, wrong.join('; '), again);
  const rows = manifest.segments.reduce((sum, segment) => sum + segment.rows, 0);
  return ok(name, `${rows} ${dataset}${manifest.demo ? ', a demonstration' : ''}`);
}

async function wrongFiles(dir: string, { id, indexBytes, rowsBytes }: Manifest['segments'][number]): Promise<string[]> {
  const { index, rows, truth } = segmentFiles(dir, id);
  const found = await Promise.all([wrongSize(index, indexBytes), wrongSize(rows, rowsBytes), wrongSize(truth, null)]);
  return found.filter((wrong) => wrong !== null);
}

/** `bytes` null where any size will do. */
async function wrongSize(file: string, bytes: number | null): Promise<string | null> {
  const size = await stat(file).then((found) => found.size, () => null);
  if (size === null) return `${file} is missing`;
  return bytes === null || size === bytes ? null : `${file} has ${size} bytes of ${bytes}`;
}
