import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '../config/limits.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import type { SegmentSummary } from '../segment/segment.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import type { LakePlace, SegmentFiles } from '../sources/lake/paths.ts';
import { newSegmentId, nextSnapshot, publish, type KeptSegment, type StagedSegment } from '../sources/lake/publish.ts';
import type { RowStorage } from '../sources/lake/row_storage.ts';
import { buildSegment, type SegmentOrder } from './build_segment.ts';
import { cutRows, formsOf, groupRows, type CountryWeight, type Cutting, type Grouping } from './cut.ts';
import { engineMemoryBytes, literal, name, SQL_TYPES, type Duck } from './duckdb.ts';
import { KEYS, leadKeys, leadRows, PLACE, type KeyedRows } from './key_table.ts';
import { identitySql, type LeadColumn } from './lead_table.ts';
import type { Stage } from './progress.ts';
import { isCrowded, rowsApart, type RowsApart } from './rows_apart.ts';
import { buildInThreads } from './segment_threads.ts';
import { RANK } from './truth/truth_rows.ts';

type Sealing = {
  readonly place: LakePlace;
  /** A folder of the lake's staging folder, on the same file system as its segments. */
  readonly workDir: string;
  readonly columns: readonly LeadColumn[];
  readonly rows: KeyedRows;
  /** Segments of before that stay beside them. */
  readonly kept: readonly KeptSegment[];
  readonly extras: readonly ExtraField[];
  readonly demo: boolean;
  readonly rowForm: RowStorage;
  readonly signal: AbortSignal;
  readonly stage: Stage;
  readonly cutting: Cutting;
};

/** As large lakes are cut unless a test wants it otherwise. */
export const CUTTING: Cutting = {
  rowsMin: LIMITS.segmentedRowsMin,
  threads: Math.min(availableParallelism(), LIMITS.segmentThreadsMax),
  bytesMax: LIMITS.segmentRowsBytesMax,
};

/** Each thread has a group twice, packed and unpacked: on a small machine of many processors all of them are to stay within half of the engine's share. */
const GROUPING: Grouping = {
  rowsMax: LIMITS.truthGroupRowsMax,
  bytesMax: Math.min(LIMITS.truthGroupBytesMax, engineMemoryBytes() / (4 * CUTTING.threads)),
};

/** Makes the rows of the lead table the whole of a lake source, but for the segments that are kept, and closes the engine when it is through with them. */
export async function sealLead(duck: Duck, sealing: Omit<Sealing, 'rows'>): Promise<Manifest> {
  await duck.run(`CREATE TABLE ${KEYS} AS ${leadKeys(sealing.place.dataset, sealing.columns)}`);
  return sealRows(duck, { ...sealing, rows: leadRows(sealing.columns) });
}

/** Makes rows the whole of a lake source, but for the segments that are kept: Parquet in serving order, segments from it, then the snapshot. */
export async function sealRows(duck: Duck, sealing: Sealing): Promise<Manifest> {
  const { place, workDir, columns, kept, extras, rowForm, stage, cutting } = sealing;
  const weights = await weigh(duck, columns);
  // Each segment more is one more for every search.
  const cuts = cutRows(weights, kept.length === 0 ? cutting : { ...cutting, rowsMin: Infinity });
  const head = { dataset: place.dataset, source: place.source, extras };
  const forms = formsOf({ storage: rowForm, dataset: place.dataset }, weights, cuts);
  const orders = cuts.map((_, part): SegmentOrder => ({ head, files: stagedFiles(workDir, part), form: forms[part]!, rankGaps: null }));
  const rows = cuts.reduce((sum, own) => sum + own, 0);
  // How far a statement of these is, the engine does not tell: of a join and a sort it says a few percent to the end.
  const apart = await isCrowded(duck, cuts.length, cutting.heldBytesMax) ? await stage('parting', null, () => partRows(duck, sealing, cuts)) : null;
  await stage('sorting', cuts.length > 1 ? rows : null, (advance) => writeTruths(duck, sealing, { apart, cuts, orders, groupRows: groupRows(weights, GROUPING), advance }));
  duck.close();
  return sealTruths(sealing, [...kept, ...orders.map((order, part) => ({ order, rows: cuts[part]! }))]);
}

/** A Parquet truth that is written, of so many rows. */
export type WrittenTruth = { readonly order: SegmentOrder; readonly rows: number };

/** Makes segments of the truths among some parts, and publishes all in their order. The engine is closed by then: the threads take the memory that it kept. */
export async function sealTruths(
  { place, extras, demo, rowForm, signal, stage, cutting }: Omit<Sealing, 'workDir' | 'columns' | 'rows' | 'kept'>, parts: readonly (KeptSegment | WrittenTruth)[],
): Promise<Manifest> {
  const written = parts.filter(isWritten);
  const rows = written.reduce((sum, own) => sum + own.rows, 0);
  const summaries = await stage('indexing', rows, (advance) => build({ signal, cutting }, written.map(({ order }) => order), advance));
  for (const [part, summary] of summaries.entries()) if (summary.rows !== written[part]!.rows) throw new Error(`${summary.rows} rows came of ${written[part]!.rows}`);
  const snapshot = await nextSnapshot(place.dir);
  const added = new Map(summaries.map(({ rows: own, indexBytes, rowsBytes, fill, countries, updatedAt }, nth): [WrittenTruth, StagedSegment] => {
    const id = newSegmentId(snapshot, nth, written.length < parts.length);
    return [written[nth]!, { entry: { id, rows: own, indexBytes, rowsBytes, fill, countries, updatedAt }, files: written[nth]!.order.files }];
  }));
  const segments = parts.map((part) => (isWritten(part) ? added.get(part)! : part));
  return publish(place.dir, { dataset: place.dataset, source: place.source, demo, rowForm, extras: [...extras], segments });
}

