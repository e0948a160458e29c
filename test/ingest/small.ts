import type { Keeping } from '../../src/ingest/rewritten.ts';

/** Bounds by which a few rows stand beside some more, as thousands do beside millions. */
export const SMALL: Keeping = { smallRowsMax: 3, ratio: 2, goneShareMax: 0.5 };
