import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs } from '../../src/lib/clock.ts';
import { Deadline } from '../../src/validate/deadline.ts';
import { until } from '../support/until.ts';
import { healthy, scriptedRoutes } from './support/scripted_routes.ts';

/** That of the service: it is silence that is looked at. */
const PATIENCE = 1;

test('once its last caller has left a name is asked no more; that a resolver is silent is found out all the same', async (t) => {
  const { servers, routes, codes } = await scriptedRoutes(t, [(asked) => (asked.name === 'silent.com' ? null : healthy(asked))], [], PATIENCE);
  const { asked } = servers[0]!;
  const callers = [new AbortController(), new AbortController()];
  const deadlines = callers.map(({ signal }) => new Deadline(monotonicMs() + 30_000, signal));
  t.after(() => { for (const deadline of deadlines) deadline.close(); });
  const waits = deadlines.map((deadline) => routes.wait('silent.com', deadline));
  await until(() => asked.length > 0);
  for (const caller of callers) caller.abort();
  assert.deepEqual(await Promise.all(waits), [null, null]);
  await until(() => asked.some(({ name }) => name === '.'));
  assert.deepEqual(await codes('good.com'), ['DNS_MX_OK']);
  assert.equal(asked.filter(({ name }) => name === 'silent.com').length, 1);
});

test('a resolver that is silent to callers in a hurry is soon asked last', async (t) => {
  const { servers: [silent, other], routes, codes } = await scriptedRoutes(t, [() => null, healthy], [], PATIENCE);
  assert.equal(await codes('first.com', 100), null);
  await until(() => other!.asked.some(({ name }) => name === '.') && routes.reach().lost === 1);
  assert.deepEqual(await codes('second.com'), ['DNS_MX_OK']);
  assert.equal(silent!.asked.filter(({ name }) => name === 'second.com').length, 0);
});
