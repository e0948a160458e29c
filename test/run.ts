import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { SHARED_DIR } from './support/shared_dir.ts';

/** Runs every compiled `*.test.js` below this folder, or those whose path has one of the words given as arguments. */
const root = import.meta.dirname;
const wanted = process.argv.slice(2);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js') && (wanted.length === 0 || wanted.some((word) => file.includes(word))))
  .sort()
  .map((file) => join(root, file));

if (files.length === 0) {
  console.error('No test file matches.');
  process.exit(1);
}

/** Far more than any file takes: one that hangs fails instead of holding up all. */
const FILE_MS = 600_000;

const shared = mkdtempSync(join(tmpdir(), 'lds-tests-'));
process.on('exit', () => rmSync(shared, { recursive: true, force: true }));
process.env[SHARED_DIR] = shared;

let failed = 0;
const results = run({ files, concurrency: availableParallelism(), timeout: FILE_MS });
results.on('test:fail', () => { failed += 1; });
const report = results.compose(new spec());
report.pipe(process.stdout);
await finished(report);
process.exitCode = failed === 0 ? 0 : 1;
