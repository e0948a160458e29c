import { LIMITS } from '../config/limits.ts';
import { UNREACHABLE } from '../federation/outcome.ts';
import type { RowOutlet } from '../federation/stream.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Position } from '../plan/plan.ts';

/** Where a stream goes: told of cursors already sealed. */
export type StreamOutlet = Omit<RowOutlet, 'checkpoint'> & { cursor(cursor: string): Promise<void> };

/**
 * Puts off the first byte of a stream until something else than a missing source is known, because a call that reaches nobody is answered
 * by a status of its own. A source that is slow rather than missing does not hold it back for long. Places become cursors here.
 */
export class LateOutlet implements RowOutlet {
  readonly #begin: () => StreamOutlet;
  readonly #seal: (position: Position) => string;
  readonly #timer: NodeJS.Timeout | null;
  #outlet: StreamOutlet | null = null;
  readonly #missing: Outcome[] = [];
  #begun: Promise<StreamOutlet> | null = null;

  constructor(begin: () => StreamOutlet, seal: (position: Position) => string, wait: boolean) {
    this.#begin = begin;
    this.#seal = seal;
    // Whoever writes next is told how it went.
    this.#timer = wait ? setTimeout(() => { this.begin().catch(() => {}); }, LIMITS.streamBeginMsMax) : null;
    if (!wait) this.#outlet = begin();
  }

  get begun(): boolean { return this.#outlet !== null; }
  get gone(): boolean { return this.#outlet?.gone ?? false; }

  async chunk(...chunk: Parameters<RowOutlet['chunk']>): Promise<number> { return (await this.begin()).chunk(...chunk); }
  async rows(...rows: Parameters<RowOutlet['rows']>): Promise<void> { await (await this.begin()).rows(...rows); }
  async checkpoint(position: Position): Promise<void> { await (await this.begin()).cursor(this.#seal(position)); }

  async sourceEnded(outcome: Outcome): Promise<void> {
    const isMissing = outcome.status === 'skipped' || outcome.reason === UNREACHABLE;
    if (this.#outlet === null && isMissing) this.#missing.push(outcome);
    else await (await this.begin()).sourceEnded(outcome);
  }

  afford(rows: number): number | Promise<number> { return this.#opened().afford(rows); }

  /** Sends the head, and what was held back: once, and before whatever else is written. */
  begin(): Promise<StreamOutlet> { return (this.#begun ??= this.#send()); }

  /** Nothing was begun and nothing will be. */
  drop(): void { if (this.#timer !== null) clearTimeout(this.#timer); }

  async #send(): Promise<StreamOutlet> {
    const outlet = this.#opened();
    for (const outcome of this.#missing.splice(0)) await outlet.sourceEnded(outcome);
    return outlet;
  }

  #opened(): StreamOutlet {
    this.drop();
    return (this.#outlet ??= this.#begin());
  }
}
