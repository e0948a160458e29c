import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { until } from './until.ts';

const FILE = join(import.meta.dirname, 'leaving_child.js');
// Else it reports to the runner of this file.
const { NODE_TEST_CONTEXT: _, ...env } = process.env;

/** Once it has begun its child: itself, and whether that is there. */
async function begun(...args: string[]): Promise<{ file: ChildProcess; ended: Promise<unknown[]>; isChildThere: () => boolean }> {
  const file = spawn(process.execPath, [FILE, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(file, 'exit');
  let printed = '';
  file.stdout!.setEncoding('utf8').on('data', (text: string) => { printed += text; });
  const pid = (): number => Number(/^child (\d+)$/m.exec(printed)?.[1] ?? 0);
  await until(() => pid() > 0);
  const isChildThere = (): boolean => {
    try { return process.kill(pid(), 0); } catch { return false; }
  };
  after(() => { file.kill('SIGKILL'); if (isChildThere()) process.kill(pid(), 'SIGKILL'); });
  return { file, ended, isChildThere };
}

describe('a child that a test file left', () => {
  it('ends with the tests, also where one failed before it could stop it, and does not keep the file', { timeout: 60_000 }, async () => {
    const { ended, isChildThere } = await begun();
    assert.deepEqual(await ended, [1, null]);
    await until(() => !isChildThere());
  });

  it('ends with a file that hangs and is told to end', { timeout: 60_000 }, async () => {
    const { file, ended, isChildThere } = await begun('hangs');
    file.kill('SIGTERM');
    assert.deepEqual(await ended, [1, null]);
    await until(() => !isChildThere());
  });
});
