import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
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
