import type { Exchange, Headers, RequestHead } from '../../src/http/exchange.ts';
import { monotonicMs } from '../../src/lib/clock.ts';

/** An exchange without a socket: keeps what is answered, and reads as slowly as the test lets it. */
export class KeptExchange implements Exchange {
  readonly head: RequestHead = {
    method: 'POST', path: '/v1/find', query: '', headers: new Map(), remoteAddress: '127.0.0.1', arrivedMs: monotonicMs(),
  };
  /** What was sent. */
  body: Uint8Array | 'gone' = 'gone';
  live = true;
  begun = false;
  status = 0;
  headers: Headers = [];
  text = '';
  /** Of a whole answer. */
  bytes = Buffer.alloc(0);
  ended = false;
  /** Held while the reader takes nothing. */
  reading: Promise<void> = Promise.resolve();
  #waiting = false;
  readonly #listeners: (() => void)[] = [];

  onGone(listener: () => void): void { this.#listeners.push(listener); }
  readBody(): Promise<Uint8Array | 'gone'> { return Promise.resolve(this.body); }

  answer(status: number, headers: Headers, body: Uint8Array | string): void {
    this.begin(status, headers);
    this.bytes = Buffer.from(body);
    this.text += this.bytes.toString();
    this.end();
  }

  begin(status: number, headers: Headers): void {
    this.begun = true;
    this.status = status;
    this.headers = headers;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#waiting) throw new Error('two writes at once');
    this.#waiting = true;
    this.text += Buffer.from(bytes).toString();
    await this.reading;
    this.#waiting = false;
  }

  /** What was lent is another's then. */
  writeLent(bytes: Uint8Array): Promise<void> {
    const written = this.write(bytes);
    bytes.fill(0);
    return written;
  }

  end(): void {
    this.ended = true;
    this.live = false;
  }

  cut(): void { this.leave(); }

  leave(): void {
    this.live = false;
    for (const listener of this.#listeners) listener();
  }

  get lines(): string[] { return this.text.split('\n').slice(0, -1); }
}
