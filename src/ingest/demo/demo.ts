import { makeDataFolder } from '../../config/folder.ts';
import { nextTurn } from '../../lib/turns.ts';
import type { Dataset } from '../../model/dataset.ts';
import type { Row } from '../../model/field.ts';
import { awaitLock } from '../../sources/lake/lock.ts';
import { lakeDir, stagingDir } from '../../sources/lake/paths.ts';
import { readCurrent } from '../../sources/lake/current.ts';
import { storageOf } from '../../sources/lake/row_storage.ts';
import { sweepKnown } from '../../sources/lake/sweep.ts';
import { BATCH_ROWS, withDuck, type Cell, type Columns } from '../duckdb.ts';
import { createLead, LEAD, leadColumns, type LeadColumn } from '../lead_table.ts';
import type { Stage } from '../progress.ts';
import { CUTTING, sealLead } from '../seal.ts';
import { inWorkDir } from '../work_dir.ts';
import { COMPANY_COUNT, demoCompanies } from './companies.ts';
import { CRM_ROWS, DemoPeople, WEB_ROWS } from './people.ts';

type DemoPlace = { readonly dataset: Dataset; readonly source: string };
type DemoSource = DemoPlace & { readonly rows: number; row(at: number): Row };

const REGISTRY: DemoPlace = { dataset: 'companies', source: 'demo-registry' };
const CRM: DemoPlace = { dataset: 'contacts', source: 'demo-crm' };
const WEB: DemoPlace = { dataset: 'contacts', source: 'demo-web' };

/**
 * Makes the demonstration lake: 100,000 invented contacts in two overlapping sources and 10,000 invented companies, the same every
 * time. A source that stands already is left as it is.
 */
export async function makeDemoLake({ dataDir, stage, signal }: { readonly dataDir: string; readonly stage: Stage; readonly signal: AbortSignal }): Promise<void> {
  makeDataFolder(dataDir);
  if (await isWhole(dataDir)) return;
  const companies = demoCompanies();
  const people = new DemoPeople(companies);
  const sources: readonly DemoSource[] = [
    { ...REGISTRY, rows: COMPANY_COUNT, row: (at) => companies[at]!.row },
    { ...CRM, rows: CRM_ROWS, row: (at) => people.crm(at) },
    { ...WEB, rows: WEB_ROWS, row: (at) => people.web(at) },
  ];
  for (const source of sources) await makeSource(dataDir, source, stage, signal);
}

async function isWhole(dataDir: string): Promise<boolean> {
  for (const { dataset, source } of [REGISTRY, CRM, WEB]) if ((await readCurrent(lakeDir(dataDir, dataset, source))) === null) return false;
  return true;
}

async function makeSource(dataDir: string, demo: DemoSource, stage: Stage, signal: AbortSignal): Promise<void> {
  const dir = lakeDir(dataDir, demo.dataset, demo.source);
  const lock = await awaitLock(dir);
  try {
    if ((await readCurrent(dir)) !== null) return;
    await sweepKnown(dir, lock);
    await inWorkDir(stagingDir(dir), (workDir) => withDuck(workDir, { folders: [], files: [] }, signal, async (duck) => {
      const columns = leadColumns(demo.dataset, []);
      await duck.run(createLead(columns));
      await stage(`inventing ${demo.source}`, demo.rows, (advance) => duck.append(LEAD, columns.map(({ kind }) => kind), batches(demo, columns, advance)));
      const place = { dataset: demo.dataset, source: demo.source, dir };
      await sealLead(duck, { place, workDir, columns, kept: [], extras: [], demo: true, rowForm: storageOf(null), signal, stage, cutting: CUTTING });
    }));
  } finally {
    await lock.release();
  }
}

/** Between two of them a wish to end is heard, and it is told how far it is. */
async function* batches(demo: DemoSource, columns: readonly LeadColumn[], advance: (rows: number) => void): AsyncGenerator<Columns> {
  for (let start = 0; start < demo.rows; start += BATCH_ROWS) {
    const rows = Array.from({ length: Math.min(BATCH_ROWS, demo.rows - start) }, (_, at) => demo.row(start + at));
    yield columns.map(({ name }) => rows.map((row): Cell => row[name] ?? null));
    advance(rows.length);
    await nextTurn();
  }
}
