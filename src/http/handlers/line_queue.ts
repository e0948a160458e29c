import { LIMITS } from '../../config/limits.ts';
import type { ByteSink } from '../../encode/byte_sink.ts';
import type { SinkPool } from '../../encode/sink_pool.ts';
import type { ResultTexts } from '../../validate/result_texts.ts';
import type { Exchange } from '../exchange.ts';

const LINE_END = 0x0a;
/** What the line of a result begins with; a batch has no more by default. */
const PLACES = Array.from({ length: LIMITS.validateEmailsMaxDefault }, (_, index) => Buffer.from(`{"index":${index},`));

/**
 * Lines that come when they come, written as the reader takes them: what arrives during a write goes with the next. Holds at most
 * what one call may produce. Of two sinks one is filled while the other leaves.
 */
export class LineQueue implements ResultTexts {
  readonly #exchange: Exchange;
  readonly #sinks: SinkPool;
  readonly #begin: () => void;
  #filling: ByteSink;
  #writing: Promise<void> | null = null;
  #bytes = 0;
  #results = 0;

  /** `begin` is called before the first line. */
  constructor(exchange: Exchange, sinks: SinkPool, begin: () => void) {
    this.#exchange = exchange;
    this.#sinks = sinks;
    this.#begin = begin;
    this.#filling = sinks.take();
  }

  get sink(): ByteSink {
    return this.#filling;
  }

  /** How many results there were while the reader was there. */
  get results(): number {
    return this.#results;
  }

  /** The line of a result says which it is. */
  open(index: number): void {
    if (this.#exchange.live) this.#results += 1;
    const place = PLACES[index];
    if (place === undefined) this.#filling.text(`{"index":${index},`);
    else this.#filling.bytes(place);
  }

  close(): void {
    this.#filling.byte(LINE_END);
    this.#writing ??= this.#drain();
  }

  /**
   * Resolves, with the bytes that were handed over, once all is. Nothing may follow. `line` is JSON, and a write of its own: one so small waits until
   * a slow reader has taken what lies before it, of which the server would else lose sight behind the end.
   */
  async end(line: string): Promise<number> {
    await this.#writing;
    this.#filling.text(line);
    this.close();
    await this.#writing;
    this.#exchange.end();
    this.#sinks.give(this.#filling);
    return this.#bytes;
  }

  /** Begins a turn later, so that results that are found together leave together. */
  async #drain(): Promise<void> {
    await Promise.resolve();
    if (!this.#exchange.begun) this.#begin();
    while (this.#filling.length > 0) {
      const leaving = this.#filling;
      this.#filling = this.#sinks.take();
      if (this.#exchange.live) this.#bytes += leaving.length;
      await this.#exchange.write(leaving.view());
      this.#sinks.give(leaving);
    }
    this.#writing = null;
  }
}
