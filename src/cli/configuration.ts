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
  const config = loadConfig(process.env, text);
  if (config.adminKey !== null && !isKey(config.adminKey)) throw new ConfigError(['admin_key (LDS_ADMIN_KEY): mistyped, its last six characters do not fit the others'], config);
  return config;
}
