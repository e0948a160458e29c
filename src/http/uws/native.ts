import { createRequire } from 'node:module';
import type { HttpRequest, HttpResponse, us_listen_socket } from 'uWebSockets.js';
import { LIMITS } from '../../config/limits.ts';

export type { HttpRequest, HttpResponse };
export type ListenSocket = us_listen_socket;

/** The part of the library in use; its own type file is of a later build than the one that is installed. */
export type App = {
  /** Called with 1 for each connection that was made, and with -1 when it ends. */
  filter(handler: (response: HttpResponse, change: number) => void): App;
  any(pattern: string, handler: (response: HttpResponse, request: HttpRequest) => void): App;
  listen(host: string, port: number, options: number, done: (socket: ListenSocket | false) => void): App;
  close(): App;
};

type Library = {
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  App(): App;
  us_listen_socket_close(socket: ListenSocket): void;
  us_socket_local_port(socket: ListenSocket): number;
};

/** The library reads this once, when it loads. */
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(LIMITS.headersBytesMax);

export const uws = createRequire(import.meta.url)('uWebSockets.js') as Library;
