import { LIMITS } from '../config/limits.ts';
import type { Exchange, ExchangeBounds, ServerSettings } from './exchange.ts';
import { Running } from './running.ts';
import { Stalls } from './stalls.ts';

/** What all exchanges of one server share. */
export type Surroundings = {
  readonly bounds: ExchangeBounds;
  readonly running: Running;
  readonly stalls: Stalls;
  /** What is held of answers that have ended and are not read yet. */
  readonly unread: { bytes: number };
  /** Has a fault answered, or the connection cut. Never throws: it is called where a throw would end the process. */
  fault(exchange: Exchange, error: unknown): void;
};

export function makeSurroundings(settings: ServerSettings): Surroundings {
  const { bodyStallMs, bodyPaceBytes, bodyDropBytesMax, bodyDropMsMax, streamStallMs, unreadBytesMax } = LIMITS;
  const bounds: ExchangeBounds = { bodyStallMs, bodyPaceBytes, bodyDropBytesMax, bodyDropMsMax, streamStallMs, unreadBytesMax, ...settings.bounds };
  const stalls = new Stalls(Math.min(bounds.bodyStallMs, bounds.streamStallMs));
  return { bounds, running: new Running(), stalls, unread: { bytes: 0 }, fault: (exchange, error) => { settleFault(exchange, error, settings); } };
}

function settleFault(exchange: Exchange, error: unknown, settings: ServerSettings): void {
  try {
    settings.onFault?.(exchange, error);
  } catch {
    // Whoever answers faults has failed too: the cut below is all the answer there is.
  }
  exchange.cut();
}
