import { statSync } from 'node:fs';
import { contactFiles } from '../data/contacts.ts';
import type { Bench, BenchOptions } from '../support/bench.ts';
import { download } from '../support/curl.ts';
import { lakeOf, startService } from '../support/lake.ts';
import type { Report } from '../support/report.ts';

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
  const bytes = { rows: statSync(lake.rowsFile).size, index: statSync(lake.indexFile).size, truth: statSync(lake.truth).size };
  const perRow = (name: string, size: number): { name: string; unit: string; figures: number[] } => ({ name, unit: 'bytes/row', figures: [size / options.rows] });
  return {
    bench: 'disk', rows: options.rows, seed: options.seed, rounds: 1,
    figures: [
      perRow('NDJSON of all rows, control lines among it', ndjson), perRow('rows file', bytes.rows), perRow('index file', bytes.index), perRow('Parquet, which nothing is served from', bytes.truth),
      { name: 'serving files / NDJSON', unit: 'times', figures: [(bytes.rows + bytes.index) / ndjson] },
      { name: 'all files / NDJSON', unit: 'times', figures: [(bytes.rows + bytes.index + bytes.truth) / ndjson] },
    ],
    notes: [],
  };
}
