import { LIMITS } from '../config/limits.ts';
import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import type { Duck } from './duckdb.ts';
import { IngestError } from './failure.ts';
import { mapColumns, type Mapping, type Override } from './mapping.ts';
import type { Reader } from './reader.ts';

/** What will be made of one file: shown before anything is done. */
export type FilePlan = {
  readonly file: string;
  readonly format: string;
  readonly mapping: Mapping;
  /** Up to three different values of each column. */
  readonly samples: ReadonlyMap<string, readonly string[]>;
  readonly notes: readonly string[];
};

type Wanted = { readonly dataset: Dataset; readonly extras: readonly ExtraField[]; readonly overrides: readonly Override[] };

export async function planFile(duck: Duck, reader: Reader, { dataset, extras, overrides }: Wanted): Promise<FilePlan> {
  const { label } = reader.input;
  const columns = reader.columns.map(({ name }) => name);
  const mapping = mapColumns(columns, dataset, extras, overrides);
  if (mapping.feeds.length === 0) {
    throw new IngestError(`${label}: none of its columns is known for ${dataset}: ${columns.slice(0, 20).join(', ')}. Name them with --map column=field, and make sure that the first line is a header`, { usage: true });
  }
  return { file: label, format: formatOf(reader), mapping, samples: await samplesOf(duck, reader), notes: reader.notes };
}

async function samplesOf(duck: Duck, reader: Reader): Promise<Map<string, string[]>> {
  const first = `SELECT * FROM ${reader.sampled} LIMIT ${LIMITS.ingestPreviewRecords}`;
  const values = reader.columns.map(({ sql }, at) => `tidy(${sql}) AS v${at}`);
  const lists = reader.columns.map((_, at) => `(list(DISTINCT v${at}) FILTER (v${at} IS NOT NULL))[:3] AS s${at}`);
  const [found] = await duck.rows(`SELECT ${lists.join(', ')} FROM (SELECT ${values.join(', ')} FROM (${first}))`);
  return new Map(reader.columns.map(({ name }, at) => [name, (found![`s${at}`] as string[] | null) ?? []]));
}

function formatOf({ input, dialect }: Reader): string {
  const packed = input.compression === 'none' ? '' : `, ${input.compression}`;
  if (dialect === null) return `${input.format === 'ndjson' ? 'NDJSON' : input.format === 'json' ? 'JSON' : 'Parquet'}${packed}`;
  const delimiter = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' }[dialect.delimiter] ?? JSON.stringify(dialect.delimiter);
  return `CSV, ${delimiter}, ${dialect.encoding}${packed}`;
}
