/** How far a stage is: of so many rows, or as the one that does it says; null where nobody knows before the end. */
export type Extent = number | { fraction(): number | null } | null;

/** Runs one stage of the work. `advance` says how many more rows are through, where the extent is in rows. */
export type Stage = <T>(name: string, extent: Extent, work: (advance: (rows: number) => void) => Promise<T>) => Promise<T>;
