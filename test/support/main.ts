import { join } from 'node:path';

/** The code that `lds` runs by, built beside the tests. */
export const MAIN = join(import.meta.dirname, '../../src/main.js');
