import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs } from '../../src/lib/clock.ts';
import { openValidator } from '../../src/validate/open.ts';
import { BIND_MISSING, startNamed, type RealServer } from '../../test/validate/support/named.ts';
import { keyOf, startService } from '../support/lake.ts';
import { cpuSeconds } from '../support/usage.ts';
import { hasWrk, load, postScript } from '../support/wrk.ts';
import { realistic } from './addresses.ts';

const CALL = 1_000;
const CALLS_AT_ONCE = 4;

/** Whole batches through a real name server on this machine: domains never seen before, and what is cached, in process and over HTTP. */
export async function batches(smoke: boolean): Promise<void> {
  if (BIND_MISSING !== false) return console.log(`\nbatches: ${BIND_MISSING}`);
  const server = await startNamed();
  await cold(server, smoke);
  await overHttp(server, smoke);
  await server.stop();
}

async function cold(server: RealServer, smoke: boolean): Promise<void> {
  console.log(`\ndomains not seen before a second of wall time, calls of ${CALL.toLocaleString('en')}, ${CALLS_AT_ONCE} at once; BIND beside it on this machine (median, least, most; a second of this process's CPU time; queries a domain)`);
  for (const [title, zone, found] of [['an MX that many domains share', 'wild.com', 'DNS_MX_OK'], ['no MX, so addresses and policy too', 'direct.com', 'DNS_IMPLICIT_MX']] as const) {
    const validator = openValidator({ dnsServers: [server.address], smtp: false, validatorUrl: null, listsDir: null });
    const rounds = smoke ? 1 : 7;
    const calls = smoke ? 1 : 2 * CALLS_AT_ONCE;
    const rates: number[] = [];
    const perCpu: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const startMs = performance.now();
      const before = process.cpuUsage();
      let next = 0;
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, async () => {
        for (let call = next++; call < calls; call = next++) {
          const addresses = Array.from({ length: CALL }, (_, index) => `jane@d${round}-${call}-${index}.${zone}`);
          const { results } = await validator.validate(addresses, { stages: null, deadlineMs: monotonicMs() + 60_000 });
          if (results.some(({ reason }) => reason !== found)) throw new Error('a domain was not resolved');
        }
      }));
      const { user, system } = process.cpuUsage(before);
      if (round > 0 || smoke) {
        rates.push(calls * CALL / (performance.now() - startMs) * 1_000);
        perCpu.push(calls * CALL / ((user + system) / 1e6));
      }
    }
    const each = validator.metrics().dnsQueries / ((rounds + 1) * calls * CALL);
    validator.close();
    console.log(`  ${title.padEnd(36)} ${spread(rates)}  (${middle(perCpu)}; ${each.toFixed(2)})`);
  }
}

async function overHttp(server: RealServer, smoke: boolean): Promise<void> {
  if (!hasWrk()) return console.log('\nbatches over HTTP: wrk is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'lds-bench-email-'));
  const key = keyOf(folder);
  const service = await startService({ dataDir: folder, key }, { dns_servers: [server.address] });
  console.log(`\nbatches of ${CALL.toLocaleString('en')} over HTTP with warm caches, 500 domains, addresses a second of wall time (median, least, most; a second of the gateway's CPU time)`);
  try {
    for (const [title, addresses, accept] of overHttpRuns()) {
      const headers = { authorization: `Bearer ${key}`, accept, 'content-type': 'application/json' };
      const url = service.find.replace('/v1/find', '/v1/email/validate');
      const body = JSON.stringify({ emails: addresses });
      const script = postScript({ folder, name: title.replaceAll(/\W+/g, '-'), bodies: [body], headers, smoke });
      const one = () => load({ url, pid: service.pid, connections: 2, seconds: smoke ? 1 : 2, script });
      // However long the first look at all domains takes. A load holds this process up: a connection that was closed meanwhile must not be used again.
      await (await fetch(url, { method: 'POST', headers: { ...headers, connection: 'close' }, body })).arrayBuffer();
      one();
      const rates: number[] = [];
      const perCpu: number[] = [];
      for (let round = 0; round < (smoke ? 1 : 7); round++) {
        const before = cpuSeconds(service.pid);
        const startMs = performance.now();
        const rate = one().requestsPerSecond * CALL;
        perCpu.push(rate * (performance.now() - startMs) / 1_000 / (cpuSeconds(service.pid) - before));
        rates.push(rate);
      }
      console.log(`  ${title.padEnd(36)} ${spread(rates)}  (${middle(perCpu)})`);
    }
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The same kind of address at 500 domains, and a list as they occur: a third at large providers, tags, a few that are no addresses. */
function overHttpRuns(): (readonly [title: string, addresses: readonly string[], accept: string])[] {
  const alike = Array.from({ length: CALL }, (_, index) => `jane${index}@d0-${index % 500}.wild.com`);
  const mixed = realistic(CALL, 500).map((address) => address.replace(/company-(\d+)\.com$/, 'd0-$1.wild.com'));
  return [['JSON', 'application/json'] as const, ['NDJSON', 'application/x-ndjson'] as const]
    .flatMap(([form, accept]) => [[`${form}, alike`, alike, accept], [`${form}, as lists hold them`, mixed, accept]] as const);
}

/** Median, least, most. */
export function spread(figures: readonly number[]): string {
  const sorted = figures.toSorted((a, b) => a - b);
  return [sorted[sorted.length >> 1]!, sorted[0]!, sorted.at(-1)!].map((figure) => whole(figure).padStart(9)).join(' ');
}

function middle(figures: readonly number[]): string {
  return whole(figures.toSorted((a, b) => a - b)[figures.length >> 1]!);
}

function whole(figure: number): string {
  return Math.round(figure).toLocaleString('en');
}
