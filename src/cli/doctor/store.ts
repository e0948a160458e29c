import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '../../config/folder.ts';
import type { Config } from '../../config/schema.ts';
import { troubleOfSqlite } from '../../store/sqlite/examine.ts';
import { fail, ok, type Check } from './check.ts';

/** Nothing where the accounts are elsewhere, or there are none yet. */
export function checkStore({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): Check[] {
  const path = join(dataDir, STORE_FILE);
  if (databaseUrl !== null || !existsSync(path)) return [];
  const trouble = troubleOfSqlite(path);
  if (trouble !== null) return [fail('store', `${path} cannot be used: ${trouble.said}`, trouble.advice)];
  return [ok('store', `${path} is whole, ${Math.ceil(statSync(path).size / 1_048_576)} MiB`)];
}
