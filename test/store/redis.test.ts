import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsAt } from '../contract/caps/shared_setting.ts';
import { pause } from '../support/runners.ts';
import { NO_REDIS, RedisServer } from '../support/servers/redis.ts';

test('each loss of Redis is told with its own reason, and not with that of an earlier one', { skip: NO_REDIS }, async (t) => {
  const server = await RedisServer.start();
  t.after(() => server.stop());
  const reasons: string[] = [];
  const counts = await countsAt(t, server.url, { onChange: (reachable, error) => { if (!reachable) reasons.push(error instanceof Error ? error.message : 'none'); } });
  const lost = async (lose: () => Promise<unknown>): Promise<void> => {
    const before = reasons.length;
    await lose();
    while (reasons.length === before) await pause(10);
  };
  await lost(() => server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
  while (!counts.reachable) await pause(10);
  // While it is away connections are refused.
  await lost(() => server.crash());
  await pause(300);
  await server.resume();
  while (!counts.reachable) await pause(10);
  await lost(() => server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
  assert.deepEqual(reasons.map((reason) => /closed|ECONNRESET/.test(reason)), [true, true, true], reasons.join('; '));
});
