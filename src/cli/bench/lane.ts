import type { IncomingHttpHeaders } from 'node:http';
import { Client, type Dispatcher } from 'undici';
import { LIMITS } from '../../config/limits.ts';
import { failureOf, readAnswer, type Outcome } from './answer.ts';
import type { Measured } from './tally.ts';

export type Gateway = { readonly base: string; readonly key: string };

const PATH = '/v1/find';

/** One connection, opened when it is first used and again when it was closed: one search at a time, its answer read to the end and dropped but for its tail. */
export class Lane {
  readonly #client: Client;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ base, key }: Gateway) {
    this.#client = new Client(new URL(base).origin, { pipelining: 1, headersTimeout: LIMITS.benchAnswerMsMax, bodyTimeout: LIMITS.benchAnswerMsMax });
    this.#headers = { accept: 'application/json', authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  }

  /** Timed from `dueMs`. `done` is called once, in a later turn. */
  send(body: Buffer, dueMs: number, done: (measured: Measured) => void): void {
    this.#client.dispatch({ method: 'POST', path: PATH, headers: this.#headers, body }, new Reading(dueMs, done));
  }

  /** An answer under way is cut. */
  close(): void {
    void this.#client.destroy();
  }
}

class Reading implements Dispatcher.DispatchHandler {
  readonly #dueMs: number;
  readonly #done: (measured: Measured) => void;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;

  constructor(dueMs: number, done: (measured: Measured) => void) {
    this.#dueMs = dueMs;
    this.#done = done;
  }

  /** By this one undici knows which form of handlers it has. */
  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#tailBytes += chunk.length;
    this.#tail.push(chunk);
    while (this.#tailBytes - this.#tail[0]!.length >= LIMITS.benchTailBytesMax) this.#tailBytes -= this.#tail.shift()!.length;
  }

  onResponseEnd(): void {
    const latencyMs = performance.now() - this.#dueMs;
    this.#tell(readAnswer(this.#status, this.#tail.length === 1 ? this.#tail[0]! : Buffer.concat(this.#tail)), latencyMs);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#tell(failureOf(error), performance.now() - this.#dueMs);
  }

  #tell(outcome: Outcome, latencyMs: number): void {
    this.#done({
      outcome, latencyMs, bytes: this.#bytes,
      units: numberOf(this.#headers['x-units-charged']) ?? 0,
      unitsRemaining: numberOf(this.#headers['x-units-remaining']),
    });
  }
}

export function numberOf(header: string | readonly string[] | null | undefined): number | null {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
}
