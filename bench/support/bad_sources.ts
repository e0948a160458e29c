import type { Fault } from '../../test/support/fault_proxy.ts';
import { freePort } from '../../test/support/ports.ts';
import { contactFiles } from '../data/contacts.ts';
import type { BenchOptions, Opened } from './bench.ts';
import { lakeOf, SOURCE, startService, type Service } from './lake.ts';
import { startScript } from './processes.ts';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, '../servers/bad_sources.js');
const ROWS_EACH = 2_000;

/** The service over the lake of the benches and the sources of `servers/bad_sources`. */
export type BadDay = { readonly service: Service; readonly sources: readonly string[]; set(source: string, fault: Fault): Promise<void> };

export async function badDay(options: BenchOptions, opened: Opened): Promise<BadDay> {
  const control = `http://127.0.0.1:${await freePort()}/`;
  opened.keep(await startScript(SCRIPT, [new URL(control).port, String(options.seed), String(ROWS_EACH)], {}, control), ({ stop }) => stop());
  const ports = await (await fetch(control)).json() as Record<string, number>;
  const remote = Object.entries(ports).map(([name, port]) => ({ name, dataset: 'contacts', kind: 'clickhouse', url: `http://127.0.0.1:${port}`, table: 'people' }));
  const lake = await lakeOf(await contactFiles(options));
  const service = opened.keep(await startService(lake, { sources: [{ name: SOURCE, dataset: 'contacts', kind: 'lake' }, ...remote] }), (one) => one.stop());
  return {
    service,
    sources: Object.keys(ports),
    set: async (source, fault) => { await fetch(`${control}${source}`, { method: 'POST', body: JSON.stringify(fault) }); },
  };
}

/** Waits until the service says so of a source. */
export async function untilStatus(service: Service, source: string, status: string): Promise<void> {
  for (;;) {
    const answer = await fetch(new URL('/v1/sources', service.find), { headers: { authorization: `Bearer ${service.key}` } });
    const { sources } = await answer.json() as { sources: { name: string; status: string }[] };
    if (sources.find(({ name }) => name === source)?.status === status) return;
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
}
