import type { Exchange, Handler } from './exchange.ts';
import type { Surroundings } from './surroundings.ts';

/** Runs the handler so that whatever it throws, and whenever, ends this exchange alone. */
export function runHandler(handler: Handler, exchange: Exchange, around: Surroundings): void {
  try {
    const ended = handler(exchange);
    if (ended !== undefined) void awaitEnd(ended, exchange, around);
  } catch (error) {
    around.fault(exchange, error);
  }
}

async function awaitEnd(ended: Promise<void>, exchange: Exchange, around: Surroundings): Promise<void> {
  try {
    await ended;
    if (exchange.live) throw new Error('the handler ended before its answer');
  } catch (error) {
    around.fault(exchange, error);
  }
}
