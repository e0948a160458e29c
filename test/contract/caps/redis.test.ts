import assert from 'node:assert/strict';
import { after, describe } from 'node:test';
import { NO_REDIS, RedisServer } from '../../support/servers/redis.ts';
import { capsSuite } from './caps_suite.ts';
import { countsAt, gatewayOver, scriptClock } from './shared_setting.ts';

describe('caps in Redis', { skip: NO_REDIS }, async () => {
  if (NO_REDIS !== false) return;
  const server = await RedisServer.start();
  after(() => server.stop());
  const flushed = new WeakSet<object>();

  capsSuite('Redis', async (test, clock, store) => {
    // A second time for the same store is a restart of the gateway, not of Redis.
    if (!flushed.has(store)) await server.command('FLUSHALL');
    flushed.add(store);
    const gateway = gatewayOver(await countsAt(test, server.url, { clock: scriptClock(clock) }), clock, store);
    test.after(() => assert.equal(gateway.caps.decidedAlone, 0, 'Redis decided all of it'));
    return gateway;
  });
});
