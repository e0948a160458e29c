import { createRequire } from 'node:module';

/**
 * Takes a package of CommonJS, typed by whoever asks. `import` reads the text of each of its files once more, for the names of what they
 * export: of DuckDB, of a package that is a long list, or of one that exports much, that takes longer than to run them.
 */
export const requirePackage = createRequire(import.meta.url);
