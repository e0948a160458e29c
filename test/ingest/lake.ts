import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ingestFiles, type IngestOrder, type IngestSummary } from '../../src/ingest/ingest.ts';
import type { FilePlan } from '../../src/ingest/plan_file.ts';
import type { Row } from '../../src/model/field.ts';
import { lakeDir } from '../../src/sources/lake/paths.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { ingestOrder } from '../support/ingested.ts';
import { livingLines } from '../support/published_rows.ts';

/** A data folder of a test's own, and what a test does with it. */
export type TestLake = {
  readonly dataDir: string;
  file(name: string, content: string | Buffer): Promise<string>;
  order(files: readonly string[], more?: Partial<IngestOrder>): IngestOrder;
  ingest(files: readonly string[], more?: Partial<IngestOrder>): Promise<IngestSummary & { readonly plans: readonly FilePlan[] }>;
  /** The rows as published, by id. */
  rows(dataset?: 'contacts' | 'companies', source?: string): Promise<Map<string, Row>>;
  read(path: string): Promise<string>;
};

export async function testLake(): Promise<TestLake> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lds-ingest-'));
  after(() => rm(dataDir, { recursive: true, force: true }));
  const order: TestLake['order'] = (files, more) => ingestOrder(dataDir, 'crm', files, more);
  return {
    dataDir, order,
    async file(name, content) {
      const path = join(dataDir, name);
      await writeFile(path, content);
      return path;
    },
    async ingest(files, more) {
      const plans: FilePlan[] = [];
      return { ...(await ingestFiles(order(files, { onPlans: (all) => plans.push(...all), ...more }))), plans };
    },
    async rows(dataset = 'contacts', source = 'crm') {
      const dir = lakeDir(dataDir, dataset, source);
      const manifest = await readCurrent(dir);
      const rows = (await livingLines(dir, manifest)).map((line) => JSON.parse(line) as Row);
      const byId = new Map(rows.map((row) => [row.id as string, row]));
      assert.equal(byId.size, rows.length, 'each id once');
      return byId;
    },
    read: (path) => readFile(path, 'utf8'),
  };
}
