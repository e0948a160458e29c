import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { AwaitedSnapshots } from '../../src/find/awaited.ts';

test('a snapshot is waited for from the first who asked for it on, each for itself, and then no more', () => {
  const awaited = new AwaitedSnapshots();
  assert.equal(awaited.mayCome('contacts/crm@7', 1_000), true);
  assert.equal(awaited.mayCome('contacts/crm@8', 500_000), true);
  assert.equal(awaited.mayCome('contacts/crm@7', 1_000 + LIMITS.snapshotRetainMs - 1), true);
  assert.equal(awaited.mayCome('contacts/crm@7', 1_000 + LIMITS.snapshotRetainMs), false);
  assert.equal(awaited.mayCome('contacts/crm@8', 1_000 + LIMITS.snapshotRetainMs), true);
});

test('of those asked for first it is forgotten since when, where there are too many', () => {
  const awaited = new AwaitedSnapshots();
  for (let number = 0; number <= LIMITS.awaitedSnapshotsMax; number += 1) awaited.mayCome(`contacts/crm@${number}`, 0);
  assert.deepEqual([1, 0].map((number) => awaited.mayCome(`contacts/crm@${number}`, LIMITS.snapshotRetainMs)), [false, true]);
});
