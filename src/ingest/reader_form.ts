import { LIMITS } from '../config/limits.ts';
import type { Dialect } from './dialect.ts';
import { EmptyFile, IngestError } from './failure.ts';
import type { Input } from './input.ts';
import type { ReaderColumn } from './reader_column.ts';

/** A file as a relation of text columns. A cell that holds a list or a record is its JSON text. */
export type Reader = {
  readonly input: Input;
  readonly columns: readonly ReaderColumn[];
  /** For the FROM clause: all records, in the order of the file. What the engine cannot read goes to `rejects`, where there is such a table. */
  readonly relation: string;
  /** As `relation`, silent about what cannot be read. */
  readonly sampled: string;
  /** As `relation`, for a file in which there is nothing that cannot be read: half the cost, but the first such record ends it. Null where there is none. */
  readonly clean: string | null;
  /** The reader where that ended; null where it is this one. */
  readonly strictly: (() => Promise<Reader>) | null;
  /** Why a record that was read is none; an expression over the relation. */
  readonly fault: string;
  readonly rejects: string | null;
  /** A table with the `line` of every record, in the order of the relation, where a record that is none has no cells to show for it. */
  readonly lines: string | null;
  readonly notes: readonly string[];
  readonly dialect: Dialect | null;
  /** Null for what is read alone. */
  readonly among: Among | null;
};

/** How a small file is read by one query with others, those of the same `form`: they differ in nothing but their paths and rows. */
type Among = { readonly form: string; clean(paths: readonly string[], ...more: readonly string[]): string; sampled(paths: readonly string[], ...more: readonly string[]): string };

/** The column that says from which of several files a row is, and the option that brings it. No field has a name with a blank. */
export const FILE = 'file read';
export const TELLING_FILE = `filename = '${FILE}'`;

export function emptyFile({ label, compression }: Input): EmptyFile {
  return new EmptyFile(compression === 'none' ? `${label} is empty` : `nothing comes of ${label} when it is unpacked`);
}

export function assertNotTooWide({ label }: Input, columns: number): void {
  if (columns > LIMITS.ingestColumnsMax) throw new IngestError(`${label} has ${columns} columns, more than ${LIMITS.ingestColumnsMax}: leave out those that no field needs`);
}
