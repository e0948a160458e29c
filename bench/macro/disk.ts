import { statSync } from 'node:fs';
import { contactFiles } from '../data/contacts.ts';
import type { Bench, BenchOptions } from '../support/bench.ts';
import { download } from '../support/curl.ts';
import { lakeOf, startService, type BenchLake, type Service } from '../support/lake.ts';
import { ratio, type Figures, type Report } from '../support/report.ts';
import type { SegmentFiles } from '../../src/sources/lake/paths.ts';

/** What the lake keeps, its rows as text and compact, against the answer that has all of its rows; and what a stream of that takes. */
export const diskBench: Bench = { summary: 'bytes of the serving files, and of the Parquet they are made of, against the NDJSON of all rows; the same of compact rows, and their stream', run };

async function run(options: BenchOptions): Promise<Report> {
  const files = await contactFiles(options);
  const lakes = [await lakeOf(files), await lakeOf(files, 'compact')] as const;
  const services: Service[] = [];
  const speeds: [number[], number[]] = [[], []];
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
  return {
    bench: 'disk', rows: options.rows, seed: options.seed, rounds: options.rounds,
    figures: [...figuresOf(options, lakes, ndjson), ratio('stream of compact rows / of text', speeds[1], speeds[0])], notes: [],
  };
}

function downloadAll({ find, pid, key }: Service): ReturnType<typeof download> {
  return download(find, pid, ['-H', `authorization: Bearer ${key}`, '-H', 'accept: application/x-ndjson', '--data-binary', '{"type":"contacts"}']);
}

function figuresOf({ rows }: BenchOptions, lakes: readonly [BenchLake, BenchLake], ndjson: number): Figures[] {
  const perRow = (name: string, size: number): Figures => ({ name, unit: 'bytes/row', figures: [size / rows] });
  const [text, compact] = lakes.map(sizesOf) as [Sizes, Sizes];
  return [
    perRow('NDJSON of all rows, control lines among it', ndjson), perRow('rows files', text.rows), perRow('rows files, compact', compact.rows), perRow('index files', text.index),
    perRow('Parquet, which nothing is served from', text.truth),
    { name: 'serving files / NDJSON', unit: 'times', figures: [(text.rows + text.index) / ndjson] },
    { name: 'serving files of compact rows / NDJSON', unit: 'times', figures: [(compact.rows + compact.index) / ndjson] },
    { name: 'all files / NDJSON', unit: 'times', figures: [(text.rows + text.index + text.truth) / ndjson] },
  ];
}

type Sizes = Readonly<Record<keyof SegmentFiles, number>>;

function sizesOf({ files }: BenchLake): Sizes {
  const sizeOf = (part: keyof SegmentFiles): number => files.reduce((sum, each) => sum + statSync(each[part]).size, 0);
  return { rows: sizeOf('rows'), index: sizeOf('index'), truth: sizeOf('truth') };
}
