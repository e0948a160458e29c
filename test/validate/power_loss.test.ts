import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readOwnLists } from '../../src/validate/lists/own.ts';
import { eachLoss } from '../support/power_loss/each_loss.ts';
import { noRecorder } from '../support/power_loss/recorded.ts';

const CHILD = join(import.meta.dirname, 'lists_child.js');

test('whatever is left of a list when the power is lost, it is the one of before or the new one, whole, and the new one once it was told', { skip: noRecorder() ?? false }, async () => {
  const { states, faults } = await eachLoss({ script: (disk) => [CHILD, join(disk, 'data', 'lists')] }, async (disk, { said, next }) => {
    const found = [...readOwnLists(join(disk, 'data', 'lists'), assert.fail).disposable ?? ['none']].join();
    assert.ok(said.length === 0 || found === said.at(-1) || found === next, `${found.length} characters are neither`);
  });
  assert.deepEqual(faults.slice(0, 10), []);
  assert.ok(states > 10, `${states} states`);
});
