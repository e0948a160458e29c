import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../../config/limits.ts';
import { flatHeaders, hasNoBody } from '../answer_lines.ts';
import type { HeaderLines, Headers, RequestHead } from '../exchange.ts';
import type { BodyRead } from '../incoming_body.ts';
import { LiveExchange } from '../live_exchange.ts';
import type { Surroundings } from '../surroundings.ts';
import { Backlog } from './backlog.ts';
import { cutConnection, spent } from './connections.ts';

const DONE = Promise.resolve();
const NOTHING = (): void => {};
const EMPTY = new Uint8Array(0);

/** Bytes are copied before they are handed on: `node:http` keeps them until they are sent, and shared memory must not change meanwhile. */
export class NodeExchange extends LiveExchange {
  readonly head: RequestHead;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #onClose = (): void => { this.leave(); };
  readonly #onWritten = (error?: Error | null): void => { this.#written(error); };
  #flowing = false;
  #pending: Uint8Array = EMPTY;
  #lingering: { timer: NodeJS.Timeout; bytesLeft: number } | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, head: RequestHead, bodyBytes: number | null, around: Surroundings) {
    super(bodyBytes, around);
    this.head = head;
    this.#request = request;
    this.#response = response;
    response.on('error', NOTHING);
    request.on('error', NOTHING);
    // The socket's own event: the request closes once it is read, and a response that queues behind another never hears of it.
    request.socket.once('close', this.#onClose);
  }

  readBody(bytesMax: number): Promise<BodyRead> {
    if (this.live && this.body.open) {
      this.wait(this.around.bounds.bodyStallMs);
      this.#flow();
    }
    return this.body.read(bytesMax);
  }

  answer(status: number, headers: Headers | HeaderLines, body: Uint8Array | string): void {
    if (!this.live || this.begun) return;
    const bytes = Buffer.from(body);
    const lingers = this.body.restIsUnbounded;
    this.#writeHead(status, headers, lingers, hasNoBody(status) ? null : bytes.byteLength);
    if (lingers) this.#linger(bytes);
    else {
      this.#finally(this.head.method === 'HEAD' || hasNoBody(status) ? EMPTY : bytes);
      if (this.body.open) this.#dropRest();
    }
    this.finish();
  }

  begin(status: number, headers: Headers | HeaderLines): void {
    if (!this.live || this.begun) return;
    this.#writeHead(status, headers, false, null);
    this.#response.flushHeaders();
  }

  write(bytes: Uint8Array): Promise<void> {
    if (!this.live || !this.begun || this.head.method === 'HEAD' || bytes.byteLength === 0) return DONE;
    this.assertNoneWaits();
    this.#pending = bytes;
    const written = this.untilWritable();
    this.#pump();
    return written;
  }

  end(): void {
    if (!this.live || !this.begun) return;
    this.assertNoneWaits();
    this.#finally(EMPTY);
    this.finish();
  }

  /** Nothing to be seen: the platform tells when the kernel has taken a piece, and not before. */
  look(): void {}

  cut(): void {
    if (this.live) cutConnection(this.#request.socket);
  }

  #writeHead(status: number, headers: Headers | HeaderLines, closes: boolean, contentBytes: number | null): void {
    const flat = flatHeaders(headers);
    this.begun = true;
    if (contentBytes !== null) flat.push('Content-Length', String(contentBytes));
    // Behind one that asks for another protocol the parser forgets what came in the same read.
    const parsed = this.head.headers.get('upgrade') === undefined;
    if (closes || !parsed || this.around.running.draining) {
      spent.add(this.#request.socket);
      flat.push('Connection', 'close');
    }
    this.#response.writeHead(status, flat);
  }

  /**
   * For the drain it is under way until the kernel has all of it, or the caller left, of which a response that queues behind another never hears.
   * A caller who takes nothing for longer than the patience is cut by the platform, whose timer must not count what the next answer takes.
   */
  #finally(bytes: Uint8Array): void {
    const { running, bounds } = this.around;
    const { socket } = this.#request;
    const backlog = Backlog.of(socket, this.around);
    let isOver = false;
    const over = (): void => {
      // The platform tells that the response closed while it tells that the socket did: too late to be taken from those who are told.
      if (isOver) return;
      isOver = true;
      this.#response.removeListener('close', over);
      socket.removeListener('close', over);
      backlog.release(bytes.byteLength);
      running.leave();
    };
    running.enter();
    backlog.hold(bytes.byteLength);
    this.#response.once('close', over);
    socket.once('close', over);
    this.#response.setTimeout(bounds.streamStallMs);
    this.#response.prependOnceListener('finish', () => { socket.setTimeout(0); });
    this.#handOver(bytes, backlog);
  }

