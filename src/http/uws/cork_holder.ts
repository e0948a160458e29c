import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { LIMITS } from '../../config/limits.ts';
import { uws, type App, type HttpResponse, type ListenSocket } from './native.ts';

const NOTHING = (): void => {};

/**
 * The library has one cork for all responses. A write that goes beyond it first sends what lies in it, and if the kernel takes not all of
 * that, the library forgets the write itself: a frame loses its bytes, and nobody is told. Without a cork nothing is lost, yet each write
 * outside of one is complained of on stderr. So a response of our own is kept that is never answered: while it holds the cork, others write without.
 */
export class CorkHolder {
  readonly #app: App = uws.App();
  #response: HttpResponse | null = null;
  #listening: ListenSocket | null = null;
  #caller: Socket | null = null;

  /** Where loopback cannot be called nothing is held, nor by one that was not made here: writes then have to fit the cork. */
  static async make(): Promise<CorkHolder> {
    const holder = new CorkHolder();
    await holder.#call();
    return holder;
  }

  get holds(): boolean {
    return this.#response !== null;
  }

  /** Only where `holds`, and not in a turn that the library has corked for another. */
  during(write: () => void): void {
    this.#response!.cork(write);
  }

  close(): void {
    this.#listenNoMore();
    this.#caller?.destroy();
    this.#app.close();
  }

  #call(): Promise<void> {
    const secret = `/${randomUUID()}`;
    return new Promise<void>((resolve) => {
      this.#app.any('/*', (response, request) => {
        response.onAborted(NOTHING);
        if (request.getUrl() !== secret) {
          response.close();
          return;
        }
        response.onAborted(() => { this.#response = null; });
        this.#response = response;
        resolve();
      });
      this.#app.listen('127.0.0.1', 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket === false) {
          resolve();
          return;
        }
        this.#listening = socket;
        this.#ask(uws.us_socket_local_port(socket), secret, resolve);
      });
    });
  }

  #ask(port: number, secret: string, failed: () => void): void {
    const caller = connect({ host: '127.0.0.1', port });
    this.#caller = caller;
    caller.setTimeout(LIMITS.corkHolderMs, () => { caller.destroy(); });
    caller.on('connect', () => {
      caller.setTimeout(0);
      this.#listenNoMore();
    });
    caller.on('error', NOTHING);
    caller.on('close', () => {
      this.#listenNoMore();
      failed();
    });
    caller.write(`GET ${secret} HTTP/1.1\r\nHost: holder\r\n\r\n`);
  }

  #listenNoMore(): void {
    if (this.#listening !== null) uws.us_listen_socket_close(this.#listening);
    this.#listening = null;
  }
}
