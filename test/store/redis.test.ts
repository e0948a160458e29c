import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { examineRedis } from '../../src/store/redis/examine.ts';
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

test('where Redis cannot be used from the start its reason is told, once', { skip: NO_REDIS }, async (t) => {
  const server = await RedisServer.start(['--requirepass', 'secret']);
  t.after(() => server.stop());
  const told: string[] = [];
  const counts = await countsAt(t, server.url, { onChange: (reachable, error) => told.push(`${reachable} ${error instanceof Error ? error.message : ''}`) });
  await pause(1_000);
  assert.equal(counts.reachable, false);
  assert.deepEqual(told.map((line) => line.startsWith('false NOAUTH')), [true], told.join('; '));
});

test('a Redis that runs no scripts is away for good, which is told once, and is back when it does', { skip: NO_REDIS }, async (t) => {
  const server = await RedisServer.start();
  t.after(() => server.stop());
  await server.command('ACL', 'SETUSER', 'default', '-eval', '-evalsha');
  const told: string[] = [];
  const counts = await countsAt(t, server.url, { onChange: (reachable, error) => told.push(`${reachable} ${error instanceof Error ? error.message : ''}`) });
  for (let looks = 0; looks < 5; looks += 1) {
    assert.equal(await counts.look('acc'), null);
    await pause(LIMITS.sharedProbeMs);
  }
  assert.deepEqual(told.map((line) => line.slice(0, 12)), ['false NOPERM'], told.join('; '));
  await server.command('ACL', 'SETUSER', 'default', '+eval', '+evalsha');
  while (!counts.reachable) await pause(10);
});

test('after a failover the server is asked to which the address leads now, though the one of before lives on as a replica', { skip: NO_REDIS, timeout: 60_000 }, async (t) => {
  const [first, second] = [await RedisServer.start(), await RedisServer.start()];
  let primary = first;
  const address = createServer((near) => {
    const far = connect(primary.port, '127.0.0.1');
    for (const [one, other] of [[near, far], [far, near]] as const) one.on('error', () => {}).on('close', () => other.destroy()).pipe(other);
  }).listen(0, '127.0.0.1');
  await once(address, 'listening');
  t.after(async () => {
    address.close();
    await Promise.all([first.stop(), second.stop()]);
  });
  const counts = await countsAt(t, `redis://127.0.0.1:${(address.address() as AddressInfo).port}`);
  while (!counts.reachable) await pause(10);
  primary = second;
  await first.command('REPLICAOF', '127.0.0.1', second.port);
  while (counts.reachable) await pause(10);
  while (!counts.reachable) await pause(10);
  assert.equal((await counts.visit('net', { day: 0, calls: 0 }))?.calls, 1);
  assert.equal(await second.command('EXISTS', 'lds:visits:net'), 1);
});

test('a database that the server does not have is none, and not the first', { skip: NO_REDIS }, async (t) => {
  const server = await RedisServer.start();
  t.after(() => server.stop());
  const told: string[] = [];
  const counts = await countsAt(t, `${server.url}/16`, { onChange: (reachable, error) => told.push(`${reachable} ${String(error)}`) });
  assert.deepEqual(told.map((line) => /^false .*DB index/.test(line)), [true], told.join('; '));
  assert.equal(counts.reachable, false);
  const found = await examineRedis(`${server.url}/16`);
  assert.equal(found.reached, false);
  assert.match(found.reason, /DB index/);
  assert.equal((await countsAt(t, `${server.url}/15`)).reachable, true);
});
