import { readFileSync } from 'node:fs';
import { isKey } from '../accounts/key.ts';
import { ConfigError } from '../config/config_error.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';

/** The configuration of this process. What makes a key well-formed the accounts know, and the rooms below them do not. */
export function readConfig(): Config {
  const config = loadConfig(process.env, (path) => readFileSync(path, 'utf8'));
  if (config.adminKey !== null && !isKey(config.adminKey)) throw new ConfigError(['admin_key (LDS_ADMIN_KEY): mistyped, its last six characters do not fit the others']);
  return config;
}
