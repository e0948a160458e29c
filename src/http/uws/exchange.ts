import { LIMITS } from '../../config/limits.ts';
import { hasNoBody, headerLines, statusLine } from '../answer_lines.ts';
import type { HeaderLines, Headers } from '../exchange.ts';
import type { BodyRead } from '../incoming_body.ts';
import { LiveExchange } from '../live_exchange.ts';
import type { Surroundings } from '../surroundings.ts';
import type { CorkHolder } from './cork_holder.ts';
import type { UwsHead } from './head.ts';
import type { HttpResponse } from './native.ts';
import { Tail } from './tail.ts';

const DONE = Promise.resolve();
const NOTHING = (): void => {};

type Lingering = { timer: NodeJS.Timeout; bytesLeft: number };
type Held = { readonly status: number; readonly head: string; readonly body: Uint8Array | string };

/**
 * The native response may be touched neither after the caller left nor after the answer ended: `live` guards every use but
 * those of a lingering answer and of a `Tail`, which have ended for the handler: one still drops the rest of the body, the other hands over the rest of the answer.
 */
export class UwsExchange extends LiveExchange {
  readonly head: UwsHead;
  readonly #response: HttpResponse;
  readonly #corkHolder: CorkHolder;
  /** False in a turn in which something came from the caller: the library corks it, with all that follows from it at once. */
  #uncorked = false;
  /** Bytes of the caller of `write` that are not handed over yet. */
  #pending: Uint8Array | null = null;
  /** The library holds bytes that the kernel did not take. It tells this only in answer to a write. */
  #congested = false;
  #hears = false;
  #lingering: Lingering | null = null;
  /** The answer, while the rest of the body may still be on its way to it in this turn. */
  #held: Held | null = null;
  #tail: Tail | null = null;

  constructor(response: HttpResponse, head: UwsHead, bodyBytes: number | null, around: Surroundings, corkHolder: CorkHolder) {
    super(bodyBytes, around);
    this.#response = response;
    this.#corkHolder = corkHolder;
    this.head = head;
    response.onAborted(() => { this.#aborted(); });
  }

  /** Once the handler began, in the same turn: the body comes behind it. To one that answered at once nothing of it is told. */
  hear(): void {
    if (this.live && this.body.open) this.#hear();
  }

  readBody(bytesMax: number): Promise<BodyRead> {
    if (this.live && this.body.open) this.wait(this.around.bounds.bodyStallMs);
    return this.body.read(bytesMax);
  }

  answer(status: number, headers: Headers | HeaderLines, body: Uint8Array | string): void {
    if (!this.live || this.begun) return;
    const head = headText(status, headers);
    this.begun = true;
    if (this.body.restIsUnbounded) this.#answerAndLinger(status, head, body);
    else if (this.body.open && this.#hears) this.#answerBehindBody({ status, head, body: typeof body === 'string' ? body : new Uint8Array(body) });
    else this.#response.cork(() => { this.#answerCorked(status, head, body); });
    this.finish();
  }

  begin(status: number, headers: Headers | HeaderLines): void {
    if (!this.live || this.begun) return;
    const head = headText(status, headers);
    this.begun = true;
    this.#response.cork(() => {
      this.#response.writeStatus(head);
      this.#sayWhetherItCloses();
    });
    if (this.head.method === 'HEAD') return;
    this.#response.onWritable(() => { this.#onWritable(); return true; });
    this.#awaitOwnTurn();
  }

  write(bytes: Uint8Array): Promise<void> {
    if (!this.live || !this.begun || this.head.method === 'HEAD' || bytes.byteLength === 0) return DONE;
    this.assertNoneWaits();
    this.#pending = bytes;
    if (this.#uncorked) this.#pump();
    return this.#congested || this.#pending !== null ? this.untilWritable() : DONE;
  }

  end(): void {
    if (!this.live || !this.begun) return;
    this.assertNoneWaits();
    this.#response.cork(() => {
      if (this.head.method === 'HEAD') this.#response.endWithoutBody();
      else this.#response.end();
    });
    this.finish();
  }

  /**
   * The kernel tells of room only once a third of what it holds of the connection is free, which takes a slow reader longer than anybody's
   * patience: a megabyte and more at 100 KB a second. Whoever asks by a write finds room as soon as there is some.
   */
  look(): void {
    if (this.#congested) this.#goOn();
  }

  cut(): void {
    if (this.live) this.#response.close();
  }

  #answerCorked(status: number, head: string, body: Uint8Array | string): void {
    const response = this.#response;
    const isHead = this.head.method === 'HEAD';
    response.writeStatus(head);
    if (!isHead && !hasNoBody(status)) {
      this.#endWith(head, body);
      return;
    }
    this.#sayWhetherItCloses();
    // Given the length, the library would wait for a body that is never written, and take the next request for pipelined.
    if (isHead && !hasNoBody(status)) response.writeHeader('Content-Length', String(byteLength(body)));
    response.endWithoutBody();
  }

