import { contactFiles } from '../data/contacts.ts';
import { openDuckdb } from '../peers/duckdb.ts';
import { peerTable } from '../peers/table.ts';
import { ask, assertAgreement } from '../support/agreement.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { lakeOf, startService } from '../support/lake.ts';
import { ratio, type Report } from '../support/report.ts';
import type { Search } from '../support/searches.ts';
import { startPeer } from '../support/targets.ts';

/** With an email address in these live about four contacts in ten. */
const COUNTRIES = ['US', 'GB', 'DE', 'IN', 'FR', 'CA', 'BR', 'JP', 'ES', 'IT'];
const FACETS = ['industry', 'seniority', 'company_size'];
const TIMES = 20;

/** Facets of three filters over a large part of the rows. */
export const facetsBench: Bench = {
  summary: 'the top values of three filters over four rows in ten: against DuckDB, which counts all three in one scan',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const files = await contactFiles(options);
  const lake = await lakeOf(files);
  const service = opened.keep(await startService(lake), (one) => one.stop());
  const table = await peerTable(lake.truth, files.folder);
  const search: Search = { type: 'contacts', filters: { country: COUNTRIES, has_email: ['true'] }, limit: 1, facets: FACETS };
  const server = await startPeer('duckdb', table, files.folder);
  await assertAgreement(service, server, 'duckdb', [search]).finally(() => server.stop());
  const { total } = (await ask(service, search)).found;

  const duckdb = opened.keep(await openDuckdb(table, files.folder), (peer) => peer.close());
  const times = options.smoke ? 2 : TIMES;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= options.rounds; round += 1) {
    const lakeMs = await medianMs(times, () => ask(service, search));
    const duckdbMs = await medianMs(times, () => duckdb.find(search));
    // The first round warms both up.
    if (round > 0) { ours.push(lakeMs); theirs.push(duckdbMs); }
  }
  return {
    figures: [{ name: 'lake, over HTTP', unit: 'ms', figures: ours }, { name: 'DuckDB, in this process', unit: 'ms', figures: theirs }, ratio('lake / DuckDB, time', ours, theirs)],
    notes: [`${total.toLocaleString('en')} matches; the same values, counts and total from both`],
  };
}

async function medianMs(times: number, act: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const from = performance.now();
    await act();
    took.push(performance.now() - from);
  }
  return took.sort((a, b) => a - b)[Math.floor(times / 2)]!;
}
