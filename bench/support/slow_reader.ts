import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownBytes } from './usage.ts';

const READS_PER_SECOND = 20;
const SAMPLE_READS = 4;

function streamOf(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } }, resolve).on('error', reject).end(body);
  });
}

/** Milliseconds from the sending of a search to its first whole row. */
export async function firstRowMs(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  const from = performance.now();
  const stream = await streamOf(url, headers, body);
  for await (const bytes of stream) if ((bytes as Buffer).includes('\n')) break;
  return performance.now() - from;
}

/** How far the memory of a server grows beyond what it had, while a reader takes `bytesPerSecond` of its stream for so long. */
export async function grownBytes(
  url: string, headers: Readonly<Record<string, string>>, body: string,
  reading: { readonly pid: number; readonly seconds: number; readonly bytesPerSecond: number },
): Promise<number> {
  const before = ownBytes(reading.pid);
  const stream = await streamOf(url, headers, body);
  const step = Math.ceil(reading.bytesPerSecond / READS_PER_SECOND);
  let most = before;
  for (let read = 0; read < reading.seconds * READS_PER_SECOND; read += 1) {
    stream.read(Math.min(step, stream.readableLength));
    if (read % SAMPLE_READS === 0) most = Math.max(most, ownBytes(reading.pid));
    await sleep(1_000 / READS_PER_SECOND);
  }
  stream.destroy();
  return most - before;
}
