import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../src/lib/clock.ts';
import { Deadline } from '../../src/validate/deadline.ts';
import { openMailRoutes, type MailRoutes } from '../../src/validate/dns/open.ts';
import { a, mx, scriptDns, soa, type Act, type Asked, type ScriptedDns } from './support/dns_script.ts';

async function open(t: TestContext, ...scripts: readonly ((asked: Asked) => Act)[]): Promise<{ readonly servers: readonly ScriptedDns[]; readonly routes: MailRoutes }> {
  const servers = await Promise.all(scripts.map(scriptDns));
  const routes = openMailRoutes({ servers: servers.map(({ address }) => address), isUsable: () => true, now: monotonicMs });
  t.after(async () => {
    routes.close();
    await Promise.all(servers.map((server) => server.close()));
  });
  return { servers, routes };
}

function healthy({ name, type }: Asked): Act {
  if (type === 'MX') return { answers: [mx(name, `mx.${name}`)] };
  if (type === 'A') return { answers: [a(name, '192.0.2.1')] };
  return { authorities: [soa('.')] };
}

async function codesOf(routes: MailRoutes, domain: string, timeoutMs = 30_000): Promise<readonly string[] | null> {
  const deadline = new Deadline(monotonicMs() + timeoutMs);
  const taken = await routes.wait(domain, deadline);
  deadline.close();
  return taken === null ? null : taken.value.codes;
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await sleep(5);
}

test('once its last caller has left a name is asked no more; that a resolver is silent is found out all the same', async (t) => {
  const { servers, routes } = await open(t, (asked) => (asked.name === 'silent.com' ? null : healthy(asked)));
  const { asked } = servers[0]!;
  const callers = [new AbortController(), new AbortController()];
  const deadlines = callers.map(({ signal }) => new Deadline(monotonicMs() + 30_000, signal));
  t.after(() => { for (const deadline of deadlines) deadline.close(); });
  const waits = deadlines.map((deadline) => routes.wait('silent.com', deadline));
  await until(() => asked.length > 0);
  for (const caller of callers) caller.abort();
  assert.deepEqual(await Promise.all(waits), [null, null]);
  await until(() => asked.some(({ name }) => name === '.'));
  assert.deepEqual(await codesOf(routes, 'good.com'), ['DNS_MX_OK']);
  assert.equal(asked.filter(({ name }) => name === 'silent.com').length, 1);
});

test('a resolver that is silent to callers in a hurry is soon asked last', async (t) => {
  const { servers: [silent, other], routes } = await open(t, () => null, healthy);
  assert.equal(await codesOf(routes, 'first.com', 100), null);
  await until(() => other!.asked.some(({ name }) => name === '.') && routes.reach().lost === 1);
  assert.deepEqual(await codesOf(routes, 'second.com'), ['DNS_MX_OK']);
  assert.equal(silent!.asked.filter(({ name }) => name === 'second.com').length, 0);
});
