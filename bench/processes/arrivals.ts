import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type OnReadOpts, type Socket } from 'node:net';
import { quantile } from '../support/figures.ts';
import type { ArrivalsOrder, ArrivalsResult } from '../support/open_loop.ts';

/**
 * Requests at fixed times, whatever the server does: each is timed from when it was to be sent, so that a server that stalls is charged
 * for all who came meanwhile. `rate` 0 sends as fast as answers come instead, to find out how much there is. The order is the one argument;
 * SIGTERM ends the sending before its time.
 */
const order = JSON.parse(process.argv[2]!) as ArrivalsOrder;
const bodies = readFileSync(order.bodiesFile, 'utf8').trimEnd().split('\n');
/** What each request was given; not a number where it was given none. */
const budgetsMs = Float64Array.from(bodies, (body) => (JSON.parse(body) as { timeout_ms?: number }).timeout_ms ?? Number.NaN);
const requests = makeRequests(bodies.splice(0));

const READ_BYTES = 256 * 1_024;
const HEAD_BYTES_MAX = 4_096;
const DRAIN_MS_MAX = 20_000;
/** Up to so many a second a timer does, which sends some at once each millisecond: who spins takes a processor from the server. */
const TIMED_RATE_MAX = 50_000;
const OK = Buffer.from('HTTP/1.1 200');
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** Numbers without an object each: a sender that collects garbage is late. */
class Numbers {
  #items = new Float64Array(65_536);
  #length = 0;

  push(item: number): void {
    if (this.#length === this.#items.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.#length++] = item;
  }

  view(): Float64Array {
    return this.#items.subarray(0, this.#length);
  }
}

const latenciesMs = new Numbers();
const oversMs = new Numbers();
/** When each was to be sent, on this process's clock. */
const intendedAtMs = new Numbers();
let failed = 0;
/** The first line of the first answer that was none. */
let firstFailure: string | null = null;
let at = Math.floor(requests.count * Math.random());
let lateMsMax = 0;
const idle: Client[] = [];
/** When those requests were to be sent that found no connection. */
const waiting: number[] = [];
let waitingFrom = 0;

/** All of them one behind the other: as objects of their own they would be walked by every full collection, for tens of milliseconds. */
function makeRequests(texts: readonly string[]): { readonly count: number; bytes(at: number): Buffer } {
  const each = texts.map((body) => Buffer.from(
    `POST ${order.path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${order.key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`));
  const ends = new Float64Array(each.length);
  each.forEach(({ length }, one) => { ends[one] = (ends[one - 1] ?? 0) + length; });
  const all = Buffer.concat(each);
  return { count: each.length, bytes: (one) => all.subarray(ends[one - 1] ?? 0, ends[one]) };
}

class Client {
  readonly #socket: Socket;
  #intendedMs = 0;
  #budgetMs = Number.NaN;
  #left = -1;
  #done = false;
  #head = Buffer.alloc(0);

