import type { Duplex } from 'node:stream';

/** Connections that carried a request: what is said there unasked could be read as the answer to it. */
export const used = new WeakSet<Duplex>();

/** Connections that were cut or are answered for the last time. The parser still hands out the requests that came in the same read. */
export const spent = new WeakSet<Duplex>();

export function cutConnection(socket: Duplex): void {
  spent.add(socket);
  socket.destroy();
}
