import { LIMITS } from '../../config/limits.ts';
import { Breaker } from '../breaker.ts';
import { type Description, type ForeignSource, SourceFailure } from '../source.ts';

/** One of the servers of a source: left out while its breaker is open, and probed meanwhile. */
export class Replica {
  readonly source: ForeignSource;
  readonly #breaker = new Breaker(false);
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  /** Whether there are others to be asked instead; one that stands alone is always asked. */
  readonly #hasPeers: boolean;

  constructor(source: ForeignSource, hasPeers: boolean) {
    this.source = source;
    this.#hasPeers = hasPeers;
  }

  get open(): boolean { return this.#breaker.open; }

  answered(): void { this.#breaker.answered(); }

  /** It failed, or was silent while another one answered. */
  failed(): void {
    if (this.#hasPeers && this.#breaker.failed()) this.#probeLater();
  }

  async describe(signal: AbortSignal): Promise<Description> {
    try {
      const description = await this.source.describe(signal);
      this.answered();
      return description;
    } catch (error) {
      this.#undescribed(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.source.close();
  }

  /** It is seldom asked, and where the first one serves all searches by nothing else: once is enough. One that has no room is there. */
  #undescribed(error: unknown): void {
    if (error instanceof SourceFailure && error.code === 'overloaded') this.failed();
    else if (this.#hasPeers && this.#breaker.gone()) this.#probeLater();
  }

  #probeLater(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.describe(AbortSignal.timeout(LIMITS.describeMs)).catch(() => { if (this.open) this.#probeLater(); });
    }, this.#breaker.probeInMs(Math.random()));
    this.#timer.unref();
  }
}
