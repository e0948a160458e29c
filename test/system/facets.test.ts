import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { DuckDBInstance } from '@duckdb/node-api';
import { RunningService, type Json } from './service.ts';

const VALUES = LIMITS.scanFacetValuesMax + 100;

type Company = {
  readonly id: string; readonly name: string; readonly city: string; readonly domain: string;
  readonly employee_count: number; readonly labels: readonly string[]; readonly updated_at: string;
};

const company = (id: string, place: string, number: number): Company => ({
  id, name: `Company ${id}`, city: place, domain: `${place.toLowerCase().replace(' ', '-')}.com`,
  employee_count: number, labels: [place, 'all'], updated_at: new Date(Date.UTC(2020, 0, 1) + number * 1_000).toISOString(),
});

/** A few values that many have. */
const narrow = Array.from({ length: 60 }, (_, at) => (at < 30 ? company(`n${at}`, 'Berlin', 90_001) : at < 59 ? company(`n${at}`, 'BONN', 90_002) : company(`n${at}`, 'Ulm', 90_003)));
/** More values than a scan tells, two of each, and behind them one of each that are many elsewhere. */
const wide = [
  ...Array.from({ length: 2 * VALUES }, (_, at) => company(`w${at}`, `Place ${at % VALUES}`, at % VALUES)),
  company('w-berlin', 'BERLIN', 90_001), company('w-bonn-1', 'Bonn', 90_002), company('w-ulm', 'Ulm', 90_003),
];

/** As many values again, of which the others have none. */
const apart = Array.from({ length: 2 * VALUES }, (_, at) => company(`a${at}`, `Far ${at % VALUES}`, 10_000 + at % VALUES));

const LABELS = [{ name: 'labels', type: 'strings', description: 'labels' }] as const;

describe('facets over several sources', () => {
  let folder: string;
  let service: RunningService;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lds-facets-'));
    await writeFile(join(folder, 'labels.yaml'), JSON.stringify({ demo: false, extras: { companies: LABELS } }));
    service = await RunningService.start({ LDS_CONFIG: join(folder, 'labels.yaml') }, folder);
    for (const [source, rows] of Object.entries({ narrow, wide, apart })) {
      await writeFile(join(folder, `${source}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      await service.ingest(source, join(folder, `${source}.ndjson`), { dataset: 'companies', extras: LABELS });
    }
    for (let known = 0; known < narrow.length + wide.length + apart.length; known = (await service.find({ type: 'companies', dedupe: false })).json.total as number) {
      await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
  }, { timeout: 300_000 });
  after(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const search = { type: 'companies', sources: { ignore: ['apart'] }, facets: ['city', 'domain', 'employee_count', 'labels', 'updated_at'] };
  const most = (facets: Json): unknown => Object.values(facets as Record<string, { count: number }[]>).map((values) => values.slice(0, 4).map(({ count }) => count));
  const counts = [[31, 30, 2, 2], [31, 30, 2, 2], [31, 30, 2, 2], [narrow.length + wide.length, 31, 30, 2], [31, 30, 2, 2]];

  it('count the matches of sources that have too many values to tell all of them', async () => {
    const { json } = await service.find(search);
    assert.deepEqual([most(json.facets), json.warnings, json.partial], [counts, [], false]);
    assert.deepEqual((json.facets.city as Json[]).slice(0, 2), [{ value: 'Berlin', count: 31 }, { value: 'BONN', count: 30 }]);
  });

  it('count the same in a stream, and beside filters on the same values', async () => {
    const end = (await service.lines({ ...search, limit: 1 })).at(-1)!['@end'] as Json;
    assert.deepEqual(most(end.facets), counts);
    const { json } = await service.find({ ...search, filters: { city: { exclude: ['bonn'] }, employee_count: { min: 0 } } });
    assert.deepEqual(most(json.facets), [[31, 2, 2, 2], [31, 2, 2, 2], [31, 2, 2, 2], [narrow.length + wide.length - 30, 31, 2, 2], [31, 2, 2, 2]]);
  });

  it('are told to be unsure where values of which the sources did not tell may be as frequent as those shown', async () => {
    const asked = { type: 'companies', facets: ['city', 'country'], limit: 1 };
    const told = (source: string): string => `${source} has too many values of the facet city to compare them all: some that more rows have than those shown may be missing there`;
    const { json } = await service.find(asked);
    assert.deepEqual([(json.warnings as string[]).toSorted(), json.partial], [[told('apart'), told('wide')], false]);
    assert.deepEqual(((await service.lines(asked)).at(-1)!['@end'] as Json).warnings.toSorted(), [told('apart'), told('wide')]);
    assert.deepEqual((await service.find({ ...asked, dedupe: false })).json.warnings.toSorted(), [told('apart'), told('wide')]);
  });
});

/** Each place once, and behind more of them than an engine tells at once a few that are many elsewhere. */
const rare = [...Array.from({ length: LIMITS.facetRowsMax + 50 }, (_, at) => company(`r${at}`, `A ${at}`, at)), company('r-berlin', 'Berlin', 90_001), company('r-bonn', 'Bonn', 90_002)];

describe('facets over a lake and another engine', () => {
  let folder: string;
  let service: RunningService;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lds-facets-'));
    const lines = (rows: readonly Company[]): string => rows.map(({ labels: _labels, ...row }) => `${JSON.stringify({ ...row, email: `${row.id}@${row.domain}` })}\n`).join('');
    await writeFile(join(folder, 'rare.ndjson'), lines(rare));
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const writer = await instance.connect();
    await writer.run(`COPY (FROM read_json('${folder}/rare.ndjson', format = 'newline_delimited')) TO '${folder}/rare.parquet' (FORMAT parquet)`);
    writer.closeSync();
    instance.closeSync();
    await writeFile(join(folder, 'config.yaml'), `sources:\n  - { name: rare, dataset: companies, kind: parquet, path: "${folder}/rare.parquet" }\n`);
    await writeFile(join(folder, 'narrow.ndjson'), lines(narrow));
    service = await RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0' }, folder);
    await service.ingest('narrow', join(folder, 'narrow.ndjson'), { dataset: 'companies' });
    while ((await service.find({ type: 'companies', dedupe: false, sources: { only: ['narrow'] } })).json.total !== narrow.length) await new Promise((resolve) => { setTimeout(resolve, 50); });
  }, { timeout: 300_000 });
  after(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('count the matches of an engine that has too many values to tell all of them', async () => {
    const { json } = await service.find({ type: 'companies', facets: ['city', 'employee_count'], timeout_ms: 30_000 });
    assert.deepEqual([json.warnings, json.partial], [[], false]);
    for (const [name, values] of Object.entries(json.facets as Record<string, { count: number }[]>)) assert.deepEqual(values.slice(0, 4).map(({ count }) => count), [31, 30, 1, 1], name);
  });
});
