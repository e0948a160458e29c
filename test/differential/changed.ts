import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDuck } from '../../bench/data/contacts.ts';
import type { Keeping } from '../../src/ingest/rewritten.ts';
import type { Row } from '../../src/model/field.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { readGone } from '../../src/sources/lake/gone.ts';
import { segmentFiles } from '../../src/sources/lake/paths.ts';
import { ingest } from '../support/ingested.ts';

/** However small a segment is, and however much of it is gone: it stays. */
const ALL_KEPT: Keeping = { smallRowsMax: 0, ratio: 0, goneShareMax: 1 };
/** One row in so many comes when all others are there. */
const LATE_ONE_IN = 9;

type Given = { readonly parquet: string; readonly others: readonly Row[]; readonly folder: string };
/** One row in so many stands in the lake first as another one, with its own id. */
type Changed = { readonly dataDir: string; readonly source: string; readonly outdatedOneIn: number };

/** Ingests rows bit by bit: most at once, some of them outdated, then what replaces these, half of it outdated again, then that, then those that were not there. */
export async function ingestBitByBit({ parquet, others, folder }: Given, { dataDir, source, outdatedOneIn }: Changed): Promise<void> {
  const isLate = (n: string): string => `${n} % ${LATE_ONE_IN} = 0`;
  const isOutdated = (n: string): string => `NOT ${isLate(n)} AND ${n} % ${outdatedOneIn} = 1`;
  const isTwice = (n: string): string => `${isOutdated(n)} AND ${n} % 3 = 1`;
  const steps = [
    { mode: 'upsert', rows: (n: string) => `NOT ${isLate(n)}`, ahead: (n: string) => `CASE WHEN ${isOutdated(n)} THEN 1 ELSE 0 END` },
    { mode: 'upsert', rows: isOutdated, ahead: (n: string) => `CASE WHEN ${isTwice(n)} THEN 2 ELSE 0 END` },
    { mode: 'upsert', rows: isTwice, ahead: () => '0' },
    { mode: 'append', rows: isLate, ahead: () => '0' },
  ] as const;
  const odd = join(folder, 'odd.ndjson');
  writeFileSync(odd, others.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const files = steps.map((_, at) => [join(folder, `step-${at}.parquet`), join(folder, `odd-${at}.parquet`)] as const);
  await withDuck(folder, async (connection) => {
    for (const [which, from] of [`read_parquet('${parquet}')`, `read_json('${odd}', format = 'newline_delimited', sample_size = -1)`].entries()) {
      await connection.run(`CREATE OR REPLACE TABLE given AS SELECT row_number() OVER () - 1 AS n, * FROM ${from}`);
      for (const [at, { rows, ahead }] of steps.entries()) {
        await connection.run(`COPY (SELECT mine.id, shown.* EXCLUDE (n, id) FROM given mine JOIN given shown ON shown.n = (mine.n + ${ahead('mine.n')}) % (SELECT count(*) FROM given)
          WHERE ${rows('mine.n')} ORDER BY mine.n) TO '${files[at]![which]}' (FORMAT parquet)`);
      }
    }
  });
  for (const [at, { mode }] of steps.entries()) await ingest(dataDir, source, files[at]![0], { files: files[at]!, mode, keeping: ALL_KEPT });
}

/** What lives of a published source, as a relation of DuckDB with `part` and `file_row_number` in serving order. */
export async function livingTruth(dir: string): Promise<string> {
  const { segments } = (await readCurrent(dir))!;
  const parts = await Promise.all(segments.map(async ({ id, gone }, part) =>
    `SELECT ${part} AS part, * FROM read_parquet('${segmentFiles(dir, id).truth}', file_row_number = true) WHERE NOT list_contains([${(await readGone(dir, gone)).join()}]::BIGINT[], file_row_number)`));
  return `(${parts.join(' UNION ALL BY NAME ')})`;
}
