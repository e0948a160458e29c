import { BATCH_ROWS } from './duckdb.ts';

/** When a lake is cut into several segments, and into how many. */
export type Cutting = {
  /** Below so many rows there is one segment. */
  readonly rowsMin: number;
  /** How many are built at once. */
  readonly threads: number;
  /** No segment is to hold more bytes of rows. */
  readonly bytesMax: number;
};

/** What a group of rows of a Parquet truth may be, about. */
export type Grouping = { readonly rowsMax: number; readonly bytesMax: number };

/** What the rows of a country weigh; countries come in serving order. */
export type CountryWeight = { readonly rows: number; readonly bytes: number };

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
