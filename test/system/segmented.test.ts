import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Cutting } from '../../src/ingest/cut.ts';
import type { IngestOrder } from '../../src/ingest/ingest.ts';
import { compactSource, eraseRows } from '../../src/ingest/rewrite.ts';
import type { RewriteOrder } from '../../src/ingest/rewriting.ts';
import { fold } from '../../src/lib/fold.ts';
import type { Row } from '../../src/model/field.ts';
import { lakeDir, segmentFiles } from '../../src/sources/lake/paths.ts';
import type { Manifest } from '../../src/sources/lake/manifest.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import type { RowStorage } from '../../src/sources/lake/row_storage.ts';
import { corpusOf } from '../fuzz/corpus.ts';
import { ingest } from '../support/ingested.ts';
import { SEED } from '../support/seed.ts';
import { until } from '../support/until.ts';
import { RunningService, type Json } from './service.ts';

const ROWS = 900;
const MANY: Cutting = { rowsMin: 1, threads: 5, bytesMax: 1e9 };
const ONE: Cutting = { rowsMin: 1e9, threads: 5, bytesMax: 1e9 };

/** See docs/segment-format.md. */
const [VERSION_AT, TEXT_VERSION, COMPACT_VERSION] = [8, 3, 4];

const COUNTRIES = ['BR', 'DE', 'FR', 'US', 'US', 'US', 'US', null];
/** Odd rows, most of them in one country that must be cut within; every third shares its address with others, also of other countries. */
function people(seed: number): Row[] {
  const rows: Row[] = [];
  for (let more = 0; rows.length < ROWS; more += 1) rows.push(...corpusOf('contacts', seed * 1_000 + more, ROWS - rows.length));
  return rows.map(({ source: _source, sources: _sources, ...row }, at) => (
    { ...row, id: `k${at}`, country: COUNTRIES[at % COUNTRIES.length]!, full_name: `${row.full_name ?? 'Ann'} ${at}`, email: at % 3 === 0 ? `twin${at % 60}@twins.com` : row.email ?? null }));
}

/** One service over the same two sources, cut in one way; where they are many segments the rows of one source are text in some and compact in others. */
class Cut {
  readonly dataDir: string;
  readonly cutting: Cutting;
  service!: RunningService;

  constructor(folder: string, cutting: Cutting) {
    this.dataDir = join(folder, cutting === ONE ? 'one' : 'many', 'data');
    this.cutting = cutting;
  }

  ingest(file: string, source: string, more: Partial<IngestOrder> = {}): Promise<unknown> {
    return ingest(this.dataDir, source, file, { cutting: this.cutting, ...more });
  }

  rewriteOrder(source: string): RewriteOrder {
    return {
      dataDir: this.dataDir, source, extras: { contacts: [], companies: [] }, rowForm: null, cutting: this.cutting,
      signal: new AbortController().signal, stage: (_name, _extent, work) => work(() => undefined),
    };
  }

  get rowForm(): RowStorage { return this.cutting === ONE ? 'text' : 'balanced'; }

  async manifest(): Promise<Manifest> {
    return (await readCurrent(lakeDir(this.dataDir, 'contacts', 'crm')))!;
  }

  async start(folder: string): Promise<void> {
    await writeFile(join(folder, 'quiet.yaml'), 'demo: false\n');
    this.service = await RunningService.start({ LDS_CONFIG: join(folder, 'quiet.yaml'), LDS_DATA_DIR: this.dataDir });
  }
}

const SEARCHES: readonly Json[] = [
  { type: 'contacts' }, { type: 'contacts', dedupe: false }, { type: 'contacts', filters: { country: ['US'] } }, { type: 'contacts', filters: { country: ['DE', 'FR'], has_email: ['true'] } },
  { type: 'contacts', filters: { country: { exclude: ['US'] } } }, { type: 'contacts', filters: { email_domain: ['twins.com'] }, facets: ['country', 'seniority', 'email_domain'] },
  { type: 'contacts', filters: { email: ['twin3@twins.com', 'twin9@twins.com'] } }, { type: 'contacts', filters: { id: ['crm:k7', 'web:k7', 'crm:k8'] } },
  { type: 'contacts', query: 'ann', filters: { country: ['US', 'BR'] } }, { type: 'contacts', sources: { only: ['crm'] }, facets: ['country', 'city', 'industry'] },
  { type: 'contacts', sources: { only: ['crm'] }, filters: { has_email: ['true'] } }, { type: 'contacts', sources: { only: ['crm'] }, filters: { email_domain: ['twins.com'] }, fields: ['email', 'linkedin_url', 'city'] },
  { type: 'contacts', sources: { only: ['crm'] }, count: 'none' }, { type: 'contacts', sources: { only: ['crm'] }, filters: { country: { exclude: ['US', 'DE'] } }, fields: ['email', 'linkedin_url', 'skills'] },
];