  /** In pieces, for the platform tells of a whole one alone whether the kernel has taken it. */
  #handOver(rest: Uint8Array, backlog: Backlog): void {
    if (rest.byteLength <= LIMITS.unreadPieceBytes) {
      this.#response.end(rest);
      return;
    }
    this.#response.write(rest.subarray(0, LIMITS.unreadPieceBytes), (error) => {
      if (error) return;
      backlog.took();
      this.#handOver(rest.subarray(LIMITS.unreadPieceBytes), backlog);
    });
  }

  /** The answer is whole but not ended, for ending closes the connection: the caller gets to read it while the rest of his body is dropped. */
  #linger(bytes: Uint8Array): void {
    const { bodyDropMsMax, bodyDropBytesMax } = this.around.bounds;
    this.#response.flushHeaders();
    this.#response.write(bytes);
    const timer = setTimeout(() => { cutConnection(this.#request.socket); }, bodyDropMsMax);
    this.#lingering = { timer, bytesLeft: bodyDropBytesMax };
    this.#request.socket.once('close', () => { clearTimeout(timer); });
    this.#flow();
  }

  /** Read for the sake of the next request, for no longer than a body that stands still is waited for. */
  #dropRest(): void {
    const timer = setTimeout(() => { cutConnection(this.#request.socket); }, this.around.bounds.bodyStallMs);
    this.#request.once('close', () => { clearTimeout(timer); });
    this.#flow();
  }

  #flow(): void {
    if (this.#flowing) return;
    this.#flowing = true;
    this.#request.on('data', (chunk: Buffer) => { this.#receive(chunk, false); });
    this.#request.on('end', () => { this.#receive(EMPTY, true); });
  }

  #receive(chunk: Uint8Array, last: boolean): void {
    if (this.#lingering !== null) this.#drop(this.#lingering, chunk.byteLength, last);
    else if (this.live) {
      this.bodyCame(chunk.byteLength, last);
      this.body.push(chunk, last);
    }
  }

  #drop(lingering: { bytesLeft: number }, bytes: number, last: boolean): void {
    lingering.bytesLeft -= bytes;
    if (last) this.#response.end();
    else if (lingering.bytesLeft < 0) cutConnection(this.#request.socket);
  }

  /** One piece under way at a time, the next when the kernel has it: what this process holds is bounded, and progress is seen. */
  #pump(): void {
    if (!this.live) return;
    if (this.#pending.byteLength === 0) {
      this.resume();
      return;
    }
    this.patient(this.around.bounds.streamStallMs);
    const piece = Buffer.from(this.#pending.subarray(0, LIMITS.streamPieceBytes));
    this.#pending = this.#pending.subarray(piece.byteLength);
    this.#response.write(piece, this.#onWritten);
  }

  /** Node 26 tells of a caller who left by the write first, and of each write after it at once: who went on would never let it come to the close. */
  #written(error: Error | null | undefined): void {
    if (error) cutConnection(this.#request.socket);
    else this.#pump();
  }

  protected override finish(): void {
    super.finish();
    this.#request.socket.removeListener('close', this.#onClose);
  }

  protected override dropPending(): void {
    this.#pending = EMPTY;
  }

  protected override keepPending(): void {
    this.#pending = new Uint8Array(this.#pending);
  }
}
