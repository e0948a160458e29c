import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { mapsFiles } from '../../src/segment/mapping.ts';

test('an exit at once has its code, and nothing is run before it', { skip: !mapsFiles() && 'the foreign function interface does not load here' }, () => {
  const module = new URL('../../src/cli/exit_at_once.js', import.meta.url).href;
  const script = `import { exitAtOnce } from ${JSON.stringify(module)}; process.on('exit', () => console.log('exit')); exitAtOnce(3);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.deepEqual([status, stdout], [3, '']);
});
