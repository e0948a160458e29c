import type { Dataset } from '../model/dataset.ts';
import type { RowForm } from '../segment/row_form.ts';
import type { RowStorage } from '../sources/lake/row_storage.ts';
import { BATCH_ROWS } from './duckdb.ts';

/** When a lake is cut into several segments, and into how many. */
export type Cutting = {
  /** Below so many rows there is one segment. */
  readonly rowsMin: number;
  /** How many are built at once. */
  readonly threads: number;
  /** No segment is to hold more bytes of rows. */
  readonly bytesMax: number;
  /** What the engine may hold for several to be written one after another from its tables; if left out, as this machine has memory. */
  readonly heldBytesMax?: number;
};

/** What a group of rows of a Parquet truth may be, about. */
export type Grouping = { readonly rowsMax: number; readonly bytesMax: number };

/** What the rows of a country weigh; countries come in serving order. */
export type CountryWeight = { readonly rows: number; readonly bytes: number };

/** How the rows of a source are to be stored. */
export type Storing = { readonly storage: RowStorage; readonly dataset: Dataset };

/**
 * What is compact of a balanced source, at least, of its bytes as text. A compact contact spares two to three times what the index takes for one: the
 * cuts may be off by their slack, and half of an even number of segments is to be enough. Companies have short rows of names that no other has: the
 * index takes a third of their text and more, and a compact one spares little more than that.
 */
const COMPACT_SHARES: Readonly<Record<Dataset, number>> = { contacts: 0.4, companies: 0.8 };
/** A cut between two countries is taken where it is no further off than this share of a segment. */
const SLACK = 0.1;

/**
 * The rows that each segment has, in serving order: of about equal bytes, cut between countries where that can be, else within one. A lake
 * of many rows gets a segment for each thread, so that all can be built at once, or as many again where they would be too large: with one
 * more than the threads have in one go, all but one thread would stand idle while it is built.
 */
export function cutRows(countries: readonly CountryWeight[], { rowsMin, threads, bytesMax }: Cutting): number[] {
  const ends = cumulated(countries);
  const { rows, bytes } = ends.at(-1) ?? { rows: 0, bytes: 0 };
  const fitting = Math.max(1, Math.ceil((bytes * (1 + 2 * SLACK)) / bytesMax));
  const parts = rows < rowsMin && fitting === 1 ? 1 : Math.ceil(fitting / threads) * threads;
  const cuts = Array.from({ length: parts - 1 }, (_, at) => rowOf(ends, (bytes * (at + 1)) / parts, (bytes * SLACK) / parts));
  return [...cuts, rows].map((end, at) => end - (cuts[at - 1] ?? 0)).filter((own) => own > 0);
}

/**
 * How the rows of each segment are stored. Of a balanced source those stay text, which goes out as it stands, of which the longest streams come, as far as these are of a
 * country; and so many are compact that rows and index together are about the rows as text, or less.
 */
export function formsOf({ storage, dataset }: Storing, countries: readonly CountryWeight[], cuts: readonly number[]): RowForm[] {
  if (storage !== 'balanced') return cuts.map(() => storage);
  const segments = streamed(countries, cuts);
  const enough = COMPACT_SHARES[dataset] * segments.reduce((sum, { bytes }) => sum + bytes, 0);
  const forms = cuts.map((): RowForm => 'text');
  let compact = 0;
  for (const { part, bytes } of segments.sort((one, other) => one.meanBytes - other.meanBytes)) {
    if (compact >= enough) break;
    forms[part] = 'compact';
    compact += bytes;
  }
  return forms;
}

type Streamed = { readonly part: number; readonly bytes: number; readonly meanBytes: number };

/** Of each segment its bytes, and how many the country has, in all, that such a byte belongs to. */
function streamed(countries: readonly CountryWeight[], cuts: readonly number[]): Streamed[] {
  const ends = cumulated(countries);
  let from = 0;
  return cuts.map((rows, part) => {
    const to = from + rows;
    const own = countries.map((country, at) => {
      const end = ends[at]!.rows;
      return (Math.max(0, Math.min(end, to) - Math.max(end - country.rows, from)) / country.rows) * country.bytes;
    });
    from = to;
    const bytes = own.reduce((sum, each) => sum + each, 0);
    return { part, bytes, meanBytes: own.reduce((sum, each, at) => sum + each * countries[at]!.bytes, 0) / bytes };
  });
}

/**
 * How many rows a group is to have: it is in memory as a whole, of the engine that writes it and of the thread that reads it again. As rows of one
 * country lie together, those of the heaviest must fit as well as the average row.
 */
export function groupRows(countries: readonly CountryWeight[], { rowsMax, bytesMax }: Grouping): number {
  const all = cumulated(countries).at(-1) ?? { rows: 0, bytes: 0 };
  const fitting = [...countries, all].filter(({ bytes }) => bytes > bytesMax).map(({ rows, bytes }) => (bytesMax * rows) / bytes);
  const rows = Math.min(rowsMax, ...fitting);
  return Math.max(1, Math.floor(rows / BATCH_ROWS)) * BATCH_ROWS;
}

function cumulated(countries: readonly CountryWeight[]): CountryWeight[] {
  let rows = 0;
  let bytes = 0;
  return countries.map((country) => ({ rows: rows += country.rows, bytes: bytes += country.bytes }));
}

/** The row before which to cut so that about so many bytes lie before it. */
function rowOf(ends: readonly CountryWeight[], wanted: number, slack: number): number {
  const at = ends.findIndex(({ bytes }) => bytes >= wanted);
  const before = ends[at - 1] ?? { rows: 0, bytes: 0 };
  const after = ends[at]!;
  const nearest = wanted - before.bytes < after.bytes - wanted ? before : after;
  if (Math.abs(nearest.bytes - wanted) <= slack) return nearest.rows;
  return before.rows + Math.round(((after.rows - before.rows) * (wanted - before.bytes)) / (after.bytes - before.bytes));
}
