import type { Check } from '../../src/cli/doctor/check.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';

export function config(changes: Partial<Config>): Config {
  return { ...loadConfig({}, () => ''), ...changes };
}

export const briefly = (checks: readonly Check[]): string[] => checks.map(({ name, status }) => `${status} ${name}`);
