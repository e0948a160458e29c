import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { eachLoss } from '../support/power_loss/each_loss.ts';
import { noRecorder } from '../support/power_loss/recorded.ts';
import type { Tree } from '../support/power_loss/states.ts';
import { checkLedger, type Entry } from './ledger.ts';

const CHILD = join(import.meta.dirname, 'ledger_child.js');

/** Whoever opens the store first after a start of the machine makes the index of its log anew. */
const counts = (tree: Tree): Tree => new Map([...tree].filter(([path]) => !path.endsWith('-shm')));

test('whatever is left of the store when the power is lost, what it acknowledged is there, and nothing by half', { skip: noRecorder() ?? false }, async () => {
  const { states, faults } = await eachLoss({ script: (disk) => [CHILD, join(disk, 'data'), '', '1'], counts }, async (disk, { said }) => {
    const store = await openStore({ dataDir: join(disk, 'data') });
    try {
      await checkLedger(store, said.map((line) => line.split(' ') as unknown as Entry));
    } finally {
      await store.close();
    }
  });
  assert.deepEqual(faults.slice(0, 10), []);
  assert.ok(states > 100, `${states} states`);
});
