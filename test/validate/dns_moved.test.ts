import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { openMailRoutes } from '../../src/validate/dns/open.ts';
import { until } from '../support/until.ts';
import { scriptDns } from './support/dns_script.ts';
import { codesOf, healthy } from './support/scripted_routes.ts';

const NOBODY = '127.0.0.1:1';

/** Routes by the system's resolvers, which `system` names, unless `servers` does. */
async function world(t: TestContext, system: string[], servers: readonly string[] = []) {
  const server = await scriptDns(healthy);
  let looks = 0;
  const routes = openMailRoutes({ servers, systemServers: () => { looks += 1; return [...system]; }, isUsable: () => true, now: monotonicMs, patience: 20 });
  t.after(async () => {
    routes.close();
    await server.close();
  });
  return { server, routes, codes: (domain: string) => codesOf(routes, domain), looks: () => looks };
}

suite('a machine whose resolvers change', { concurrency: 4 }, () => {
  test('the new ones are asked as soon as none of the old ones can be reached, by all who wait', async (t) => {
    const system = [NOBODY];
    const { server, codes } = await world(t, system);
    system[0] = server.address;
    const found = await Promise.all(['one.com', 'two.com', 'three.com'].map(codes));
    assert.deepEqual(found, [['DNS_MX_OK'], ['DNS_MX_OK'], ['DNS_MX_OK']]);
  });

  test('while they are the same they are looked at once in a while, however many look-ups fail', async (t) => {
    const { codes, looks } = await world(t, [NOBODY]);
    const names = Array.from({ length: 50 }, (_, index) => `acme${index}.com`);
    for (const found of await Promise.all(names.map(codes))) assert.deepEqual(found, ['DNS_BACKEND_DOWN']);
    assert.ok(looks() < names.length / 2, String(looks()));
  });

  test('whoever looks how many are of use sees the new ones, though nobody asks', async (t) => {
    const system = [NOBODY];
    const { server, routes, codes } = await world(t, system);
    assert.deepEqual(await codes('one.com'), ['DNS_BACKEND_DOWN']);
    system[0] = server.address;
    await new Promise((resolve) => { setTimeout(resolve, LIMITS.dnsServerDownMs); });
    await until(() => routes.reach().lost === 0);
    assert.deepEqual(await codes('two.com'), ['DNS_MX_OK']);
  });

  test('resolvers that the operator named stay', async (t) => {
    const { codes, looks } = await world(t, ['192.0.2.1'], [NOBODY]);
    assert.deepEqual(await codes('one.com'), ['DNS_BACKEND_DOWN']);
    assert.equal(looks(), 0);
  });
});