  constructor(ready: () => void) {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const onread: OnReadOpts = { buffer, callback: (bytes) => { this.#read(buffer.subarray(0, bytes)); return true; } };
    this.#socket = connect({ host: '127.0.0.1', port: order.port, noDelay: true, onread }, ready);
    this.#socket.on('error', (error) => { throw error; });
    this.#socket.on('close', () => { if (!this.#done) throw new Error(`the server closed a connection ${idle.includes(this) ? 'that was idle' : 'with a request under way'}`); });
  }

  send(intendedMs: number): void {
    this.#intendedMs = intendedMs;
    if (intendedMs >= measuredFromMs) lateMsMax = Math.max(lateMsMax, performance.now() - intendedMs);
    at = (at + 1) % requests.count;
    this.#budgetMs = budgetsMs[at]!;
    this.#socket.write(requests.bytes(at));
  }

  close(): void {
    this.#done = true;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#left >= 0) this.#left -= bytes.length;
    else {
      const head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
      const end = head.indexOf(END_OF_HEAD);
      if (end < 0 && head.length < HEAD_BYTES_MAX) {
        this.#head = Buffer.from(head);
        return;
      }
      const length = /content-length: (\d+)/i.exec(head.toString('latin1', 0, end));
      if (end < 0 || length === null) throw new Error('an answer without a length');
      if (head.compare(OK, 0, OK.length, 0, OK.length) !== 0) {
        failed += 1;
        firstFailure ??= head.toString('latin1', 0, head.indexOf('\r'));
      }
      this.#head = Buffer.alloc(0);
      this.#left = Number(length[1]) - (head.length - end - END_OF_HEAD.length);
    }
    if (this.#left > 0) return;
    this.#left = -1;
    const tookMs = performance.now() - this.#intendedMs;
    if (this.#intendedMs >= measuredFromMs) {
      latenciesMs.push(tookMs);
      intendedAtMs.push(this.#intendedMs);
      if (!Number.isNaN(this.#budgetMs)) oversMs.push(tookMs - this.#budgetMs);
    }
    next(this);
  }
}

/** Whoever has waited longest goes first. */
function next(client: Client): void {
  if (waitingFrom < waiting.length) client.send(waiting[waitingFrom++]!);
  else if (order.rate === 0 && performance.now() < endMs) client.send(performance.now());
  else idle.push(client);
}

const clients: Client[] = [];
for (let made = 0; made < order.connections; made += 1) await new Promise<void>((resolve) => { clients.push(new Client(resolve)); });

const beginMs = performance.now();
const measuredFromMs = beginMs + (order.warmSeconds ?? 0) * 1_000;
let endMs = measuredFromMs + order.seconds * 1_000;
process.on('SIGTERM', () => { endMs = Math.min(endMs, performance.now()); });
idle.push(...clients);
if (order.rate === 0) for (const client of idle.splice(0)) client.send(performance.now());
else arrive(0);
await drained();

function arrive(sent: number): void {
  const due = Math.floor(((Math.min(performance.now(), endMs) - beginMs) * order.rate) / 1_000);
  for (let each = sent; each < due; each += 1) {
    const intendedMs = beginMs + (each * 1_000) / order.rate;
    // In turn, so that the server finds none of them idle.
    const client = idle.shift();
    if (client === undefined) waiting.push(intendedMs);
    else client.send(intendedMs);
  }
  if (performance.now() >= endMs) return;
  if (order.rate <= TIMED_RATE_MAX) setTimeout(arrive, 1, due);
  else setImmediate(arrive, due);
}

async function drained(): Promise<void> {
  while (performance.now() < endMs || idle.length < clients.length) {
    if (performance.now() > endMs + DRAIN_MS_MAX) throw new Error(`${clients.length - idle.length} requests were not answered within ${DRAIN_MS_MAX / 1_000} s`);
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}

for (const client of clients) client.close();
const sorted = latenciesMs.view().toSorted();
const overs = oversMs.view().toSorted();
const result: ArrivalsResult = {
  answered: sorted.length, failed, firstFailure, requestsPerSecond: (sorted.length * 1_000) / (endMs - measuredFromMs),
  p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), p999Ms: quantile(sorted, 0.999), lateMsMax,
  over: overs.length === 0 ? null : { p99Ms: quantile(overs, 0.99), p999Ms: quantile(overs, 0.999), mostMs: overs.at(-1)! },
};
if (order.samplesFile !== undefined) {
  const [atMs, tookMs] = [intendedAtMs.view(), latenciesMs.view()];
  const samples = Float64Array.from({ length: 2 * tookMs.length }, (_, i) => (i % 2 === 0 ? performance.timeOrigin + atMs[i >> 1]! : tookMs[i >> 1]!));
  writeFileSync(order.samplesFile, Buffer.from(samples.buffer));
}
console.log(JSON.stringify(result));