  /**
   * Told to try, the library says what the kernel took of a body, where of one that it is told to send it may lose all (see `CorkHolder`).
   * While draining, what fits the cork closes the connection behind it; behind what is larger, whose reader the drain waits for, the drain does.
   */
  #endWith(head: string, body: Uint8Array | string): void {
    const response = this.#response;
    const bytes = byteLength(body);
    if (this.around.running.draining && head.length + bytes <= LIMITS.corkedPieceBytes) {
      response.end(body, true);
      return;
    }
    this.#sayWhetherItCloses();
    const [, complete] = response.tryEnd(body, bytes);
    if (!complete) this.#tail = new Tail(response, typeof body === 'string' ? Buffer.from(body) : body, this.around);
  }

  #sayWhetherItCloses(): void {
    if (this.around.running.draining) this.#response.writeHeader('Connection', 'close');
  }

  #hear(): void {
    if (this.#hears) return;
    this.#hears = true;
    this.#response.onData((chunk, last) => { this.#receive(new Uint8Array(chunk), last); });
  }

  /**
   * With the last piece of a body that it tells of the library forgets the time by which something more must be asked: had the answer ended before, the
   * connection would stay open for ever. Most bodies come with their head, and so in this turn.
   */
  #answerBehindBody(held: Held): void {
    this.#held = held;
    setImmediate(() => {
      if (this.#held === null) return;
      this.#held = null;
      this.#answerAndLinger(held.status, held.head, held.body);
    });
  }

  /**
   * Ending the response natively gives up all sight of the connection, and with it the bound on what is still read. So the
   * whole answer is sent as head: the last header carries the body behind it, and the line break that follows counts as body.
   */
  #answerAndLinger(status: number, head: string, body: Uint8Array | string): void {
    this.#response.cork(() => {
      this.#response.writeStatus(head);
      this.#response.writeHeader('Connection', hasNoBody(status) ? 'close\r\n' : 'close');
      if (!hasNoBody(status)) this.#response.writeHeader('Content-Length', this.#lengthAndBody(body));
    });
    this.#hear();
    const { bodyDropMsMax, bodyDropBytesMax } = this.around.bounds;
    this.#lingering = { timer: this.#closeIn(bodyDropMsMax), bytesLeft: bodyDropBytesMax };
  }

  #lengthAndBody(body: Uint8Array | string): Uint8Array {
    const length = Buffer.from(`${byteLength(body) + 2}\r\n\r\n`);
    return this.head.method === 'HEAD' ? length : Buffer.concat([length, Buffer.from(body)]);
  }

  #receive(chunk: Uint8Array, last: boolean): void {
    if (this.#lingering !== null) this.#drop(this.#lingering, chunk.byteLength, last);
    else if (this.#held !== null) this.#dropBeforeAnswer(this.#held, last);
    else if (this.live) {
      this.bodyCame(chunk.byteLength, last);
      if (this.begun) this.#awaitOwnTurn();
      this.body.push(chunk, last);
    }
  }

  #dropBeforeAnswer({ status, head, body }: Held, last: boolean): void {
    if (!last) return;
    this.#held = null;
    this.#response.cork(() => { this.#answerCorked(status, head, body); });
  }

  #drop(lingering: Lingering, bytes: number, last: boolean): void {
    // The end is not put off by what comes meanwhile: of a fast caller always some does before a timer strikes.
    if (lingering.bytesLeft < 0) return;
    lingering.bytesLeft -= bytes;
    if (!last && lingering.bytesLeft >= 0) return;
    clearTimeout(lingering.timer);
    // Not at once: closing discards what is corked, and this may be the turn in which the answer was given.
    lingering.timer = this.#closeIn(0);
  }

  #closeIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => { this.#response.close(); }, ms);
  }

  /**
   * While congested only a probe is written: its answer tells whether the backlog is gone, and it cannot grow the backlog by more. It is small, so
   * that even the last line of a stream waits for that: behind the end the library is alone with what is left, and with its timer.
   */
  #pump(): void {
    const piecesBytes = this.#corkHolder.holds ? LIMITS.streamPieceBytes : LIMITS.corkedPieceBytes;
    while (this.#pending !== null) {
      const wasCongested = this.#congested;
      const piece = this.#pending.subarray(0, wasCongested ? LIMITS.streamProbeBytes : piecesBytes);
      this.#pending = piece.byteLength < this.#pending.byteLength ? this.#pending.subarray(piece.byteLength) : null;
      const hand = (): void => { this.#congested = !this.#response.write(piece); };
      if (piece.byteLength <= LIMITS.corkedPieceBytes) this.#response.cork(hand);
      else this.#corkHolder.during(hand);
      if (!this.#congested) continue;
      if (!wasCongested) this.patient(this.around.bounds.streamStallMs);
      return;
    }
  }

  #onWritable(): void {
    if (!this.live) return;
    this.patient(this.around.bounds.streamStallMs);
    this.#goOn();
  }

  #awaitOwnTurn(): void {
    this.#uncorked = false;
    setImmediate(() => {
      this.#uncorked = true;
      if (!this.live || this.#pending === null) return;
      this.#pump();
      if (!this.#congested) this.resume();
    });
  }

  /** With a listener set the library leaves its backlog alone; a cork flushes it. Where all is handed over the next write tells whether it is gone. */
  #goOn(): void {
    if (this.#pending === null) this.#response.cork(NOTHING);
    else this.#pump();
    if (this.#pending === null) this.resume();
  }

  /** Told by the library, once, whoever closed the connection. */
  #aborted(): void {
    if (this.#lingering !== null) clearTimeout(this.#lingering.timer);
    this.#held = null;
    this.#tail?.over();
    if (this.live) this.leave();
  }

  protected override dropPending(): void {
    this.#pending = null;
  }

  protected override keepPending(): void {
    if (this.#pending !== null) this.#pending = new Uint8Array(this.#pending);
  }
}

/** Status and all headers in one call to the library, which costs more than the text does: it writes what it is given behind `HTTP/1.1`, and ends the line. */
function headText(status: number, headers: Headers | HeaderLines): string {
  return statusLine(status) + (typeof headers === 'string' ? headers : headerLines(headers));
}

function byteLength(body: Uint8Array | string): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
