import type { FailureCode, SourceFailure } from '../../src/sources/source.ts';

/** For `assert.rejects`. */
export const failsAs = (code: FailureCode) => (error: unknown): boolean => (error as SourceFailure).code === code;
