import { connect } from 'node:net';
import type { Endpoint } from './udp.ts';

/** One query over a connection of its own: for what does not fit a datagram, or was tampered with. */
export function askTcp({ address, port }: Endpoint, query: Uint8Array, timeoutMs: number): Promise<Uint8Array | 'timeout' | 'unreachable'> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const finish = (outcome: Uint8Array | 'timeout' | 'unreachable'): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => finish('timeout'), timeoutMs);
    let received: Buffer = Buffer.alloc(0);
    socket.on('connect', () => {
      const framed = Buffer.alloc(query.length + 2);
      framed.writeUInt16BE(query.length, 0);
      framed.set(query, 2);
      socket.write(framed);
    });
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (received.length < 2) return;
      const length = received.readUInt16BE(0);
      if (received.length >= length + 2) finish(received.subarray(2, length + 2));
    });
    socket.on('error', () => finish('unreachable'));
    socket.on('close', () => finish('unreachable'));
  });
}
