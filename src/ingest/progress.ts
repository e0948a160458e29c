/**
 * Runs one stage of the work and tells how far it is: `rowsTotal` is null where nobody knows before the end.
 * `advance` says how many more rows are through.
 */
export type Stage = <T>(name: string, rowsTotal: number | null, work: (advance: (rows: number) => void) => Promise<T>) => Promise<T>;

/** For callers who show nothing. */
export const SILENT: Stage = (_name, _rowsTotal, work) => work(() => undefined);
