import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const RUN = join(import.meta.dirname, '../../bench/run.js');

test('the bench email runs, and finds us right on at least 99.5 % of what other validators agree on', () => {
  const done = spawnSync(process.execPath, [RUN, 'email', '--smoke'], { encoding: 'utf8', timeout: 180_000 });
  assert.equal(done.status, 0, done.stderr);
  const [, right] = /this service +([\d.]+) %/.exec(done.stdout) ?? [];
  assert.ok(Number(right) >= 99.5, done.stdout);
  assert.match(done.stdout, /each domain new +[\d,]+/);
});
