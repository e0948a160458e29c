import { openLists } from '../../src/validate/lists/lists.ts';
import { Screen } from '../../src/validate/screen.ts';
import { readAddress } from '../../src/validate/syntax/address.ts';
import { agreed, hard, realistic } from './addresses.ts';
import { batches, spread } from './batches.ts';
import { openPeers, type Peer } from './peers.ts';

/** Email validation beside its peers: accuracy, the stages without network, and whole batches with warm and cold caches. */
export async function email(smoke: boolean): Promise<void> {
  const peers: Peer[] = [{ name: 'this service', accepts: (address) => readAddress(address).ok }, ...openPeers()];
  if (peers.length === 1) console.log('no peers: LDS_BENCH_PEERS names a folder with validator, @hapi/address, isemail, deep-email-validator and zod installed\n');
  accuracy(peers);
  const count = smoke ? 2_000 : 100_000;
  console.log('\nsyntax, addresses a second of CPU time: realistic, then odd ones (median, least, most)');
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

/** CPU time rather than wall time: neighbours on the machine do not count. Median, least and most of seven rounds after one to warm up. */
function cpuRate(addresses: readonly string[], work: (address: string) => unknown): string {
  const rates: number[] = [];
  for (let round = 0; round < 8; round++) {
    const before = process.cpuUsage();
    for (const address of addresses) work(address);
    const { user, system } = process.cpuUsage(before);
    if (round > 0) rates.push(addresses.length / ((user + system) / 1e6));
  }
  return spread(rates);
}
