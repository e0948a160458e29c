import { createServer } from 'node:http';
import { FaultProxy, NO_FAULT, type Fault } from '../../test/support/fault_proxy.ts';
import { FakeWarehouse } from '../../test/support/servers/fake_warehouse.ts';
import { seeded } from '../support/figures.ts';

/**
 * Sources that go wrong, each in its own way, and one that goes wrong in every way by turns. Arguments: port, seed, rows of each.
 * `GET /` gives the port of each source by name, `POST /NAME` with a fault as its body sets it.
 */
const [port, seed, rows] = process.argv.slice(2).map(Number);
const chance = seeded(seed!);
const TURN_MS_MIN = 250;
const TURN_MS_MAX = 750;

const FAULTS: Readonly<Record<string, Fault>> = {
  sound: NO_FAULT,
  hung: { kind: 'blackhole' },
  slow: { kind: 'latency', ms: 30, jitterMs: 200 },
  dripping: { kind: 'slice', everyMs: 5 },
  resetting: { kind: 'reset', afterBytes: 2_000 },
  restless: NO_FAULT,
};
const TURNS = Object.values(FAULTS);

const proxies = new Map<string, FaultProxy>();
for (const [name, fault] of Object.entries(FAULTS)) {
  const warehouse = await FakeWarehouse.start(name, Array.from({ length: rows! }, (_, i) => `p${String(i).padStart(6, '0')}@${i % 2 === 0 ? 'x.org' : `${name}.org`}`));
  const proxy = await FaultProxy.start(warehouse.port, seed);
  await proxy.set(fault);
  proxies.set(name, proxy);
}

function turn(): void {
  void proxies.get('restless')!.set(TURNS[Math.floor(chance() * TURNS.length)]!);
  setTimeout(turn, TURN_MS_MIN + chance() * (TURN_MS_MAX - TURN_MS_MIN));
}
turn();

createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => { body += text; }).on('end', () => {
    if (request.method === 'GET') response.end(JSON.stringify(Object.fromEntries([...proxies].map(([name, proxy]) => [name, proxy.port]))));
    else void proxies.get(request.url!.slice(1))!.set(JSON.parse(body) as Fault).then(() => response.end());
  });
}).listen(port, '127.0.0.1');

process.on('SIGTERM', () => process.exit());
