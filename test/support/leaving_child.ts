import { spawn } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { endChildren, endWithProcess } from './left_children.ts';

/** A test file that begins a child as most do, with pipes, and fails before it could stop it; or hangs, where it is told to. */
after(endChildren);

describe('a suite', () => {
  before(async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    endWithProcess(child);
    process.stdout.write(`child ${child.pid}\n`);
    if (process.argv.includes('hangs')) await new Promise(() => {});
    throw new Error('it fails');
  });
  it('is not reached', () => {});
});
