import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientRequestId, requestId } from '../../src/http/request_id.ts';

test('ids are unique, sort in the order they were made, and are fit for a header', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 });
  const ids: string[] = [];
  for (const stepMs of [0, 1, 5, -3_600_000, 1, 3_600_000]) {
    t.mock.timers.setTime(Date.now() + stepMs);
    for (let made = 0; made < 500; made += 1) ids.push(requestId());
  }
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual([...ids].sort(), ids);
  for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{1,64}$/);
});

test('what a caller names his request is kept only if it is fit for a log', () => {
  for (const good of ['a', 'my.request_1-2', 'x'.repeat(64)]) assert.equal(clientRequestId(good), good);
  for (const bad of [undefined, '', 'x'.repeat(65), 'a b', 'a\nb', 'é', '"quoted"', '${jndi}']) assert.equal(clientRequestId(bad), null);
});
