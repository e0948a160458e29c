import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Check } from '../../src/cli/doctor/check.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';

export function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'lds-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

export function config(changes: Partial<Config>): Config {
  return { ...loadConfig({}, () => ''), ...changes };
}

export const briefly = (checks: readonly Check[]): string[] => checks.map(({ name, status }) => `${status} ${name}`);
