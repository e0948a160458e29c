import { ConfigError } from '../config/config_error.ts';
import { SOURCE_NAME } from '../config/sources.ts';
import { IngestError } from '../ingest/failure.ts';
import type { RewriteOrder } from '../ingest/rewriting.ts';
import { DamagedLake } from '../sources/lake/current.ts';
import { LockHeldError } from '../sources/lake/lock.ts';
import { UnsettledError } from '../sources/lake/publish.ts';
import { ROW_STORAGES } from '../sources/lake/row_storage.ts';
import { EXIT, UsageError, type CommandInput } from './command.ts';
import { worldlyIn } from './owner.ts';
import { terminalStage } from './progress.ts';
import { oneOf } from './words.ts';

/** Runs what writes to a lake source, and words its failures. */
export async function writing(name: string, { terminal, config }: Pick<CommandInput, 'terminal' | 'config'>, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) throw error;
    if (error instanceof IngestError && error.usage) throw new UsageError(error.message, { cause: error });
    const told = await failureText(error, config);
    if (told === null) throw error;
    terminal.note(`lds ${name}: ${told}\n`);
    return EXIT.failed;
  }
}

/** Null for what is a bug. */
async function failureText(error: unknown, config: CommandInput['config']): Promise<string | null> {
  if (error instanceof DamagedLake) return `${error.message}; ${error.advice}`;
  if (error instanceof UnsettledError) return error.message;
  const message = error instanceof IngestError || error instanceof LockHeldError ? error.message : await worldlyIn(config, error);
  return message === null ? null : `${message}; what was published before stands`;
}

export async function tell({ values, terminal }: CommandInput, outcome: object, text: string): Promise<number> {
  await terminal.out(values.json === true ? `${JSON.stringify(outcome)}\n` : text);
  return EXIT.done;
}

export async function rewriteOrder({ values, files, terminal, config }: CommandInput): Promise<RewriteOrder> {
  const { source } = values;
  if (typeof source !== 'string' || !SOURCE_NAME.test(source)) throw new UsageError('--source is to be the name of a lake source');
  if (files.length > 0) throw new UsageError('no file is expected beside the options');
  const { dataDir, extras } = await config();
  return { dataDir, source, extras, rowForm: oneOf(values, 'rows', ROW_STORAGES) ?? null, signal: terminal.signal, stage: terminalStage(terminal) };
}
