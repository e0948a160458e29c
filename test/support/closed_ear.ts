import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { pause } from './runners.ts';

type Order = { readonly port: number; readonly shared: SharedArrayBuffer };

/** What waits to be taken at most, and one more: the kernel lets no other connection come about. */
const BACKLOG = 1;
/** On the loopback a connection comes about at once or not at all. */
const HANGS_MS = 250;

/**
 * Listens on a port and takes no connection: its thread sleeps. The few that the kernel lets wait are its own, so that all others hang
 * before they are connected.
 */
export class ClosedEar {
  readonly #thread: Worker;
  readonly #shared: SharedArrayBuffer;
  readonly #fillers: Socket[] = [];

  private constructor(thread: Worker, shared: SharedArrayBuffer) {
    this.#thread = thread;
    this.#shared = shared;
  }

  static async open(port: number): Promise<ClosedEar> {
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const thread = new Worker(new URL(import.meta.url), { workerData: { port, shared } satisfies Order });
    await once(thread, 'message');
    const ear = new ClosedEar(thread, shared);
    for (let waiting = 0; waiting <= BACKLOG; waiting += 1) {
      const filler = connect(port, '127.0.0.1').on('error', () => {});
      ear.#fillers.push(filler);
      // One that hangs finds the places taken, by whoever was quicker.
      await Promise.race([new Promise((resolve) => { filler.once('connect', resolve); }), pause(HANGS_MS)]);
    }
    return ear;
  }

  async close(): Promise<void> {
    const flag = new Int32Array(this.#shared);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
    for (const filler of this.#fillers) filler.destroy();
    await once(this.#thread, 'exit');
  }
}

function sleep({ port, shared }: Order): void {
  const server = createServer((socket) => socket.resetAndDestroy()).listen({ port, host: '127.0.0.1', backlog: BACKLOG }, () => {
    parentPort!.postMessage('listening');
    Atomics.wait(new Int32Array(shared), 0, 0);
    // The kernel sends those away who waited.
    server.close();
    parentPort!.close();
  });
}

if (!isMainThread) sleep(workerData as Order);
