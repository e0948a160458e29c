import { statSync } from 'node:fs';
import { contactFiles } from '../data/contacts.ts';
import type { Bench, BenchOptions } from '../support/bench.ts';
import { download } from '../support/curl.ts';
import { lakeOf, startService, type BenchLake, type Service } from '../support/lake.ts';
import { ratio, type Figures, type Report } from '../support/report.ts';
import type { SegmentFiles } from '../../src/sources/lake/paths.ts';
import { ROW_STORAGES } from '../../src/sources/lake/row_storage.ts';

/** What the lake keeps, its rows stored in each way, against the answer that has all of its rows; and what a stream of that takes. */
export const diskBench: Bench = {
  summary: 'bytes of the serving files, rows stored in each way, and of the Parquet they are made of, against the NDJSON of all rows; and the stream of everything',
  run,
};

async function run(options: BenchOptions): Promise<Report> {
  const files = await contactFiles(options);
  const lakes: BenchLake[] = [];
  for (const storage of ROW_STORAGES) lakes.push(await lakeOf(files, storage));
  const services: Service[] = [];
  const speeds: number[][] = ROW_STORAGES.map(() => []);
  let ndjson = 0;
  try {
    for (const lake of lakes) services.push(await startService(lake));
    // The first brings the rows into memory.
    for (let round = -1; round < options.rounds; round++) {
      for (const [at, service] of services.entries()) {
        const got = downloadAll(service);
        ndjson = got.bytes;
        if (round >= 0) speeds[at]!.push(got.bytesPerSecond);
      }
    }
  } finally {
    for (const service of services) await service.stop();
  }
  return { figures: figuresOf(options, lakes.map(sizesOf), { ndjson, speeds }), notes: [] };
}

function downloadAll({ find, pid, key }: Service): ReturnType<typeof download> {
  return download(find, pid, ['-H', `authorization: Bearer ${key}`, '-H', 'accept: application/x-ndjson', '--data-binary', '{"type":"contacts"}']);
}

type Streams = { readonly ndjson: number; readonly speeds: readonly (readonly number[])[] };

function figuresOf({ rows }: BenchOptions, sizes: readonly Sizes[], { ndjson, speeds }: Streams): Figures[] {
  const one = (name: string, unit: string, figure: number): Figures => ({ name, unit, figures: [figure] });
  const { index, truth } = sizes[0]!;
  const text = speeds[ROW_STORAGES.indexOf('text')]!;
  return [
    one('NDJSON of all rows, control lines among it', 'bytes/row', ndjson / rows),
    one('index files', 'bytes/row', index / rows),
    one('Parquet, which nothing is served from', 'bytes/row', truth / rows),
    ...ROW_STORAGES.flatMap((storage, at) => [
      one(`${storage}: rows files`, 'bytes/row', sizes[at]!.rows / rows),
      one(`${storage}: serving files / NDJSON`, 'times', (sizes[at]!.rows + sizes[at]!.index) / ndjson),
      ...(storage === 'text' ? [] : [ratio(`${storage}: stream of everything / of text`, speeds[at]!, text)]),
    ]),
  ];
}

type Sizes = Readonly<Record<keyof SegmentFiles, number>>;

function sizesOf({ files }: BenchLake): Sizes {
  const sizeOf = (part: keyof SegmentFiles): number => files.reduce((sum, each) => sum + statSync(each[part]).size, 0);
  return { rows: sizeOf('rows'), index: sizeOf('index'), truth: sizeOf('truth') };
}
