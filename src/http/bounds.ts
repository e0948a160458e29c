import { LIMITS } from '../config/limits.ts';
import type { ExchangeBounds, ServerSettings } from './exchange.ts';

export function exchangeBounds({ bounds }: ServerSettings): ExchangeBounds {
  const { bodyStallMs, bodyDropBytesMax, bodyDropMsMax, streamStallMs } = LIMITS;
  return { bodyStallMs, bodyDropBytesMax, bodyDropMsMax, streamStallMs, ...bounds };
}

export function portTaken({ host, port }: ServerSettings): Error {
  return new Error(`Cannot listen on ${host}:${port}: the port is taken, or the address is not of this machine.`);
}