describe(`a lake of several segments (LDS_FUZZ_SEED=${SEED})`, () => {
  let folder: string;
  let one: Cut;
  let many: Cut;

  const crm = people(SEED);
  const file = async (name: string, rows: readonly Row[]): Promise<string> => {
    await writeFile(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return join(folder, name);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lds-segmented-'));
    const files = {
      crm: await file('crm.ndjson', crm), web: await file('web.ndjson', people(SEED + 1)),
      later: await file('later.ndjson', [
        ...crm.slice(100, 160).map((row) => ({ ...row, city: 'Moved', country: 'FR' })),
        ...crm.slice(0, 20).map((row) => ({ ...row, id: `new-${row.id as string}` })),
      ]),
    };
    [one, many] = [new Cut(folder, ONE), new Cut(folder, MANY)];
    for (const cut of [one, many]) {
      await cut.ingest(files.crm, 'crm', { rowForm: cut.rowForm });
      await cut.ingest(files.web, 'web', { cutting: ONE });
      await cut.ingest(files.later, 'crm');
      await cut.start(folder);
    }
  }, { timeout: 180_000 });
  after(async () => {
    for (const cut of [one, many]) await cut.service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is cut where the lake beside it is not', async () => {
    const [a, b] = [await one.manifest(), await many.manifest()];
    assert.deepEqual([a.segments.length, b.segments.length, a.rowForm, b.rowForm], [1, 5, 'text', 'balanced']);
    const files = b.segments.map(({ id }) => segmentFiles(lakeDir(many.dataDir, 'contacts', 'crm'), id));
    const versions = await Promise.all(files.map(async ({ index }) => (await readFile(index)).readUInt32LE(VERSION_AT)));
    assert.deepEqual([...new Set(versions)].sort(), [TEXT_VERSION, COMPACT_VERSION], 'rows are text in some segments and compact in others');
    const bytes = ({ segments }: Manifest): number => segments.reduce((sum, { rowsBytes }) => sum + rowsBytes, 0);
    assert.ok(bytes(b) < 0.9 * bytes(a), `${bytes(b)} bytes of balanced rows, ${bytes(a)} of text`);
  });

  it('gives the same pages, totals and facets as one segment, to the last page', async () => {
    for (const search of SEARCHES) await samePages(search);
  });

  it('streams the same rows as one segment', () => sameStreams([...SEARCHES, { type: 'contacts', fields: ['email', 'city', 'skills'], sources: { only: ['crm'] } }]));

  async function sameStreams(searches: readonly Json[]): Promise<void> {
    for (const search of searches) {
      const [a, b] = await Promise.all([one, many].map(async (cut) => (await cut.service.lines(search)).filter((line) => line.id !== undefined)));
      assert.deepEqual(sorted(b!), sorted(a!), JSON.stringify(search));
    }
  }

  it('gives the same when small changes stand beside its segments, in which rows are gone, and rows of one identity lie in several of them', async () => {
    for (const [at, changed] of [crm.slice(300, 340), crm.slice(330, 350)].entries()) {
      const twins = changed.slice(0, 5).map((row) => ({ ...row, id: `next-${at}-${row.id as string}` }));
      const path = await file('next.ndjson', [...changed.map((row) => ({ ...row, city: `Moved ${at}` })), ...twins]);
      await one.ingest(path, 'crm');
      await many.ingest(path, 'crm', { cutting: ONE, keeping: { smallRowsMax: 0, ratio: 0, goneShareMax: 1 } });
    }
    const { segments } = await many.manifest();
    assert.deepEqual([segments.length, segments.reduce((sum, { gone }) => sum + (gone?.rows ?? 0), 0)], [7, 60]);
    for (const cut of [one, many]) await seen(cut, ROWS + 30);
    const searches = SEARCHES.filter((_, at) => at % 5 === 0);
    for (const search of searches) await samePages(search, search.dedupe === false || search.sources !== undefined ? 'any order' : 'one order');
    await sameStreams(searches);
    const [a, b] = await Promise.all([one, many].map(async ({ service }) => (await service.call('GET', '/v1/sources')).json.sources as Json[]));
    assert.deepEqual(b, a);
  });

  it('is erased from and compacted as one segment is', async () => {
    await writeFile(join(folder, 'ids.txt'), Array.from({ length: 90 }, (_, at) => `k${at * 7}\n`).join(''));
    const erased = await Promise.all([one, many].map((cut) => eraseRows(cut.rewriteOrder('crm'), join(folder, 'ids.txt'))));
    assert.deepEqual(erased[1], erased[0]);
    assert.ok(erased[0]!.erased > 50);
    for (const cut of [one, many]) await seen(cut, erased[0]!.kept);
    for (const search of SEARCHES.filter((_, at) => at % 5 === 1)) await samePages(search, search.dedupe === false || search.sources !== undefined ? 'any order' : 'one order');
    const compacted = await compactSource(many.rewriteOrder('crm'));
    assert.deepEqual([compacted.rows, compacted.segmentsBefore], [erased[0]!.kept, 7]);
    assert.equal((await many.manifest()).rowForm, 'balanced', 'rows stay as they were stored');
    const stored: Json = { type: 'contacts', sources: { only: ['crm'] }, limit: 1_000 };
    const inOrder = async ({ service }: Cut): Promise<string> => ((await service.find(stored)).json.results as Json[]).map(identity).join();
    const wanted = await inOrder(one);
    await until(async () => (await inOrder(many)) === wanted);
    for (const search of SEARCHES) await samePages(search);
  });

  /** Every page as far as a walk goes: rows of one identity stand side by side in either, in what order is their segments' own. What is not merged comes segment by segment. */
  async function samePages(search: Json, order: 'one order' | 'any order' = 'one order'): Promise<void> {
    const [a, b] = await Promise.all([one, many].map(({ service }) => walk(service, search)));
    const about = JSON.stringify(search);
    assert.deepEqual(b!.tellings, a!.tellings, about);
    if (order === 'one order') assert.deepEqual(b!.rows.map(identity), a!.rows.map(identity), about);
    assert.deepEqual(sorted(b!.rows), sorted(a!.rows), about);
    assert.equal(new Set(b!.rows.map(({ id }) => id)).size, b!.rows.length, about);
  }

  async function walk(service: RunningService, search: Json): Promise<{ rows: Json[]; tellings: Json[] }> {
    const walked = { rows: [] as Json[], tellings: [] as Json[] };
    for (let cursor: string | null = null, page = 0; page === 0 || cursor !== null; page += 1) {
      const { status, json } = await service.find({ ...search, limit: 97, ...(cursor === null ? {} : { cursor }) });
      assert.equal(status, 200, JSON.stringify(json));
      walked.rows.push(...json.results as Json[]);
      walked.tellings.push({ rows: json.results.length, total: json.total, relation: json.total_relation, facets: facetsOf(json.facets), warnings: json.warnings });
      cursor = json.next_cursor;
    }
    return walked;
  }

  /** Until the service serves so many rows of the source: it looks for new snapshots every half second. */
  function seen({ service }: Cut, rows: number): Promise<void> {
    return until(async () => (await service.find({ type: 'contacts', sources: { only: ['crm'] }, limit: 1 })).json.total === rows);
  }
});

function identity({ id, email, linkedin_url: url }: Json): string {
  return [email, url, id].find((key) => typeof key === 'string' && key.trim() !== '').trim().toLowerCase();
}

/** The counts, and the values of all but the lowest, of which there may be more than are shown; a value is shown in any spelling that its rows have. */
function facetsOf(facets: Readonly<Record<string, readonly { value: string; count: number }[]>> | null): unknown {
  return Object.entries(facets ?? {}).map(([name, all]) => {
    const folded = all.map(({ value, count }) => ({ value: fold(value), count }));
    assert.equal(new Set(folded.map(({ value }) => value)).size, folded.length, name);
    const sure = folded.filter(({ count }) => count > (folded.at(-1)?.count ?? 0)).map(({ value, count }) => `${value} ${count}`).sort();
    return { name, counts: folded.map(({ count }) => count), sure };
  });
}

function sorted(rows: readonly Json[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
