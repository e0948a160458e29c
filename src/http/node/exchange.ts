import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { assertHeaders, hasNoBody } from '../answer_lines.ts';
import type { Exchange, Headers, RequestHead } from '../exchange.ts';
import { IncomingBody, type BodyRead } from '../incoming_body.ts';
import type { Waiting } from '../stalls.ts';
import type { Surroundings } from '../surroundings.ts';
import { cutConnection, spent } from './connections.ts';

const DONE = Promise.resolve();
const NOTHING = (): void => {};
const EMPTY = new Uint8Array(0);

/** Bytes are copied before they are handed on: `node:http` keeps them until they are sent, and shared memory must not change meanwhile. */
export class NodeExchange implements Exchange, Waiting {
  readonly head: RequestHead;
  live = true;
  begun = false;
  patienceEndsMs = Infinity;
  readonly #around: Surroundings;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #body: IncomingBody;
  readonly #onClose = (): void => { this.#leave(); };
  readonly #onWritten = (): void => { this.#pump(); };
  #flowing = false;
  #gone = false;
  #goneListeners: (() => void)[] = [];
  #pending: Uint8Array = EMPTY;
  #writable: (() => void) | null = null;
  #lingering: { timer: NodeJS.Timeout; bytesLeft: number } | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, head: RequestHead, bodyBytes: number | null, around: Surroundings) {
    this.head = head;
    this.#request = request;
    this.#response = response;
    this.#around = around;
    this.#body = new IncomingBody(bodyBytes);
    response.on('error', NOTHING);
    request.on('error', NOTHING);
    // The socket's own event: the request closes once it is read, and a response that queues behind another never hears of it.
    request.socket.once('close', this.#onClose);
    around.running.enter();
  }

  onGone(listener: () => void): void {
    if (this.#gone) this.#tell(listener);
    else if (this.live) this.#goneListeners.push(listener);
  }

  readBody(bytesMax: number): Promise<BodyRead> {
    if (this.live && this.#body.open) {
      this.#wait(this.#around.bounds.bodyStallMs);
      this.#flow();
    }
    return this.#body.read(bytesMax);
  }

  answer(status: number, headers: Headers, body: Uint8Array | string): void {
    if (!this.live || this.begun) return;
    const bytes = Buffer.from(body);
    const lingers = this.#body.restIsUnbounded;
    this.#writeHead(status, headers, lingers, hasNoBody(status) ? null : bytes.byteLength);
    if (lingers) this.#linger(bytes);
    else this.#response.end(bytes);
    this.#finish();
  }

  begin(status: number, headers: Headers): void {
    if (!this.live || this.begun) return;
    this.#writeHead(status, headers, false, null);
    this.#response.flushHeaders();
  }

  write(bytes: Uint8Array): Promise<void> {
    if (!this.live || !this.begun || this.head.method === 'HEAD' || bytes.byteLength === 0) return DONE;
    this.#assertNoneWaits();
    this.#wait(this.#around.bounds.streamStallMs);
    return new Promise((resolve) => {
      this.#pending = bytes;
      this.#writable = resolve;
      this.#pump();
    });
  }

  end(): void {
    if (!this.live || !this.begun) return;
    this.#assertNoneWaits();
    this.#response.end();
    this.#finish();
  }

  cut(): void {
    if (this.live) cutConnection(this.#request.socket);
  }

  #writeHead(status: number, headers: Headers, closes: boolean, contentBytes: number | null): void {
    assertHeaders(headers);
    this.begun = true;
    const flat = headers.flat();
    if (contentBytes !== null) flat.push('Content-Length', String(contentBytes));
    if (closes || this.#around.running.draining) {
      spent.add(this.#request.socket);
      flat.push('Connection', 'close');
    }
    this.#response.writeHead(status, flat);
  }

  /** The answer is whole but not ended, for ending closes the connection: the caller gets to read it while the rest of his body is dropped. */
  #linger(bytes: Uint8Array): void {
    const { bodyDropMsMax, bodyDropBytesMax } = this.#around.bounds;
    this.#response.flushHeaders();
    this.#response.write(bytes);
    const timer = setTimeout(() => { cutConnection(this.#request.socket); }, bodyDropMsMax);
    this.#lingering = { timer, bytesLeft: bodyDropBytesMax };
    this.#request.socket.once('close', () => { clearTimeout(timer); });
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
      this.#patient(this.#around.bounds.bodyStallMs);
      this.#body.push(chunk, last);
      if (last) this.#unwait();
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
      this.#resume();
      return;
    }
    this.#patient(this.#around.bounds.streamStallMs);
    const piece = Buffer.from(this.#pending.subarray(0, LIMITS.streamPieceBytes));
    this.#pending = this.#pending.subarray(piece.byteLength);
    this.#response.write(piece, this.#onWritten);
  }

  /** Going on would lose the bytes that wait, under an honest end. */
  #assertNoneWaits(): void {
    if (this.#writable !== null) throw new Error('a write is still waiting');
  }

  #resume(): void {
    this.#unwait();
    const resume = this.#writable;
    this.#writable = null;
    resume?.();
  }

  #wait(patienceMs: number): void {
    this.#patient(patienceMs);
    this.#around.stalls.add(this);
  }

  #patient(patienceMs: number): void {
    this.patienceEndsMs = monotonicMs() + patienceMs;
  }

  #unwait(): void {
    this.#around.stalls.remove(this);
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#around.fault(this, error);
    }
  }

  #finish(): void {
    this.live = false;
    this.#body.gone();
    this.#unwait();
    this.#goneListeners = [];
    this.#request.socket.removeListener('close', this.#onClose);
    this.#around.running.leave();
  }

  #leave(): void {
    const listeners = this.#goneListeners;
    this.#gone = true;
    this.#finish();
    this.#pending = EMPTY;
    this.#resume();
    for (const listener of listeners) this.#tell(listener);
  }
}
