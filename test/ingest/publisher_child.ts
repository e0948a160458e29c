import { mkdtempSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '../../src/config/limits.ts';
import { ingestFiles, type IngestOrder } from '../../src/ingest/ingest.ts';
import type { Stage } from '../../src/ingest/progress.ts';
import { compactSource, eraseRows } from '../../src/ingest/rewrite.ts';
import type { RewriteOrder } from '../../src/ingest/rewriting.ts';
import { lakeDir } from '../../src/sources/lake/paths.ts';
import { sweepUnlessWriting } from '../../src/sources/lake/sweep.ts';
import { SMALL } from './small.ts';
import { rowsDigest } from './rows_digest.ts';

/** A process for tests to record: it changes a lake source in every way, one after the other, and says after each what its rows are then. */
const [dataDir] = process.argv.slice(2) as [string];
const inputs = mkdtempSync(join(tmpdir(), 'lds-inputs-'));
process.on('exit', () => rmSync(inputs, { recursive: true, force: true }));
const stage: Stage = (_name, _extent, work) => work(() => undefined);
const signal = new AbortController().signal;
const rewriting: RewriteOrder = { dataDir, source: 'crm', extras: { contacts: [], companies: [] }, rowForm: null, signal, stage };
const order: Omit<IngestOrder, 'files' | 'mode'> = {
  dataDir, dataset: 'contacts', source: 'crm', overrides: [], extras: [], rowForm: null, encoding: null, escape: null, signal, stage, onPlans: () => undefined,
};

async function say(what: string): Promise<void> {
  writeSync(1, `${what} ${await rowsDigest(dataDir)}\n`);
}

function file(name: string, text: string): string {
  const path = join(inputs, name);
  writeFileSync(path, text);
  return path;
}

function people(from: number, to: number, version: string): string {
  const rows = Array.from({ length: to - from }, (_, at) => `${from + at},Ann ${version},ann${from + at}@a.com`);
  return file(`${version}.csv`, `id,name,email\n${rows.join('\n')}\nno,row,of,these\n`);
}

async function sweep(): Promise<void> {
  await sweepUnlessWriting(lakeDir(dataDir, 'contacts', 'crm'), Date.now() + LIMITS.snapshotRetainMs);
}

await say('nothing');
await ingestFiles({ ...order, mode: 'upsert', files: [people(0, 60, 'First')] });
await say('made');
await ingestFiles({ ...order, mode: 'upsert', files: [people(40, 90, 'Second')], cutting: { rowsMin: 1, threads: 2, bytesMax: 1 << 30 } });
await say('upserted');
await ingestFiles({ ...order, mode: 'upsert', files: [people(88, 91, 'Beside')], keeping: SMALL });
await say('put beside');
await ingestFiles({ ...order, mode: 'upsert', files: [people(86, 89, 'Besides')], keeping: SMALL });
await say('put beside again');
await sweep();
await say('swept beside');
await eraseRows({ ...rewriting, keeping: SMALL }, file('ids.txt', '1\n2\n'));
await say('erased');
await sweep();
await say('swept');
if (process.argv.includes('--more')) {
  await ingestFiles({ ...order, mode: 'upsert', files: [people(70, 73, 'Aside')], keeping: SMALL });
  await say('put beside for what follows');
  await compactSource({ ...rewriting, rowForm: 'compact' });
  await say('compacted');
  await ingestFiles({ ...order, mode: 'append', files: [people(80, 120, 'Third')] });
  await say('appended');
  await ingestFiles({ ...order, mode: 'replace', files: [people(200, 240, 'Fourth')] });
  await say('replaced');
}
