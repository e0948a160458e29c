import type { Headers } from './exchange.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** What every answer of the API carries, whatever its status; nothing in it may be sniffed, framed, run or kept by a shared cache. */
export function apiHeaders(requestId: string, contentType: string = JSON_TYPE, cacheControl = 'no-store'): Headers {
  return [
    ['Content-Type', contentType],
    ['X-Request-Id', requestId],
    ['Cache-Control', cacheControl],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', "default-src 'none'"],
    ['Referrer-Policy', 'no-referrer'],
  ];
}
