import { spawn } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { endWithTests } from './left_children.ts';

/** A test file that begins a child as most do, with pipes, and fails before it could stop it; or hangs, where it is told to. */
describe('a suite', () => {
  before(async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    endWithTests(child);
    process.stdout.write(`child ${child.pid}\n`);
    if (process.argv.includes('hangs')) await new Promise(() => {});
    throw new Error('it fails');
  });
  it('is not reached', () => {});
});
