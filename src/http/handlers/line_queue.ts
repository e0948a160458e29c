import type { Exchange } from '../exchange.ts';

/**
 * Lines that come when they come, written as the reader takes them: what arrives during a write goes with the next. Holds at most
 * what one call may produce.
 */
export class LineQueue {
  readonly #exchange: Exchange;
  readonly #begin: () => void;
  #waiting = '';
  #writing: Promise<void> | null = null;
  #bytes = 0;

  /** `begin` is called before the first line. */
  constructor(exchange: Exchange, begin: () => void) {
    this.#exchange = exchange;
    this.#begin = begin;
  }

  /** `line` is JSON. */
  push(line: string): void {
    this.#waiting += `${line}\n`;
    this.#writing ??= this.#drain();
  }

  /** Resolves, with the bytes that were handed over, once all is. */
  async end(): Promise<number> {
    await this.#writing;
    this.#exchange.end();
    return this.#bytes;
  }

  /** Begins a turn later, so that results that are found together leave together. */
  async #drain(): Promise<void> {
    await Promise.resolve();
    if (!this.#exchange.begun) this.#begin();
    while (this.#waiting !== '') {
      const bytes = Buffer.from(this.#waiting);
      this.#waiting = '';
      this.#bytes += bytes.byteLength;
      await this.#exchange.write(bytes);
    }
    this.#writing = null;
  }
}