function isWritten(part: KeptSegment | WrittenTruth): part is WrittenTruth {
  return 'order' in part;
}

export function stagedFiles(workDir: string, part: number): SegmentFiles {
  const path = (ending: string): string => join(workDir, `segment-${part}.${ending}`);
  return { index: path('index'), rows: path('rows'), truth: path('parquet') };
}

/** The columns of a truth, by name and type. */
export function truthColumns(columns: readonly LeadColumn[]): readonly (readonly [name: string, type: string])[] {
  return [...columns.map((column) => [column.name, SQL_TYPES[column.kind]] as const), [RANK, SQL_TYPES.integer]];
}

/** Where a truth is written to, and how: no codec but this one can be unpacked without the engine. */
export function asTruth(path: string, groupRows: number): string {
  return `${literal(path)} (FORMAT parquet, PARQUET_VERSION V1, COMPRESSION snappy, ROW_GROUP_SIZE ${groupRows})`;
}

/** Rows and about the bytes that they take, by country, in serving order. */
async function weigh(duck: Duck, columns: readonly LeadColumn[]): Promise<CountryWeight[]> {
  const members = columns.reduce((sum, { name: field }) => sum + `"${field}":null,`.length, 0);
  const found = await duck.rows(`SELECT count(*)::DOUBLE AS rows, (sum(bytes) + count(*) * ${members})::DOUBLE AS bytes FROM ${KEYS} GROUP BY country ORDER BY country NULLS LAST`);
  return found.map(({ rows, bytes }) => ({ rows: rows as number, bytes: bytes as number }));
}

/**
 * Draws ranks and places over narrow columns, as the row numbers of two sorted tables. Of each segment a relation of both, by which its wide rows are then sorted
 * once, by a number.
 */
async function drawPlaces(duck: Duck, { dataset }: LakePlace, cuts: readonly number[]): Promise<readonly string[]> {
  const identity = identitySql(dataset);
  await duck.run(`CREATE TABLE ranked AS SELECT nth, country FROM ${KEYS} ORDER BY ${identity.rank}, ${identity.key}, id`);
  await duck.run('CREATE TABLE placed AS SELECT nth, rowid AS rank FROM ranked ORDER BY country NULLS LAST, rowid');
  for (const table of ['ranked', KEYS]) await duck.run(`DROP TABLE ${table}`);
  return endsOf(cuts).map((end, part) => `SELECT nth, rowid AS place, row_number() OVER (ORDER BY rank) - 1 AS rank FROM placed WHERE rowid >= ${end - cuts[part]!} AND rowid < ${end}`);
}

async function partRows(duck: Duck, { place, workDir, rows: keyed }: Sealing, cuts: readonly number[]): Promise<RowsApart> {
  const places = await drawPlaces(duck, place, cuts);
  return rowsApart(duck, { rows: keyed(places.join(' UNION ALL ')), ends: endsOf(cuts), folder: join(workDir, 'parts') });
}

function endsOf(cuts: readonly number[]): number[] {
  let end = 0;
  return cuts.map((rows) => end += rows);
}

type Truths = { readonly apart: RowsApart | null; readonly cuts: readonly number[]; readonly orders: readonly SegmentOrder[]; readonly groupRows: number; readonly advance: (rows: number) => void };

async function writeTruths(duck: Duck, { place, columns, rows: keyed }: Sealing, { apart, cuts, orders, groupRows, advance }: Truths): Promise<void> {
  const relations = apart?.relations ?? (await drawPlaces(duck, place, cuts)).map(keyed);
  const wanted = truthColumns(columns).map(([column]) => name(column)).join(', ');
  for (const [part, rows] of cuts.entries()) {
    await duck.run(`COPY (SELECT ${wanted} FROM (${relations[part]!}) ORDER BY ${name(PLACE)})
      TO ${asTruth(orders[part]!.files.truth, groupRows)}`);
    await apart?.drop(part);
    advance(rows);
  }
}

/** A thread costs more than a small segment does. Of no rows there is no segment. */
async function build({ signal, cutting }: Pick<Sealing, 'signal' | 'cutting'>, orders: readonly SegmentOrder[], advance: (rows: number) => void): Promise<SegmentSummary[]> {
  if (orders.length !== 1) return buildInThreads(orders, { threads: cutting.threads, signal, advance });
  return [await buildSegment(orders[0]!, (rows) => {
    signal.throwIfAborted();
    advance(rows);
  })];
}
