import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { inspect } from 'node:util';
import { SHARED_DIR } from './support/shared_dir.ts';

/** Runs every compiled `*.test.js` below this folder, or those whose path has one of the words given as arguments. */
const root = import.meta.dirname;
const wanted = process.argv.slice(2);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js') && (wanted.length === 0 || wanted.some((word) => file.includes(word))))
  .sort();

if (files.length === 0) {
  console.error('No test file matches.');
  process.exit(1);
}

/** Far more than any file takes: one that hangs fails instead of holding up all. */
const FILE_MS = 600_000;

/** They wait for a clock or a server nearly all of their time: one at a time beside the others, they cost none. */
const WAITING = new Set([
  'accounts/members', 'accounts/open', 'accounts/playground_shared', 'cli/bench', 'contract/caps/redis', 'contract/exchange/bodies', 'contract/exchange/lifecycle', 'contract/exchange/slow_readers',
  'pool/threads', 'sources/replicas/replicas', 'store/postgres', 'system/two_gateways', 'validate/dns_hostile',
  'validate/hasty_calls', 'validate/mailbox', 'validate/mute_hosts', 'validate/postfix', 'validate/random_names', 'validate/smtp',
].map((name) => `${name}.test.js`));

/** The others wait for a third of it: one more than there are processors, so that none of these is idle. The longest come early, by their names. */
const AT_A_TIME = availableParallelism() + 1;

const shared = mkdtempSync(join(tmpdir(), 'lds-tests-'));
process.on('exit', () => rmSync(shared, { recursive: true, force: true }));
process.env[SHARED_DIR] = shared;
// Where a machine names authorities of its own, each process would read them at its start, for half as long as Node takes to begin; none asks a host that they vouch for.
delete process.env['NODE_EXTRA_CA_CERTS'];

/** Told once more at the end, where they are found: the report of one lane stands far above that of another. */
const failures: string[] = [];
const FAILURE_CHARS_MAX = 4_000;

function begin(some: readonly string[], concurrency: number): AsyncIterable<unknown> {
  if (some.length === 0) return Readable.from([]);
  const results = run({ files: some.map((file) => join(root, file)), concurrency, timeout: FILE_MS });
  results.on('test:fail', ({ name, file = '', details }) => {
    process.exitCode = 1;
    const error: Error & { failureType?: string } = details.error;
    // A suite whose tests failed says nothing that they do not.
    if (error.failureType !== 'subtestsFailed') failures.push(`\n✖ ${name} (${relative(root, file)})\n${inspect(error.cause ?? error).slice(0, FAILURE_CHARS_MAX)}`);
  });
  return results;
}

const lanes = [begin(files.filter((file) => !WAITING.has(file)), AT_A_TIME), begin(files.filter((file) => WAITING.has(file)), 1)];
for (const lane of lanes) {
  const report = Readable.from(lane).compose(new spec());
  report.pipe(process.stdout, { end: false });
  await finished(report);
}
if (failures.length > 0) console.log(`\n${failures.length} failed:\n${failures.join('\n')}`);
