import { LIMITS } from '../config/limits.ts';
import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { literal, name, type Duck } from './duckdb.ts';
import { IngestError } from './failure.ts';
import type { Format, Input } from './input.ts';
import { mapColumns, nameOf, type Mapping, type Override } from './mapping.ts';
import { mayBeStates } from './normalise/country.ts';
import { isNoTitle } from './normalise/name.ts';
import { cut } from './normalise/text.ts';
import { dayOrderOf, type DayOrder } from './normalise/time.ts';
import { areOfOneSite } from './normalise/web.ts';
import { FILE, TELLING_FILE, type Reader } from './reader_form.ts';

/** What will be made of one file: shown before anything is done. */
export type FilePlan = {
  readonly file: string;
  readonly format: string;
  readonly mapping: Mapping;
  /** The first three different values of each column, or fewer. */
  readonly samples: ReadonlyMap<string, readonly string[]>;
  /** Of the columns that tell it. */
  readonly dayOrders: ReadonlyMap<string, DayOrder>;
  readonly notes: readonly string[];
};

/** Where the names of columns come from, for one who wonders at them. */
const HEADED: Readonly<Record<Format, string>> = {
  delimited: 'the first line is a header',
  ndjson: 'every line is a record, and no envelope of records',
  json: 'the file is an array of records, and no envelope around one',
  parquet: 'this is the right file',
};

type Wanted = { readonly dataset: Dataset; readonly extras: readonly ExtraField[]; readonly overrides: readonly Override[] };

/** By the first values of each of its columns. */
export function planFile(reader: Reader, values: ColumnValues, { dataset, extras, overrides }: Wanted): FilePlan {
  const { label } = reader.input;
  const columns = reader.columns.map(({ name }) => name);
  const composed = new Set(reader.columns.filter(({ records, folder }) => records && !folder).map(({ name }) => name));
  const unlike = new Set(reader.columns.filter(({ name, records }) => records || isUnlike(name, values.get(name)!)).map(({ name }) => name));
  const untitled = new Set(columns.filter((column) => values.get(column)!.length > 0 && values.get(column)!.every(isNoTitle)));
  // A name that says whose site it is is believed.
  const pages = new Set(columns.filter((column) => /(?:^|\.)url$/i.test(column) && areOfOneSite(values.get(column)!)));
  const states = new Set(columns.filter((column) => mayBeStates(values.get(column)!)));
  const numbers = new Set(columns.filter((column) => values.get(column)!.length > 0 && values.get(column)!.every((value) => /^\d[\d.,' ]*$/.test(value))));
  const folders = new Set(reader.columns.filter(({ folder }) => folder).map(({ name }) => name));
  const mapping = mapColumns(columns, dataset, extras, overrides, { composed, unlike, untitled, pages, states, numbers, folders });
  if (mapping.feeds.every((feed) => feed.columns.every((column) => folders.has(column)))) {
    throw new IngestError(`${label}: none of its columns is known for ${dataset}: ${columns.slice(0, 20).map((column) => cut(column, LIMITS.ingestNameCharactersMax)).join(', ')}. Name them with --map column=field, and make sure that ${[HEADED[reader.input.format], ...reader.notes].join('; ')}`, { usage: true });
  }
  const left = mapping.unused.filter((column) => folders.has(column));
  const notes = left.length === 0 ? reader.notes : [...reader.notes, `what the names of the folders of ${label} say is not read unless --map names it: ${left.join(', ')}`];
  const dayOrders = new Map(columns.flatMap((column) => {
    const order = dayOrderOf(values.get(column)!);
    return order === null ? [] : [[column, order] as const];
  }));
  return { file: label, format: formatOf(reader), mapping, dayOrders, samples: new Map([...values].map(([column, some]) => [column, some.slice(0, LIMITS.ingestSamplesMax)])), notes };
}

/** Of a file that has no rows, for a reason. */
export function emptyPlan({ label }: Input, reason: string): FilePlan {
  return { file: label, format: 'empty', mapping: { feeds: [], unused: [] }, samples: new Map(), dayOrders: new Map(), notes: [`${reason}: there are no rows in it`] };
}

/** What its values show to be no more than its name: the type of a record and none of a company's, the numbers of records of contacts and no phones. */
function isUnlike(column: string, values: readonly string[]): boolean {
  const pattern = /(?:^|[.@])type$/i.test(column) ? KINDS : /^contactn(?:o|umber)$/.test(nameOf(column)) ? RECORD_NUMBERS : null;
  return pattern !== null && values.length > 0 && values.every((value) => pattern.test(value));
}

const KINDS = /^(?:organi[sz]ation|company|account)$/i;
/** With letters before them, or too few digits for a phone. */
const RECORD_NUMBERS = /^(?:[a-z]{1,5}[-_#]?\d+|\d{1,6})$/i;

/** The first different values of the columns of a file, by column, no longer than texts are kept. */
type ColumnValues = ReadonlyMap<string, readonly string[]>;

/** Of one file, or of several that are alike, by file. All cells are looked at as one, so that the patterns of tidying are compiled once and not for each. */
export async function valuesOf(duck: Duck, readers: readonly Reader[]): Promise<ColumnValues[]> {
  const [{ columns }] = readers as readonly [Reader];
  const cells = `SELECT file, place, unnest(cells) AS cell, unnest(range(${columns.length})) AS nth FROM (${firstRecords(readers)})`;
  const values = `SELECT file, place, nth, tidy(cell) AS value FROM (SELECT file, place, nth, cell[:${LIMITS.textCharactersMax}] AS cell FROM (${cells}))`;
  const different = `SELECT file, nth, value, min(place) AS place FROM (${values}) WHERE value IS NOT NULL GROUP BY file, nth, value`;
  const found = await duck.rows(`SELECT file, nth::INTEGER AS nth, list(value ORDER BY place)[:${LIMITS.ingestValuesMax}] AS sample FROM (${different}) GROUP BY file, nth`);
  const samples = new Map(found.map(({ file, nth, sample }) => [`${nth as number} ${file as string}`, sample as string[]]));
  return readers.map(({ input }) => new Map(columns.map(({ name: column }, nth) => [column, samples.get(`${nth} ${input.path}`) ?? []])));
}

/** `file`, `cells` and the `place` of each, in the order of the files. */
function firstRecords(readers: readonly Reader[]): string {
  const [{ input, columns, sampled, among }] = readers as readonly [Reader];
  const most = LIMITS.ingestPreviewRecords;
  const cells = `[${columns.map(({ sql }) => sql).join(', ')}] AS cells`;
  if (readers.length === 1) return `SELECT ${literal(input.path)} AS file, cells, row_number() OVER () AS place FROM (SELECT ${cells} FROM ${sampled} LIMIT ${most})`;
  const all = `SELECT file, cells, row_number() OVER () AS place FROM (SELECT ${name(FILE)} AS file, ${cells} FROM ${among!.sampled(readers.map((reader) => reader.input.path), TELLING_FILE)})`;
  return `SELECT file, cells, place FROM (${all}) QUALIFY place - min(place) OVER (PARTITION BY file) < ${most}`;
}

function formatOf({ input, dialect }: Reader): string {
  const packed = input.compression === 'none' ? '' : `, ${input.compression}`;
  if (dialect === null) return `${input.format === 'ndjson' ? 'NDJSON' : input.format === 'json' ? 'JSON' : 'Parquet'}${packed}`;
  const delimiter = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' }[dialect.delimiter] ?? JSON.stringify(dialect.delimiter);
  return `CSV, ${delimiter}, ${input.decodedFrom ?? dialect.encoding}${packed}`;
}
