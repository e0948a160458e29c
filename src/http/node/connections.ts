import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The latest request of each connection that carried one: what is said there unasked could be read as the answer to it. */
export const latest = new WeakMap<Duplex, { readonly request: IncomingMessage; readonly response: ServerResponse }>();

/** Whether what comes next on a connection that was used can be no part of its latest request, nor an answer given now be read as the answer to that. */
export function isBetweenRequests(socket: Duplex): boolean {
  const last = latest.get(socket);
  return last !== undefined && last.request.complete && last.response.writableFinished;
}

/** Connections that were cut or are answered for the last time. The parser still hands out the requests that came in the same read. */
export const spent = new WeakSet<Duplex>();

export function cutConnection(socket: Duplex): void {
  spent.add(socket);
  socket.destroy();
}
