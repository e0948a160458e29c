import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { DATASETS, type Dataset } from '../../model/dataset.ts';
import { Manifest } from '../../sources/lake/manifest.ts';
import { codeOf, fail, ok, warn, type Check } from './check.ts';

/** Every lake on disk by its manifest and the sizes of its files, and every lake of the configuration that has nothing there yet. */
export function checkLakes({ dataDir, sources }: Config): Check[] {
  const found = DATASETS.flatMap((dataset) => foldersIn(join(dataDir, 'lake', dataset)).map((source) => ({ dataset, source })));
  const missing = sources.filter(({ kind, dataset, name }) => kind === 'lake' && !found.some((lake) => lake.dataset === dataset && lake.source === name));
  return [
    ...found.map(({ dataset, source }) => checkLake(join(dataDir, 'lake', dataset, source), dataset, source)),
    ...missing.map(({ name, dataset }) => warn(`source ${name}`, 'has no rows yet', `lds ingest FILE --dataset ${dataset} --source ${name}`)),
  ];
}

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name).sort();
}

function checkLake(folder: string, dataset: Dataset, source: string): Check {
  const name = `source ${source}`;
  const again = `lds ingest FILE --dataset ${dataset} --source ${source} --mode replace makes it anew`;
  if (!existsSync(join(folder, 'CURRENT'))) return warn(name, 'was never published', again);
  try {
    const { segments, demo } = readManifest(folder);
    const wrong = segments.flatMap(({ id, indexBytes, rowsBytes }) => [
      ...wrongSize(join(folder, 'segments', `${id}.index`), indexBytes), ...wrongSize(join(folder, 'segments', `${id}.rows`), rowsBytes),
    ]);
    if (wrong.length > 0) return fail(name, wrong.join('; '), again);
    const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
    return ok(name, `${rows} ${dataset}${demo ? ', a demonstration' : ''}`);
  } catch (error) {
    return fail(name, `its manifest cannot be read (${codeOf(error).split('\n')[0]!})`, again);
  }
}

function readManifest(folder: string): Manifest {
  const snapshot = readFileSync(join(folder, 'CURRENT'), 'utf8').trim();
  if (!/^\d{1,9}$/.test(snapshot)) throw new Error('CURRENT is no number');
  return Manifest.parse(JSON.parse(readFileSync(join(folder, 'snapshots', `${snapshot.padStart(6, '0')}.json`), 'utf8')));
}

function wrongSize(file: string, bytes: number): string[] {
  const found = statSync(file, { throwIfNoEntry: false })?.size;
  if (found === bytes) return [];
  return [found === undefined ? `${file} is missing` : `${file} has ${found} bytes of ${bytes}`];
}
