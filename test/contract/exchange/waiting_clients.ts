import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { request } from './raw_client.ts';

const CLIENTS = 16;

type Begun = { readonly port: number; readonly asked: Int32Array };

/** Clients in a thread of their own, which connect and ask while the loop of this one, and with it the server, stands still. */
export class WaitingClients {
  readonly #answers: Promise<string[]>;

  private constructor(thread: Worker) {
    this.#answers = once(thread, 'message').then(([texts]) => texts as string[]);
  }

  /** When this resolves all have asked, and the loop has not turned since the first of them connected. */
  static async connect(t: TestContext, port: number): Promise<WaitingClients> {
    const asked = new Int32Array(new SharedArrayBuffer(4));
    const thread = new Worker(new URL(import.meta.url), { workerData: { port, asked } satisfies Begun });
    t.after(() => thread.terminate());
    await once(thread, 'online');
    const clients = new WaitingClients(thread);
    for (let count = 0; count < CLIENTS; count = Atomics.load(asked, 0)) Atomics.wait(asked, 0, count);
    return clients;
  }

  /** All that each was sent until its connection closed. */
  answers(): Promise<string[]> {
    return this.#answers;
  }
}

function ask({ port, asked }: Begun): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('data', (bytes) => { text += bytes.toString('latin1'); });
    // A reset is a close as well.
    socket.on('error', () => {});
    socket.on('close', () => { resolve(text); });
    socket.write(request('GET /waits'), () => {
      Atomics.add(asked, 0, 1);
      Atomics.notify(asked, 0);
    });
  });
}

if (!isMainThread) parentPort!.postMessage(await Promise.all(Array.from({ length: CLIENTS }, () => ask(workerData as Begun))));
