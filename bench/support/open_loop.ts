import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beginScript, capture } from './processes.ts';

/** `rate` in requests a second, fixed whatever the server does; 0 for as many as it answers. */
export type ArrivalsOrder = {
  readonly port: number; readonly path: string; readonly key: string;
  readonly bodiesFile: string; readonly connections: number; readonly seconds: number; readonly rate: number;
  /** At first, while the sender itself is compiled: what is sent then is not measured. */
  readonly warmSeconds?: number;
  /** Where each request's time of intended sending, in milliseconds since 1970, and its latency are written: pairs of Float64. */
  readonly samplesFile?: string;
};

/** Of one request. */
export type Sample = { readonly atMs: number; readonly latencyMs: number };

/** Latencies from the intended sending. `lateMsMax`: by how much a request was sent too late at most, for want of a connection or of time. */
export type ArrivalsResult = {
  readonly answered: number; readonly failed: number; readonly firstFailure: string | null; readonly requestsPerSecond: number;
  readonly p50Ms: number; readonly p99Ms: number; readonly p999Ms: number; readonly lateMsMax: number;
  /** By how much the `timeout_ms` of the bodies was overrun, less than nothing where it was not; null where they have none. */
  readonly over: { readonly p99Ms: number; readonly p999Ms: number; readonly mostMs: number } | null;
};

const ARRIVALS = join(import.meta.dirname, '../processes/arrivals.js');

/** Runs in a process of its own: the garbage and the turns of this one are not the server's fault. */
export function arrivals(order: ArrivalsOrder): ArrivalsResult {
  return resultOf(capture(ARRIVALS, [JSON.stringify(order)], {}));
}

/** Sends while this process does something else, until it is stopped. */
export function beginArrivals(order: Omit<ArrivalsOrder, 'seconds'> & { readonly samplesFile: string }): { stop(): Promise<readonly Sample[]> } {
  const { ended, stop } = beginScript(ARRIVALS, [JSON.stringify({ ...order, seconds: UNTIL_STOPPED_SECONDS })], {});
  return {
    stop: async () => {
      stop();
      resultOf(await ended);
      return samplesOf(order.samplesFile);
    },
  };
}

const UNTIL_STOPPED_SECONDS = 86_400;

function samplesOf(file: string): Sample[] {
  const bytes = readFileSync(file);
  const pairs = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return Array.from({ length: pairs.length / 2 }, (_, i) => ({ atMs: pairs[2 * i]!, latencyMs: pairs[2 * i + 1]! }));
}

function resultOf(text: string): ArrivalsResult {
  const result = JSON.parse(text) as ArrivalsResult;
  if (result.failed > 0) throw new Error(`${result.failed} of ${result.answered} requests failed, the first with ${result.firstFailure}`);
  return result;
}
