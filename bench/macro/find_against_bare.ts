import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded, show, spreadOf } from '../support/figures.ts';
import { freePort } from '../../test/support/ports.ts';
import { capture, startScript, type Running } from '../support/processes.ts';
import { load, postScript, type Measured } from '../support/wrk.ts';

const MAIN = join(import.meta.dirname, '../../src/main.js');
const BARE = join(import.meta.dirname, '../servers/bare.js');
const COUNTRIES = ['US', 'GB', 'DE', 'FR', 'IN', 'BR', 'CA', 'ES', 'IT', 'NL', 'AU', 'JP', 'PL', 'SE', 'MX'];
const SENIORITIES = ['c_suite', 'vp', 'director', 'manager', 'senior', 'entry'];

type Options = { readonly rounds: number; readonly seconds: number; readonly connections: number };

/**
 * `/v1/find` over the demonstration lake, 25 rows with the exact total, against bare uWS sending a constant of the same size.
 * The two run in turns, so that the ratio holds when the machine's speed drifts.
 */
export async function findAgainstBare({ rounds, seconds, connections }: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lds-bench-'));
  const running: Running[] = [];
  try {
    const env = { LDS_DATA_DIR: join(folder, 'data'), LDS_PORT: String(await freePort()) };
    const service = await startScript(MAIN, ['serve'], env, `http://127.0.0.1:${env.LDS_PORT}/health`);
    running.push(service);
    const key = capture(MAIN, ['keys', 'create', '--account', 'bench@localhost', '--plan', 'unlimited'], env);
    const find = `http://127.0.0.1:${env.LDS_PORT}/v1/find`;
    const bodies = randomSearches(5_000);
    const bytes = await meanBytes(find, key, bodies.slice(0, 100));

    const barePort = await freePort();
    running.push(await startScript(BARE, [String(barePort), String(bytes)], {}, `http://127.0.0.1:${barePort}/`));
    const script = postScript(folder, bodies, { authorization: `Bearer ${key}` });
    report(bytes, rounds, measure(rounds, [`http://127.0.0.1:${barePort}/`, find], { seconds, connections, script }));
  } finally {
    for (const one of running) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function randomSearches(count: number): string[] {
  const random = seeded(7);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  return Array.from({ length: count }, () => JSON.stringify({
    type: 'contacts',
    filters: { country: [pick(COUNTRIES)], seniority: [pick(SENIORITIES)], has_email: ['true'] },
    sources: { only: ['demo-crm'] },
    limit: 25,
  }));
}

async function meanBytes(url: string, key: string, bodies: readonly string[]): Promise<number> {
  let sum = 0;
  for (const body of bodies) {
    const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });
    if (answer.status !== 200) throw new Error(`a search was answered ${answer.status}: ${await answer.text()}`);
    sum += (await answer.arrayBuffer()).byteLength;
  }
  return Math.round(sum / bodies.length);
}

function measure(rounds: number, urls: readonly string[], options: { seconds: number; connections: number; script: string }): Measured[][] {
  for (const url of urls) load({ ...options, url, seconds: 1 });
  return Array.from({ length: rounds }, () => urls.map((url) => load({ ...options, url })));
}

function report(bytes: number, rounds: number, measured: readonly (readonly Measured[])[]): void {
  const failed = measured.flat().reduce((sum, one) => sum + one.failed, 0);
  console.log(`answers of ${bytes} bytes, ${rounds} rounds, median (least to most)`);
  console.log(`  bare uWS      ${show(spreadOf(measured.map(([bare]) => bare!.requestsPerSecond)))} requests/s`);
  console.log(`  /v1/find      ${show(spreadOf(measured.map(([, find]) => find!.requestsPerSecond)))} requests/s, p99 ${show(spreadOf(measured.map(([, find]) => find!.p99Ms)), 1)} ms`);
  console.log(`  ratio         ${show(spreadOf(measured.map(([bare, find]) => find!.requestsPerSecond / bare!.requestsPerSecond)), 3)}`);
  if (failed > 0) throw new Error(`${failed} requests failed`);
}
