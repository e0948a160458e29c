import type { Headers, RequestHead } from './exchange.ts';

export type Cors = {
  /** Whether a browser asks by it, for a page of an allowed origin, before it sends the call itself. */
  isPreflight(head: RequestHead): boolean;
  /** What the 204 that answers OPTIONS on a path with these verbs has beside the headers of `answer`. */
  options(head: RequestHead, allow: string): Headers;
  /** Headers of every answer to this request. */
  answer(head: RequestHead): Headers;
};

const NONE: Headers = [];
const PREFLIGHT_SECONDS = '600';
const REQUEST_HEADERS = 'Authorization, Content-Type, Accept, X-Request-Id, If-None-Match';
const EXPOSED = [
  'X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Units-Charged', 'X-Units-Remaining', 'Server-Timing', 'ETag',
  'X-Total', 'X-Partial', 'X-Next-Cursor',
].join(', ');

/** Origins are compared whole. No credentials are ever allowed: a browser page sends its key itself, or none. */
export function makeCors(origins: readonly string[]): Cors {
  if (origins.length === 0) return { isPreflight: () => false, options: (_, allow) => [['Allow', allow]], answer: () => NONE };
  const allowed = new Set(origins);
  const originOf = (head: RequestHead): string | null => {
    const origin = head.headers.get('origin');
    return origin !== undefined && allowed.has(origin) ? origin : null;
  };
  return {
    isPreflight: (head) => head.method === 'OPTIONS' && head.headers.get('access-control-request-method') !== undefined && originOf(head) !== null,
    options: (head, allow) => optionsHeaders(originOf(head), allow),
    answer: (head) => answerHeaders(originOf(head)),
  };
}

function optionsHeaders(origin: string | null, allow: string): Headers {
  if (origin === null) return [['Allow', allow]];
  return [
    ['Allow', allow],
    ['Access-Control-Allow-Methods', allow],
    ['Access-Control-Allow-Headers', REQUEST_HEADERS],
    ['Access-Control-Max-Age', PREFLIGHT_SECONDS],
  ];
}

/** `Vary` also where the origin is none of ours: a shared cache must not give one origin the answer made for another. */
function answerHeaders(origin: string | null): Headers {
  if (origin === null) return [['Vary', 'Origin']];
  return [['Vary', 'Origin'], ['Access-Control-Allow-Origin', origin], ['Access-Control-Expose-Headers', EXPOSED]];
}
