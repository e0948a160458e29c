import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderOf } from '../support/folder.ts';

const RUN = join(import.meta.dirname, '../../bench/run.js');
/** Of all native modules this one alone is not there, as where no build of it fits the system. */
const WITHOUT = "const { dlopen } = process;\nprocess.dlopen = (module, file, ...rest) => { if (file.includes('uws_')) throw new Error('gone'); dlopen(module, file, ...rest); };\n";

for (const bench of ['find', 'stream']) {
  test(`where the native HTTP server does not load the bench ${bench} says so, and why, before it makes anything`, { timeout: 180_000 }, (t) => {
    const [hook, made] = [folderOf(t), folderOf(t)];
    writeFileSync(join(hook, 'without.cjs'), WITHOUT);
    const env = { ...process.env, NODE_OPTIONS: `--require=${join(hook, 'without.cjs')}`, LDS_BENCH_DIR: made };
    const done = spawnSync(process.execPath, [RUN, bench, '--smoke'], { encoding: 'utf8', env });
    assert.equal(done.status, 1);
    assert.match(done.stderr, new RegExp(`^Error: ${bench} is measured against bare uWS, which does not load on this platform \\(gone\\); the other benches run with LDS_HTTP=node$`, 'm'));
    assert.deepEqual(readdirSync(made), []);
  });
}
