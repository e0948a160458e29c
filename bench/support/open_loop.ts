import { join } from 'node:path';
import { capture, captureBeside } from './processes.ts';

/** `rate` in requests a second, fixed whatever the server does; 0 for as many as it answers. */
export type ArrivalsOrder = { readonly port: number; readonly path: string; readonly key: string; readonly bodiesFile: string; readonly connections: number; readonly seconds: number; readonly rate: number;
  /** At first, while the sender itself is compiled: what is sent then is not measured. */
  readonly warmSeconds?: number;
};

/** Latencies from the intended sending. `lateMsMax`: by how much a request was sent too late at most, for want of a connection or of time. */
export type ArrivalsResult = {
  readonly answered: number; readonly failed: number; readonly requestsPerSecond: number;
  readonly p50Ms: number; readonly p99Ms: number; readonly p999Ms: number; readonly lateMsMax: number;
  /** By how much the `timeout_ms` of the bodies was overrun, less than nothing where it was not; null where they have none. */
  readonly over: { readonly p99Ms: number; readonly p999Ms: number; readonly mostMs: number } | null;
};

const ARRIVALS = join(import.meta.dirname, '../processes/arrivals.js');

/** Runs in a process of its own: the garbage and the turns of this one are not the server's fault. */
export function arrivals(order: ArrivalsOrder): ArrivalsResult {
  return resultOf(capture(ARRIVALS, [JSON.stringify(order)], {}));
}

/** While this process does something else, such as sending others. */
export async function arrivalsBeside(order: ArrivalsOrder): Promise<ArrivalsResult> {
  return resultOf(await captureBeside(ARRIVALS, [JSON.stringify(order)], {}));
}

function resultOf(text: string): ArrivalsResult {
  const result = JSON.parse(text) as ArrivalsResult;
  if (result.failed > 0) throw new Error(`${result.failed} of ${result.answered} requests failed`);
  return result;
}
