import { headerLines, ownLines } from './answer_lines.ts';
import type { HeaderLines, Headers } from './exchange.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
const NOT_KEPT = 'no-store';

const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const;
const NO_CONTENT = ['Content-Security-Policy', "default-src 'none'"] as const;
const NO_REFERRER = ['Referrer-Policy', 'no-referrer'] as const;

/** What every answer of the API carries, whatever its status; nothing in it may be sniffed, framed, run or kept by a shared cache. */
export function apiHeaders(requestId: string, contentType: string = JSON_TYPE, cacheControl: string = NOT_KEPT): Headers {
  return [['X-Request-Id', requestId], ...commonHeaders(contentType, cacheControl)];
}

function commonHeaders(contentType: string, cacheControl: string): Headers {
  return [['Content-Type', contentType], ['Cache-Control', cacheControl], NO_SNIFFING, NO_CONTENT, NO_REFERRER];
}

/** But for the id all answers in JSON have the same, so that they are put together and checked once. */
const JSON_LINES = headerLines(commonHeaders(JSON_TYPE, NOT_KEPT));

/** The same, ready to be sent. */
export function apiLines(requestId: string, contentType: string = JSON_TYPE, cacheControl: string = NOT_KEPT): HeaderLines {
  const common = contentType === JSON_TYPE && cacheControl === NOT_KEPT ? JSON_LINES : headerLines(commonHeaders(contentType, cacheControl));
  return ownLines(`${common}\r\nX-Request-Id: ${requestId}`);
}
