import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { readCurrent } from '../../src/sources/lake/current.ts';
import type { Manifest } from '../../src/sources/lake/manifest.ts';
import { lakeDir } from '../../src/sources/lake/paths.ts';
import { testLake, type TestLake } from './lake.ts';
import { SMALL } from './small.ts';

export type Layered = { readonly lake: TestLake; readonly dir: string; readonly segments: readonly Manifest['segments'][number][] };

/**
 * Sixty people, then twelve of whom ten replace as many of them, then three of whom one replaces one of the twelve, one another of the sixty: a segment of each, and a list of
 * what is gone of the first and of the second.
 */
export async function layeredLake(): Promise<Layered> {
  const lake = await testLake();
  await cp(join(MADE, 'lake'), join(lake.dataDir, 'lake'), { recursive: true });
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const { segments } = (await readCurrent(dir))!;
  assert.deepEqual(segments.map(({ rows, gone }) => [rows, gone?.rows ?? 0]), [[49, 11], [11, 1], [3, 0]]);
  return { lake, dir, segments };
}

/** The data folder of one that is copied for each test. */
const MADE = await madeLake();

async function madeLake(): Promise<string> {
  const lake = await testLake();
  await lake.ingest([await people(lake, 'first', range(0, 60))]);
  await lake.ingest([await people(lake, 'second', range(50, 62))], { keeping: SMALL });
  await lake.ingest([await people(lake, 'third', [0, 55, 70])], { keeping: SMALL });
  return lake.dataDir;
}

/** People whose last names are the version. */
export function people(lake: TestLake, version: string, ids: readonly number[]): Promise<string> {
  return lake.file(`${version}.csv`, `id,name,email,country\n${ids.map((id) => `${id},Ann ${version},ann${id}@a.com,${['US', 'DE'][id % 2]!}\n`).join('')}`);
}

/** The versions of a source's living people, by their ids. */
export async function versions(lake: TestLake): Promise<Record<string, unknown>> {
  return Object.fromEntries([...await lake.rows()].map(([id, row]) => [id.slice('crm:'.length), row.last_name]).sort());
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}
