import { LIMITS } from '../../config/limits.ts';
import type { Sql } from '../sql/dialect.ts';
import { literal } from './dialect.ts';

/**
 * Tells a server which statements to stop, because one that is left does not stop before it has something to write. One message is under
 * way at a time and names all that were left meanwhile: a server that hangs would otherwise be sent as many as it holds up, over the very
 * connections on which it is searched once it is back.
 */
export class Kills {
  readonly #send: (statement: Sql) => Promise<unknown>;
  #left: string[] = [];
  #sending = false;

  constructor(send: (statement: Sql) => Promise<unknown>) { this.#send = send; }

  /** `id` is that of a statement. The oldest are forgotten where there are too many. */
  add(id: string): void {
    this.#left.push(id);
    if (this.#left.length > LIMITS.clickhouseKillsMax) this.#left.shift();
    if (!this.#sending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    while (this.#left.length > 0) {
      const ids = this.#left;
      this.#left = [];
      await this.#send(`KILL QUERY WHERE query_id IN (${ids.map(literal).join(', ')}) ASYNC`).catch(() => {});
    }
    this.#sending = false;
  }
}
