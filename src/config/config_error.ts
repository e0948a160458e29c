import type { Config } from './schema.ts';

/** Every problem of a configuration at once, each naming its setting and never a value, but for the path of the data folder. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  /** What of it is right, and the defaults for the others; null where the trouble came up later. */
  readonly rest: Config | null;

  constructor(problems: readonly string[], rest: Config | null = null) {
    super(problems.join('\n'));
    this.problems = problems;
    this.rest = rest;
  }
}
