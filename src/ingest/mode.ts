/** What becomes of the rows that a source has already. */
export const MODES = ['upsert', 'append', 'replace'] as const;
export type Mode = (typeof MODES)[number];
