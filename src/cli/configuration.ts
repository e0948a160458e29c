import { readFile } from 'node:fs/promises';
import { isKey } from '../accounts/key.ts';
import { ConfigError } from '../config/config_error.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';

/**
 * The configuration of this process. What makes a key well-formed the accounts know, and the rooms below them do not. Its file may be a pipe to which
 * nobody writes: waited for by this thread it would hold the command beyond every signal.
 */
export async function readConfig(): Promise<Config> {
  const path = process.env['LDS_CONFIG'] ?? '';
  const text = path === '' ? () => '' : await readFile(path, 'utf8').then((source) => () => source, (error: unknown) => () => { throw error; });
  const config = loaded(text);
  if (isMistyped(config)) throw new ConfigError([MISTYPED], config);
  return config;
}

const MISTYPED = 'admin_key (LDS_ADMIN_KEY): mistyped, its last six characters do not fit the others';

function isMistyped({ adminKey }: Config): boolean {
  return adminKey !== null && !isKey(adminKey);
}

/** Beside other problems the key is told of as well. */
function loaded(text: () => string): Config {
  try {
    return loadConfig(process.env, text);
  } catch (error) {
    if (!(error instanceof ConfigError) || error.rest === null || !isMistyped(error.rest)) throw error;
    throw new ConfigError([...error.problems, MISTYPED], error.rest);
  }
}
