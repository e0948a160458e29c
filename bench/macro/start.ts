import { freePort } from '../../test/support/ports.ts';
import { spawn } from 'node:child_process';
import { contactFiles } from '../data/contacts.ts';
import type { Bench, BenchOptions } from '../support/bench.ts';
import { lakeOf, MAIN, type BenchLake } from '../support/lake.ts';
import { ENDS_WITH_BENCH, hasEnded, plainEnv, stopChild } from '../support/processes.ts';
import type { Report } from '../support/report.ts';

const SEARCH = JSON.stringify({ type: 'contacts', filters: { country: ['US'], has_email: ['true'] } });
const POLL_MS = 5;
const MS_MAX = 600_000;

/** From the start of the process to the first answer with rows. The files are in the page cache from the second round on. */
export const startBench: Bench = { summary: 'start of the service to the first answer with rows', run };

async function run(options: BenchOptions): Promise<Report> {
  const lake = await lakeOf(await contactFiles(options));
  const figures: number[] = [];
  for (let round = 0; round < options.rounds; round += 1) figures.push(await firstAnswerMs(lake));
  return { figures: [{ name: 'start to first answer', unit: 'ms', figures }], notes: [] };
}

async function firstAnswerMs({ dataDir, key }: BenchLake): Promise<number> {
  const port = await freePort();
  const from = performance.now();
  const child = spawn(process.execPath, [...ENDS_WITH_BENCH, MAIN, 'serve'], { env: plainEnv({ LDS_DATA_DIR: dataDir, LDS_PORT: String(port) }), stdio: ['pipe', 'ignore', 'ignore'] });
  try {
    while (performance.now() - from < MS_MAX && !hasEnded(child)) {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/find`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: SEARCH }).catch(() => null);
      const text = await answer?.text();
      if (answer?.status === 200 && (JSON.parse(text!) as { returned: number }).returned > 0) return performance.now() - from;
      await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    }
    throw new Error(hasEnded(child) ? `the service ended with ${child.exitCode ?? child.signalCode}` : `no answer within ${MS_MAX / 1_000} s`);
  } finally {
    await stopChild(child);
  }
}
