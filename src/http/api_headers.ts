import type { Headers } from './exchange.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const;
const NO_CONTENT = ['Content-Security-Policy', "default-src 'none'"] as const;
const NO_REFERRER = ['Referrer-Policy', 'no-referrer'] as const;

/** What every answer of the API carries, whatever its status; nothing in it may be sniffed, framed, run or kept by a shared cache. */
export function apiHeaders(requestId: string, contentType: string = JSON_TYPE, cacheControl = 'no-store'): Headers {
  return [['Content-Type', contentType], ['X-Request-Id', requestId], ['Cache-Control', cacheControl], NO_SNIFFING, NO_CONTENT, NO_REFERRER];
}
