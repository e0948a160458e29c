import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import { unmapped } from '../address.ts';
import { statusLine } from '../answer_lines.ts';
import { cannotListen } from '../cannot_listen.ts';
import type { Handler, HttpServer, RequestHead, RequestHeaders, ServerSettings } from '../exchange.ts';
import { HeaderBlock } from '../framing.ts';
import { requestId } from '../request_id.ts';
import { runHandler } from '../run_handler.ts';
import { makeSurroundings, type Surroundings } from '../surroundings.ts';
import { takeWaiting } from '../waiting.ts';
import { cutConnection, isBetweenRequests, latest, spent } from './connections.ts';
import { NodeExchange } from './exchange.ts';
import { originForm } from './target.ts';

export async function listenNode(settings: ServerSettings, handler: Handler): Promise<HttpServer> {
  const around = makeSurroundings(settings);
  const server = createServer({
    maxHeaderSize: LIMITS.headersBytesMax,
    // Refused below instead, where the answer has a request id.
    requireHostHeader: false,
    keepAliveTimeout: LIMITS.keepAliveMs,
    headersTimeout: LIMITS.bodyStallMs,
    requestTimeout: LIMITS.requestReceiveMs,
    connectionsCheckingInterval: LIMITS.stallSweepMs,
  });
  // Bounded by their bytes. Headers beyond a count would be dropped unseen.
  server.maxHeadersCount = 0;
  if (settings.connectionsMax !== undefined) server.maxConnections = settings.connectionsMax;
  server.on('drop', () => { settings.onCrowded?.(); });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => { receive(request, response, around, settings, handler); };
  server.on('request', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('checkContinue', (request, response) => {
    inTurn(request, response, () => {
      response.writeContinue();
      onRequest(request, response);
    });
  });
  server.on('connect', (_request, socket) => { answerUnparsable({ code: 'CONNECT' }, socket, around, settings); });
  server.on('connection', (socket) => { socket.setMaxListeners(0); });
  server.on('clientError', (error: { readonly code?: string }, socket) => { answerUnparsable(error, socket, around, settings); });
  try {
    await bind(server, settings);
  } catch (error) {
    around.stalls.stop();
    throw await cannotListen(settings, error);
  }
  return new NodeServer(server, around);
}

function bind(server: Server, { host, port }: ServerSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => { server.off('error', reject); resolve(); });
  });
}

function receive(request: IncomingMessage, response: ServerResponse, around: Surroundings, settings: ServerSettings, handler: Handler): void {
  const { socket } = request;
  if (spent.has(socket)) return;
  if (request.httpVersion !== '1.1') {
    answerUnparsable({ code: 'VERSION' }, socket, around, settings);
    return;
  }
  if (request.headers.host === undefined) {
    answerUnparsable({ code: 'HOST' }, socket, around, settings);
    return;
  }
  latest.set(socket, { request, response });
  const block = new HeaderBlock();
  const raw = request.rawHeaders;
  for (let at = 0; at < raw.length; at += 2) block.add(raw[at]!.toLowerCase(), raw[at + 1]!);
  const framing = block.framing(request.method ?? '');
  if (typeof framing === 'string') {
    cutConnection(socket);
    settings.onRefused?.(framing);
    return;
  }
  runHandler(handler, new NodeExchange(request, response, headOf(request, block), framing.bodyBytes, around), around);
}

/** Behind the answers before it: what is said sooner the platform puts between the head and the body of the answer that follows. */
function inTurn({ socket }: IncomingMessage, response: ServerResponse, act: () => void): void {
  const actOnLive = (): void => { if (!spent.has(socket) && !socket.destroyed) act(); };
  if (response.socket === null) response.once('socket', () => { process.nextTick(actOnLive); });
  else actOnLive();
}

function headOf(request: IncomingMessage, headers: RequestHeaders): RequestHead {
  const url = originForm(request.url ?? '');
  const mark = url.indexOf('?');
  return {
    method: request.method ?? '',
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? '' : url.slice(mark + 1),
    headers,
    remoteAddress: unmapped(request.socket.remoteAddress ?? ''),
    arrivedMs: monotonicMs(),
  };
}

const TOO_LONG = 'HPE_HEADER_OVERFLOW';
const STATUS_OF_PARSE_ERROR: Readonly<Record<string, number>> = { [TOO_LONG]: 431, ERR_HTTP_REQUEST_TIMEOUT: 408, VERSION: 505 };

/**
 * Only on a connection that has carried no request yet: elsewhere this could be read as the answer to another, unless it is about too long a head, which
 * is a request's and no rest of one. The caller gets a moment to read it and to
 * close: ended from this side alone, the connection would be his for as long as he likes, and the platform's timers are past.
 */
function answerUnparsable(error: { readonly code?: string }, socket: Duplex, { bounds }: Surroundings, { onUnread }: ServerSettings): void {
  const isOwed = !latest.has(socket) || (error.code === TOO_LONG && isBetweenRequests(socket));
  if (!socket.writable || !isOwed || error.code === 'ECONNRESET') {
    cutConnection(socket);
    return;
  }
  spent.add(socket);
  const status = STATUS_OF_PARSE_ERROR[error.code ?? ''] ?? 400;
  const id = requestId();
  socket.end(`HTTP/1.1 ${statusLine(status)}\r\nX-Request-Id: ${id}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  const timer = setTimeout(() => { cutConnection(socket); }, bounds.bodyDropMsMax);
  socket.once('close', () => { clearTimeout(timer); });
  onUnread?.({ requestId: id, status });
}

class NodeServer implements HttpServer {
  readonly port: number;
  readonly #server: Server;
  readonly #around: Surroundings;
  readonly #closed: Promise<void>;
  #drained: Promise<void> | null = null;

  constructor(server: Server, around: Surroundings) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#around = around;
    this.#closed = new Promise((resolve) => { server.once('close', resolve); });
  }

  drain(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  async #drain(): Promise<void> {
    this.#around.running.draining = true;
    let taken = 0;
    this.#server.on('connection', () => { taken += 1; });
    await takeWaiting(() => taken);
    // The close of HTTP would destroy as idle what has an answer given but not sent.
    NetServer.prototype.close.call(this.#server);
    await this.#around.running.none();
    this.#server.closeIdleConnections();
    await within(this.#closed, LIMITS.drainLingerMs);
    await this.close();
  }

  async close(): Promise<void> {
    this.#around.stalls.stop();
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#closed;
  }
}
