import { contactFiles } from '../data/contacts.ts';
import { PEERS } from '../peers/peer.ts';
import { peerTable } from '../peers/table.ts';
import { assertAgreement } from '../support/agreement.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { lakeOf, startService } from '../support/lake.ts';
import { ratio, type Figures, type Report } from '../support/report.ts';
import { sampleOf, textSearches, type TextKind } from '../support/searches.ts';
import { startPeer, type PostTarget } from '../support/targets.ts';
import { load, postScript } from '../support/wrk.ts';

const KINDS: readonly TextKind[] = ['word', 'prefix', 'phrase'];
const SEARCHES_SEED = 11;
const SEARCHES_MAX = 20_000;
const CONNECTIONS = 16;
const PEER_CONNECTIONS = 2;
const COMPARED = 60;

/** Free text in a country, with the exact total. */
export const wordsBench: Bench = {
  summary: 'a word, a prefix, a phrase in a country, exact total: against the scans of DuckDB and ClickHouse, and the full-text index of SQLite',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const files = await contactFiles(options);
  const lake = await lakeOf(files);
  const service = opened.keep(await startService(lake), (one) => one.stop());
  const sample = await sampleOf(lake.truth, files.folder);
  const table = await peerTable(lake.truth, files.folder);
  const peers: PostTarget[] = [];
  for (const name of PEERS) peers.push(opened.keep(await startPeer(name, table, files.folder), ({ stop }) => stop()));
  const figures: Figures[] = [];
  for (const kind of KINDS) {
    const searches = textSearches(sample, Math.min(SEARCHES_MAX, options.searches), SEARCHES_SEED, kind);
    for (const [at, peer] of peers.entries()) await assertAgreement(service, peer, PEERS[at]!, searches.slice(0, options.smoke ? 8 : COMPARED));
    const script = postScript({ folder: opened.folder, name: kind, bodies: searches.map((search) => JSON.stringify(search)), headers: { authorization: `Bearer ${lake.key}` }, smoke: options.smoke });
    const contenders = [{ url: service.find, pid: service.pid, connections: CONNECTIONS }, ...peers.map(({ find, pid }) => ({ url: find, pid, connections: PEER_CONNECTIONS }))];
    // As long as a round: where the tables of all are more than the page cache holds, what the last one read has driven out the others'.
    if (!options.smoke) for (const target of contenders) load({ ...target, script, seconds: options.seconds });
    const measured = Array.from({ length: options.rounds }, () => contenders.map((target) => load({ ...target, script, seconds: options.seconds }).requestsPerSecond));
    const of = (at: number): number[] => measured.map((round) => round[at]!);
    figures.push({ name: `${kind}: lake`, unit: 'requests/s', figures: of(0) }, ...PEERS.map((name, at) => ratio(`${kind}: lake / ${name}`, of(0), of(at + 1))));
  }
  return { figures, notes: ['the peers hold the words folded and gave the same rows and totals to a sample'] };
}
