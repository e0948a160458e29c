import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { literal, type Duck } from '../../../src/ingest/duckdb.ts';
import { isPresent } from '../../../src/model/compare.ts';
import type { Row } from '../../../src/model/field.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { readCurrent } from '../../../src/sources/lake/current.ts';
import { readGone } from '../../../src/sources/lake/gone.ts';
import type { Manifest } from '../../../src/sources/lake/manifest.ts';
import { segmentFiles, segmentsDir } from '../../../src/sources/lake/paths.ts';
import { publishedLines } from '../../support/published_rows.ts';
import { MARKER } from './given.ts';

/** A segment of a snapshot, read from its files: all lines, and those that live. */
export type Part = { readonly entry: Manifest['segments'][number]; readonly all: readonly string[]; readonly living: readonly string[] };

export type Published = { readonly manifest: Manifest; readonly parts: readonly Part[] };

export async function readPublished(dir: string): Promise<Published> {
  const manifest = (await readCurrent(dir))!;
  const parts = await Promise.all(manifest.segments.map(async (entry): Promise<Part> => {
    const gone = await readGone(dir, entry.gone);
    const all = publishedLines(segmentFiles(dir, entry.id)).map((line) => line.trimEnd());
    assert.deepEqual([...gone], [...new Set(gone)].sort((one, other) => one - other), 'what is gone is told in order, each row once');
    assert.ok((gone.at(-1) ?? -1) < all.length);
    const dead = new Set(gone);
    return { entry, all, living: all.filter((_, row) => !dead.has(row)) };
  }));
  return { manifest, parts };
}

/** What the manifest tells of each segment is what a loop over its rows finds. */
export function assertTold({ manifest, parts }: Published): void {
  for (const { entry, all, living } of parts) {
    const rows = living.map((line) => JSON.parse(line) as Row);
    const { rows: told, countries, fill, updatedAt } = entry;
    const nullable = vocabulary(manifest.dataset, manifest.extras).fields.filter((field) => field.nullable);
    const shares = nullable.map(({ name }): [string, number] => [name, rows.length === 0 ? 0 : filledIn(rows, name) / rows.length]);
    const found = { told: rows.length, countries: countriesOf(rows), fill: Object.fromEntries(shares), updatedAt: newestOf(rows) };
    assert.deepEqual({ told, countries, fill, updatedAt }, found, `what is told of ${entry.id}`);
    assert.equal(entry.gone?.rows ?? 0, all.length - living.length);
  }
}

export function countriesOf(rows: readonly Row[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { country } of rows) if (typeof country === 'string') counts[country] = (counts[country] ?? 0) + 1;
  return counts;
}

export function filledIn(rows: readonly Row[], field: string): number {
  return rows.filter((row) => isPresent(row[field])).length;
}

export function newestOf(rows: readonly Row[]): string | null {
  const times = rows.map(({ updated_at: at }) => at).filter((at) => typeof at === 'string');
  return times.reduce<string | null>((newest, at) => (newest === null || Date.parse(at) > Date.parse(newest) ? at : newest), null);
}

/** The folder holds the files of the published segments, and no others. */
export async function assertSwept(dir: string): Promise<void> {
  const { segments } = (await readCurrent(dir))!;
  const named = segments.flatMap(({ id, gone }) => [`${id}.index`, `${id}.rows`, `${id}.parquet`, ...(gone === undefined ? [] : [`${gone.id}.gone`])]);
  assert.deepEqual((await readdir(segmentsDir(dir))).sort(), named.sort());
}

/** No file of the snapshot has one of the markers, whichever way it is stored; and each has those of its rows, so that they would be found. */
export async function assertErased(duck: Duck, dir: string, { parts }: Published, banned: ReadonlySet<string>): Promise<void> {
  for (const { entry, all } of parts) {
    const { index, truth } = segmentFiles(dir, entry.id);
    const truths = await duck.rows(`SELECT to_json(row)::VARCHAR AS text FROM read_parquet(${literal(truth)}) row`);
    const texts = { rows: all.join('\n'), index: await readFile(index, 'latin1'), truth: truths.map(({ text }) => text as string).join('\n') };
    const own = markersIn(texts.rows);
    for (const [file, text] of Object.entries(texts)) {
      const found = markersIn(text);
      for (const marker of found) assert.ok(!banned.has(marker), `${marker} was erased, and is in the ${file} of ${entry.id}`);
      for (const marker of own) assert.ok(found.has(marker), `${marker} is in the ${file} of ${entry.id}`);
    }
  }
}

function markersIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(MARKER), ([marker]) => marker));
}
