import { headerLines, ownLines } from './answer_lines.ts';
import type { HeaderLines } from './exchange.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const NOT_KEPT = 'no-store';

const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const;
const NO_CONTENT = ['Content-Security-Policy', "default-src 'none'"] as const;
const NO_REFERRER = ['Referrer-Policy', 'no-referrer'] as const;

/** But for the id all answers in JSON have the same, so that they are put together and checked once. */
const JSON_LINES = commonLines(JSON_TYPE, NOT_KEPT);

/** What every answer of the API carries, whatever its status; nothing in it may be sniffed, framed, run or kept by a shared cache. `requestId` is ours. */
export function apiLines(requestId: string, contentType: string = JSON_TYPE, cacheControl: string = NOT_KEPT): HeaderLines {
  const common = contentType === JSON_TYPE && cacheControl === NOT_KEPT ? JSON_LINES : commonLines(contentType, cacheControl);
  return ownLines(`${common}\r\nX-Request-Id: ${requestId}`);
}

function commonLines(contentType: string, cacheControl: string): HeaderLines {
  return headerLines([['Content-Type', contentType], ['Cache-Control', cacheControl], NO_SNIFFING, NO_CONTENT, NO_REFERRER]);
}
