import { createServer } from 'node:http';
import { FakeWarehouse } from '../../test/support/servers/fake_warehouse.ts';
import { seeded } from '../support/figures.ts';

/**
 * A server that is slow for a share of its answers, alone, and another such beside one that is not: `alone`, `first`, `second`. Arguments:
 * port, seed, rows of each, the share, and how long an answer takes mostly and where it is slow, in ms. `GET /` gives the port of each by
 * name, `GET /asked` how many searches each was sent.
 */
const [port, seed, rows, slowShare, usualMs, slowMs] = process.argv.slice(2).map(Number);
const emails = Array.from({ length: rows! }, (_, i) => `p${String(i).padStart(6, '0')}@x.org`);

const servers = new Map<string, FakeWarehouse>();
for (const [at, name] of ['alone', 'first', 'second'].entries()) {
  const chance = seeded(seed! + at);
  const server = await FakeWarehouse.start(name, emails);
  server.heldMs = () => (name !== 'second' && chance() < slowShare! ? slowMs! : usualMs!);
  servers.set(name, server);
}

const tell = (of: (server: FakeWarehouse) => number): string => JSON.stringify(Object.fromEntries([...servers].map(([name, server]) => [name, of(server)])));

createServer((request, response) => { response.end(tell(request.url === '/asked' ? ({ scans }) => scans : (server) => server.port)); }).listen(port, '127.0.0.1');

process.on('SIGTERM', () => process.exit());
