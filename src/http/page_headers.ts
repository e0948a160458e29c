import type { Headers } from './exchange.ts';

/** Nothing is loaded from elsewhere, nothing inline runs, no other site frames a page or takes its forms. Images may be part of a style: such are the icons by which password managers mark a field. */
const POLICY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const HSTS_SECONDS = 31_536_000;

/**
 * What every page carries. The referrer stays within the site and is not left out altogether: without one a browser that sends no
 * `Sec-Fetch-Site` calls the origin of its forms `null`.
 */
export function pageHeaders(requestId: string, contentType: string, cacheControl: string, secure: boolean): Headers {
  return [
    ['Content-Type', contentType],
    ['X-Request-Id', requestId],
    ['Cache-Control', cacheControl],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', POLICY],
    ['Referrer-Policy', 'same-origin'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ...(secure ? [['Strict-Transport-Security', `max-age=${HSTS_SECONDS}`] as const] : []),
  ];
}
