import type { ParseArgsConfig } from 'node:util';
import type { Config } from '../config/schema.ts';

/** What a command may touch of its surroundings; tests hand in their own. */
export type Terminal = {
  /** For what a script reads. A promise where the reader is slow: resolves when more should come. */
  out(text: string): Promise<void> | void;
  /** For what a person reads: progress, notes, errors. */
  note(text: string): void;
  /** True where `note` reaches a screen, so that a line may be drawn over. */
  readonly interactive: boolean;
  readonly signal: AbortSignal;
};

export type CommandInput = {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly files: readonly string[];
  readonly terminal: Terminal;
  /** Read only when asked for, so that `--help` works under any configuration. */
  config(): Promise<Config>;
};

/** A command of `lds`. `run` gives the exit code; a `UsageError` prints its message with the usage and exits 2. */
export type Command = {
  /** The whole text of `--help`: usage, options, examples. */
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  run(input: CommandInput): Promise<number>;
};

/** For the help of commands that work in the data folder, and of those that work on accounts. */
export const IN_DATA_FOLDER = 'The data folder is that of LDS_DATA_DIR, or of the file that LDS_CONFIG names; by default ./data.';
export const IN_STORE = `Accounts, keys and suppressions are in the data folder, or on the PostgreSQL of LDS_DATABASE_URL.
${IN_DATA_FOLDER}`;

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, misused: 2 } as const;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}
