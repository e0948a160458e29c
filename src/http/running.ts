import type { Exchange, Handler, ServerSettings } from './exchange.ts';

/** The exchanges under way on one server, and whether it takes leave. */
export class Running {
  draining = false;
  #count = 0;
  #whenNone: (() => void)[] = [];

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    const listeners = this.#whenNone;
    this.#whenNone = [];
    for (const listener of listeners) listener();
  }

  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => { this.#whenNone.push(resolve); });
  }
}

/** Runs the handler so that whatever it throws, and whenever, ends this exchange alone. */
export function runHandler(handler: Handler, exchange: Exchange, settings: ServerSettings): void {
  try {
    const ended = handler(exchange);
    if (ended !== undefined) void awaitEnd(ended, exchange, settings);
  } catch (error) {
    settleFault(exchange, error, settings);
  }
}

async function awaitEnd(ended: Promise<void>, exchange: Exchange, settings: ServerSettings): Promise<void> {
  try {
    await ended;
    if (exchange.live) throw new Error('the handler ended before its answer');
  } catch (error) {
    settleFault(exchange, error, settings);
  }
}

function settleFault(exchange: Exchange, error: unknown, settings: ServerSettings): void {
  try {
    settings.onFault?.(exchange, error);
  } catch {
    // Whoever answers faults has failed too: the cut below is all the answer there is.
  }
  exchange.cut();
}
