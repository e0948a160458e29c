import type { Config } from '../../config/schema.ts';
import { changedExtras, type ExtraField } from '../../model/vocabulary.ts';
import { isReplaced } from '../../plan/lake_sources.ts';
import { closeSegment, verifyRows } from '../../segment/reader.ts';
import { DamagedLake, readCurrent } from '../../sources/lake/current.ts';
import { wrongSizes } from '../../sources/lake/file_sizes.ts';
import { readGone } from '../../sources/lake/gone.ts';
import { rowsIn, type Manifest } from '../../sources/lake/manifest.ts';
import { lakePlaces, segmentFiles, type LakePlace } from '../../sources/lake/paths.ts';
import { openPublished } from '../../sources/lake/published_segment.ts';
import { checkTruths } from '../../sources/lake/seals.ts';
import { countedRows } from '../counted.ts';
import { codeOf, fail, ok, warn, type Check } from './check.ts';

/** Every lake on disk by its manifest and all bytes of its files, and every lake of the configuration that has nothing there yet. */
export async function checkLakes({ dataDir, demo, sources, extras }: Config): Promise<Check[]> {
  let places: LakePlace[];
  try {
    places = await lakePlaces(dataDir);
  } catch (error) {
    const code = codeOf(error);
    const advice = code === 'ENOTDIR' ? 'move the file away that stands where a folder is to be, or set LDS_DATA_DIR to another' : 'give them to the user who runs the service';
    return [fail('lakes', `their folders cannot be read (${code})`, advice)];
  }
  const missing = sources.filter(({ kind, dataset, name }) => kind === 'lake' && !places.some((place) => place.dataset === dataset && place.source === name));
  const others = missing.length > 0 || sources.some(({ kind }) => kind !== 'lake');
  const demoServed = demo && !others && (await Promise.all(places.map((place) => isDemonstration(place, sources)))).every((one) => one);
  const checks: Check[] = [];
  for (const place of places) {
    const replaced = isReplaced({ ...place, name: place.source }, { declared: sources });
    checks.push(replaced ? notServed(place) : await checkLake(place, extras[place.dataset], demoServed));
  }
  return [
    ...checks,
    ...await Promise.all(missing.map((lake) => checkMissing(lake, places))),
  ];
}

/** Under the name of a lake that holds the other dataset an ingest would be refused. */
async function checkMissing({ name, dataset }: Pick<Config['sources'][number], 'name' | 'dataset'>, places: readonly LakePlace[]): Promise<Check> {
  const other = places.find(({ source }) => source === name);
  if (other === undefined || (await readCurrent(other.dir).catch(() => undefined)) === null) {
    return warn(`source ${name}`, 'has no rows yet', `lds ingest FILE --dataset ${dataset} --source ${name}`);
  }
  return fail(`source ${name}`, `is declared as a lake of ${dataset}, and the lake of this name holds ${other.dataset}`, 'correct its dataset under sources, or give it another name');
}

function notServed({ source, dir }: LakePlace): Check {
  return warn(`source ${source}`, 'its lake is not served: the configuration has another source of this name', `give one of them another name, or remove ${dir}`);
}

/** Or was never published, and is not declared: whatever else is there, readable or not, sends the demonstration away. */
async function isDemonstration({ dataset, source, dir }: LakePlace, declared: Config['sources']): Promise<boolean> {
  const manifest = await readCurrent(dir).catch(() => undefined);
  if (manifest === null) return !declared.some((one) => one.dataset === dataset && one.name === source);
  return manifest?.demo === true;
}

async function checkLake({ dataset, source, dir }: LakePlace, extras: readonly ExtraField[], demoServed: boolean): Promise<Check> {
  const name = `source ${source}`;
  try {
    const manifest = await readCurrent(dir);
    if (manifest === null) return warn(name, 'was never published', `lds ingest FILE --dataset ${dataset} --source ${source}, or remove ${dir}`);
    await checkTruths(dir, manifest.segments);
    for (const { gone } of manifest.segments) await readGone(dir, gone);
    const wrong = (await Promise.all(manifest.segments.map((segment) => wrongFiles(dir, segment)))).flat();
    if (wrong.length > 0) return fail(name, wrong.join('; '), `lds compact --source ${source} makes them again from its Parquet files`);
    const [changed] = changedExtras(manifest.extras, extras);
    if (changed !== undefined) {
      return warn(name, `its ${changed.name} is of the type ${changed.had}, and is declared as ${changed.declared}: no filter finds it`,
        `declare it as ${changed.had}, or ingest all rows anew: lds ingest FILE --dataset ${dataset} --source ${source} --mode replace`);
    }
    return ok(name, `${countedRows(rowsIn(manifest.segments), dataset)}${!manifest.demo ? '' : demoServed ? ', a demonstration' : ', a demonstration that is not served'}`);
  } catch (error) {
    if (error instanceof DamagedLake) return fail(name, error.message, error.advice);
    return fail(name, `it cannot be read (${codeOf(error).split('\n')[0]!})`, 'give its folder to the user who runs the service, and see that its disk is well');
  }
}

async function wrongFiles(dir: string, entry: Manifest['segments'][number]): Promise<string[]> {
  const sizes = await wrongSizes(dir, entry);
  if (sizes.length > 0) return sizes;
  try {
    const segment = openPublished(dir, entry);
    try {
      verifyRows(segment);
    } finally {
      closeSegment(segment);
    }
    return [];
  } catch (error) {
    return [`${segmentFiles(dir, entry.id).index} and its rows: ${error instanceof Error ? error.message : String(error)}`];
  }
}
