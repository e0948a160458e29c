import { LIMITS } from '../config/limits.ts';
import type { ExchangeBounds, ServerSettings } from './exchange.ts';
import { Running } from './running.ts';
import { Stalls } from './stalls.ts';

/** What all exchanges of one server share. */
export type Surroundings = { readonly bounds: ExchangeBounds; readonly running: Running; readonly stalls: Stalls };

export function makeSurroundings(settings: ServerSettings): Surroundings {
  const { bodyStallMs, bodyDropBytesMax, bodyDropMsMax, streamStallMs } = LIMITS;
  const bounds: ExchangeBounds = { bodyStallMs, bodyDropBytesMax, bodyDropMsMax, streamStallMs, ...settings.bounds };
  return { bounds, running: new Running(), stalls: new Stalls(Math.min(bounds.bodyStallMs, bounds.streamStallMs)) };
}

export function portTaken({ host, port }: ServerSettings, cause?: unknown): Error {
  return new Error(`Cannot listen on ${host}:${port}: the port is taken, or the address is not of this machine.`, { cause });
}
