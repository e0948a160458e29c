import { deadlineAfter, openValidator } from '../../src/validate/open.ts';
import { openLists } from '../../src/validate/lists/lists.ts';
import { Screen } from '../../src/validate/screen.ts';
import { readAddress } from '../../src/validate/syntax/address.ts';
import { BIND_MISSING, startNamed } from '../../test/validate/support/named.ts';
import { agreed, hard, realistic } from './addresses.ts';
import { openPeers, type Peer } from './peers.ts';

/** Email validation beside its peers: accuracy, the stages without network, and whole batches with warm and cold caches. */
export async function email(smoke: boolean): Promise<void> {
  const peers: Peer[] = [{ name: 'this service', accepts: (address) => readAddress(address).ok }, ...openPeers()];
  if (peers.length === 1) console.log('no peers: LDS_BENCH_PEERS names a folder with validator, @hapi/address, isemail, deep-email-validator and zod installed\n');
  accuracy(peers);
  const count = smoke ? 2_000 : 100_000;
  console.log('\nsyntax, addresses a second of CPU time      realistic         hard');
  for (const { name, accepts } of peers) console.log(`  ${name.padEnd(36)} ${cpuRate(realistic(count, 500), accepts)} ${cpuRate(hard(count), accepts)}`);
  const screen = new Screen(openLists());
  console.log(`\nsyntax, domain and lists, addresses a second of CPU time\n  500 domains                          ${cpuRate(realistic(count, 500), (address) => screen.screen(address))}`);
  console.log(`  each domain new                      ${cpuRate(realistic(count, count), (address) => screen.screen(address))}`);
  await batches(smoke);
}

function accuracy(peers: readonly Peer[]): void {
  const cases = agreed();
  console.log(`accuracy on ${cases.length} addresses of other validators' suites (false accepts / false rejects)`);
  for (const { name, accepts } of peers) {
    const accepted = cases.filter(({ email, valid }) => !valid && accepts(email)).length;
    const rejected = cases.filter(({ email, valid }) => valid && !accepts(email)).length;
    console.log(`  ${name.padEnd(36)} ${(100 * (1 - (accepted + rejected) / cases.length)).toFixed(1).padStart(6)} %  (${accepted}/${rejected})`);
  }
}

/** CPU time rather than wall time: neighbours on the machine do not count. The best of five rounds after one to warm up. */
function cpuRate(addresses: readonly string[], work: (address: string) => unknown): string {
  let best = 0;
  for (let round = 0; round < 6; round++) {
    const before = process.cpuUsage();
    for (const address of addresses) work(address);
    const { user, system } = process.cpuUsage(before);
    if (round > 0) best = Math.max(best, addresses.length / ((user + system) / 1e6));
  }
  return Math.round(best).toLocaleString('en').padStart(12);
}

async function batches(smoke: boolean): Promise<void> {
  if (BIND_MISSING !== false) return console.log(`\nbatches: ${BIND_MISSING}`);
  const server = await startNamed();
  const validator = openValidator({ dnsServers: [server.address], smtp: false, validatorUrl: null, listsDir: null });
  const validate = (addresses: readonly string[]) => validator.validate(addresses, { stages: null, deadlineMs: deadlineAfter(60_000) });
  const distinct = (round: number, count: number): string[] => Array.from({ length: count }, (_, index) => `jane@d${round}-${index}.wild.com`);
  const rounds = smoke ? 2 : 6;
  const size = smoke ? 500 : 5_000;
  console.log(`\nbatches through ${size.toLocaleString('en')} domains not seen before, domains a second of wall time; the resolver beside it on this machine`);
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    await validate(distinct(round, size));
    console.log(`  round ${round + 1}                              ${Math.round(size / (performance.now() - startMs) * 1_000).toLocaleString('en').padStart(12)}`);
  }
  const batch = Array.from({ length: 1_000 }, (_, index) => `jane${index}@d0-${index % 500}.wild.com`);
  await validate(batch);
  const queriesBefore = validator.metrics().dnsQueries;
  let best = 0;
  for (let round = 0; round < (smoke ? 3 : 200); round++) {
    const before = process.cpuUsage();
    for (let times = 0; times < 5; times++) await validate(batch);
    const { user, system } = process.cpuUsage(before);
    best = Math.max(best, 5 * batch.length / ((user + system) / 1e6));
  }
  console.log(`\nbatches of 1,000 with warm caches, addresses a second of CPU time\n  500 domains                          ${Math.round(best).toLocaleString('en').padStart(12)}  (${validator.metrics().dnsQueries - queriesBefore} queries)`);
  validator.close();
  await server.stop();
}
