import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { inWorkDir } from '../../src/ingest/work_dir.ts';

test('what is copied while it is ingested stands where no other user of the machine may look, and nowhere afterwards', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lds-work-test-'));
  const before = process.umask(0o022);
  try {
    const workDir = await inWorkDir(join(folder, 'staging'), async (made) => {
      assert.deepEqual([statSync(made).mode & 0o777, statSync(dirname(made)).mode & 0o777], [0o700, 0o755]);
      return made;
    });
    assert.ok(!existsSync(workDir));
  } finally {
    process.umask(before);
    await rm(folder, { recursive: true });
  }
});

test('what a process that was killed left is removed by the next one, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lds-work-test-'));
  try {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'work_dir_child.js'), folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const [left] = readdirSync(folder);
    await inWorkDir(folder, async (living) => {
      assert.deepEqual(readdirSync(join(folder, left!)), ['rows.csv']);
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;

      // The name of a dead one alone is not enough: what it leads to may be anybody's.
      const link = left!.replace(/[0-9a-f]{12}$/, '0123456789ab');
      symlinkSync(living, join(folder, link));
      writeFileSync(join(living, 'rows.csv'), 'mine');
      for (const other of ['lds-work-0123456789ab', 'lds-work-test-x', left!.replace(/-[0-9a-f]{16}-/, '-0123456789abcdef-')]) mkdirSync(join(folder, other));
      const before = readdirSync(folder);
      await inWorkDir(folder, async () => {});
      assert.deepEqual(readdirSync(folder), before.filter((name) => name !== left));
      assert.deepEqual(readdirSync(living), ['rows.csv']);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
