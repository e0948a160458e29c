import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { FaultProxy, NO_FAULT } from './fault_proxy.ts';
import { pause } from './runners.ts';

const GREETING = 'a greeting of twenty.';

/** What a client gets within a time, and how it ended. */
type Heard = { readonly text: string; readonly end: 'end' | 'reset' | 'open' | 'unconnected' | 'refused'; readonly pieces: number };

describe('the proxy of faults', () => {
  let server: Server;
  let proxy: FaultProxy;
  const opened = new Set<Socket>();

  before(async () => {
    // Answers each line with the greeting.
    server = createServer((socket) => { socket.on('error', () => {}).on('data', () => socket.write(GREETING)).on('end', () => socket.end()); }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(async () => { proxy = await FaultProxy.start((server.address() as AddressInfo).port); });
  afterEach(async () => {
    for (const socket of opened) socket.destroy();
    opened.clear();
    await proxy.close();
  });
  after(() => { server.close(); });

  function ask(): { socket: Socket; heard: () => Heard } {
    const socket = connect(proxy.port, '127.0.0.1');
    opened.add(socket);
    let [text, pieces, end]: [string, number, Heard['end']] = ['', 0, 'unconnected'];
    socket.on('connect', () => { end = 'open'; });
    socket.on('data', (piece) => { text += piece.toString(); pieces += 1; });
    socket.on('end', () => { end = 'end'; });
    socket.on('error', (error) => { end = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'reset'; });
    socket.write('hello\n');
    return { socket, heard: () => ({ text, pieces, end }) };
  }

  async function until(holds: () => boolean, what: () => unknown): Promise<void> {
    for (const endMs = performance.now() + 30_000; !holds(); await pause(2)) assert.ok(performance.now() < endMs, JSON.stringify(what()));
  }

  async function hears(text: string, end: Heard['end']): Promise<{ socket: Socket; heard: () => Heard }> {
    const asked = ask();
    await until(() => asked.heard().text === text && asked.heard().end === end, asked.heard);
    return asked;
  }

  it('passes everything on where there is no fault', async () => {
    const { socket, heard } = await hears(GREETING, 'open');
    socket.end();
    await until(() => heard().end === 'end', heard);
    assert.equal(proxy.connections, 0);
  });

  it('cuts, resets or hangs at the very byte', async () => {
    await proxy.set({ kind: 'cut', afterBytes: 7 });
    await hears(GREETING.slice(0, 7), 'end');
    await proxy.set({ kind: 'reset', afterBytes: 0 });
    await hears('', 'reset');
    await proxy.set({ kind: 'hang', afterBytes: 3 });
    const { heard } = await hears(GREETING.slice(0, 3), 'open');
    await pause(30);
    assert.equal(heard().text.length, 3);
    await proxy.set(NO_FAULT);
    await until(() => heard().text === GREETING, heard);
  });

  it('counts from when the fault is set, on connections that are open already', async () => {
    const { socket, heard } = await hears(GREETING, 'open');
    await proxy.set({ kind: 'cut', afterBytes: 2 });
    socket.write('again\n');
    await until(() => heard().end === 'end', heard);
    assert.equal(heard().text, GREETING + GREETING.slice(0, 2));
  });

  it('slices, slows and delays', async () => {
    await proxy.set({ kind: 'slice', everyMs: 1 });
    assert.ok((await hears(GREETING, 'open')).heard().pieces > GREETING.length / 2);
    await proxy.set({ kind: 'bandwidth', bytesPerSecond: 400 });
    const begunMs = performance.now();
    await hears(GREETING, 'open');
    assert.ok(performance.now() - begunMs >= 45);
    await proxy.set({ kind: 'latency', ms: 40, jitterMs: 5 });
    const delayedMs = performance.now();
    await hears(GREETING, 'open');
    assert.ok(performance.now() - delayedMs >= 39);
  });

  it('swallows, does not take, or refuses connections, and takes them again', async () => {
    await proxy.set({ kind: 'blackhole' });
    const swallowed = ask();
    await pause(50);
    assert.deepEqual(swallowed.heard(), { text: '', pieces: 0, end: 'open' });
    await proxy.set({ kind: 'unaccepted' });
    const knocking = ask();
    await pause(50);
    assert.equal(knocking.heard().end, 'unconnected');
    await proxy.set({ kind: 'refused' });
    await hears('', 'refused');
    await proxy.set(NO_FAULT);
    await hears(GREETING, 'open');
    await until(() => swallowed.heard().text === GREETING, swallowed.heard);
  });
});
