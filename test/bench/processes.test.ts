import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startScript } from '../../bench/support/processes.ts';
import { folderOf } from '../support/folder.ts';
import { freePort } from '../support/ports.ts';

for (const [end, told] of [["process.kill(process.pid, 'SIGKILL')", 'SIGKILL'], ['process.exit(3)', '3']] as const) {
  test(`a server that ends before it answers is not waited for: ${end}`, { timeout: 180_000 }, async (t) => {
    const folder = folderOf(t);
    const script = join(folder, 'ends.js');
    writeFileSync(script, end);
    await assert.rejects(startScript(script, [], {}, `http://127.0.0.1:${await freePort()}/`), { message: `the server ended with ${told} before it answered: ` });
  });
}
