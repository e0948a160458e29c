import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.ts';
import { cannotListen } from '../cannot_listen.ts';
import type { Handler, HttpServer, ServerSettings } from '../exchange.ts';
import { HeaderBlock } from '../framing.ts';
import { requestId } from '../request_id.ts';
import { runHandler } from '../run_handler.ts';
import { makeSurroundings, type Surroundings } from '../surroundings.ts';
import { takeWaiting } from '../waiting.ts';
import { CorkHolder } from './cork_holder.ts';
import { UwsExchange } from './exchange.ts';
import { UwsHead } from './head.ts';
import { uws, type App, type HttpRequest, type HttpResponse, type ListenSocket } from './native.ts';

const NOTHING = (): void => {};

export async function listenUws(settings: ServerSettings, handler: Handler, holder: CorkHolder | Promise<CorkHolder> = CorkHolder.make()): Promise<HttpServer> {
  const around = makeSurroundings(settings);
  const corkHolder = await holder;
  const app = uws.App();
  boundConnections(app, settings);
  app.any('/*', (response, request) => { receive(response, request, { around, corkHolder, settings, handler }); });
  const socket = await bind(app, settings);
  if (socket === false) {
    around.stalls.stop();
    corkHolder.close();
    throw await cannotListen(settings);
  }
  return new UwsServer(app, socket, around, corkHolder);
}

function boundConnections(app: App, { connectionsMax = Infinity, onCrowded }: ServerSettings): void {
  let open = 0;
  app.filter((response, change) => {
    open += change;
    if (change < 0 || open <= connectionsMax) return;
    response.close();
    onCrowded?.();
  });
}

/** Exclusive: without it a second process on the port would silently share it. */
function bind(app: App, { host, port }: ServerSettings): Promise<ListenSocket | false> {
  return new Promise((resolve) => { app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve); });
}

type Receiving = { readonly around: Surroundings; readonly corkHolder: CorkHolder; readonly settings: ServerSettings; readonly handler: Handler };

function receive(response: HttpResponse, request: HttpRequest, { around, corkHolder, settings, handler }: Receiving): void {
  const block = new HeaderBlock();
  request.forEach((name, value) => { block.add(name, value); });
  const head = new UwsHead(response, request, block);
  const framing = block.framing(head.method);
  if (typeof framing === 'string') {
    // Ending the response would let what hides behind it run as the next request; closing does not.
    response.onAborted(NOTHING);
    response.close();
    settings.onRefused?.(framing);
    return;
  }
  const exchange = new UwsExchange(response, head, framing.bodyBytes, around, corkHolder);
  if (block.bytes + head.path.length + head.query.length > LIMITS.headersBytesMax) {
    // The library minds their size only where they come in pieces.
    const id = requestId();
    exchange.answer(431, [['X-Request-Id', id]], '');
    settings.onRefused?.('headers too large');
    settings.onUnread?.({ requestId: id, status: 431 });
    return;
  }
  runHandler(handler, exchange, around);
  exchange.hear();
}

class UwsServer implements HttpServer {
  readonly port: number;
  readonly #app: App;
  readonly #socket: ListenSocket;
  readonly #around: Surroundings;
  readonly #corkHolder: CorkHolder;
  #drained: Promise<void> | null = null;
  #closed = false;

  constructor(app: App, socket: ListenSocket, around: Surroundings, corkHolder: CorkHolder) {
    this.#app = app;
    this.#socket = socket;
    this.#around = around;
    this.#corkHolder = corkHolder;
    this.port = uws.us_socket_local_port(socket);
  }

  drain(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  /** The library cannot tell an idle connection from one that still flushes an ended answer: all get a moment to flush, then close. */
  async #drain(): Promise<void> {
    this.#around.running.draining = true;
    // The library takes all who wait in one turn.
    await takeWaiting(() => 0);
    if (this.#closed) return;
    uws.us_listen_socket_close(this.#socket);
    await this.#around.running.none();
    await sleep(LIMITS.drainLingerMs);
    await this.close();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#around.stalls.stop();
    this.#app.close();
    this.#corkHolder.close();
  }
}
