import { statSync } from 'node:fs';
import { contactFiles } from '../data/contacts.ts';
import type { Bench, BenchOptions } from '../support/bench.ts';
import { download } from '../support/curl.ts';
import { lakeOf, startService } from '../support/lake.ts';
import type { Report } from '../support/report.ts';
import type { SegmentFiles } from '../../src/sources/lake/paths.ts';

/** What the lake keeps, against the answer that has all of its rows. */
export const diskBench: Bench = { summary: 'bytes of the serving files, and of the Parquet they are made of, against the NDJSON of all rows', run };

async function run(options: BenchOptions): Promise<Report> {
  const lake = await lakeOf(await contactFiles(options));
  const service = await startService(lake);
  const args = ['-H', `authorization: Bearer ${lake.key}`, '-H', 'accept: application/x-ndjson', '--data-binary', '{"type":"contacts"}'];
  let ndjson: number;
  try {
    ndjson = download(service.find, service.pid, args).bytes;
  } finally {
    await service.stop();
  }
  const sizeOf = (part: keyof SegmentFiles): number => lake.files.reduce((sum, files) => sum + statSync(files[part]).size, 0);
  const bytes = { rows: sizeOf('rows'), index: sizeOf('index'), truth: sizeOf('truth') };
  const perRow = (name: string, size: number): { name: string; unit: string; figures: number[] } => ({ name, unit: 'bytes/row', figures: [size / options.rows] });
  return {
    bench: 'disk', rows: options.rows, seed: options.seed, rounds: 1,
    figures: [
      perRow('NDJSON of all rows, control lines among it', ndjson), perRow('rows files', bytes.rows), perRow('index files', bytes.index), perRow('Parquet, which nothing is served from', bytes.truth),
      { name: 'serving files / NDJSON', unit: 'times', figures: [(bytes.rows + bytes.index) / ndjson] },
      { name: 'all files / NDJSON', unit: 'times', figures: [(bytes.rows + bytes.index + bytes.truth) / ndjson] },
    ],
    notes: [],
  };
}
