import type { BulkAnswer, StreamEnd } from './open.ts';
import type { ValidateError, ValidateRequest } from './request.ts';

type Meta = {
  readonly request_id: string;
  readonly took_ms: number;
  readonly cache: StreamEnd['cache'];
  readonly unique_domains: number;
};

/** The envelope of every answer of `/v1/email/validate`, as plain data. */
type Envelope =
  | { readonly data: object; readonly meta: Meta }
  | { readonly data: null; readonly meta: Record<string, never>; readonly error: ValidateError; readonly detail?: string; readonly retry_after?: number };

export function answered(request: ValidateRequest, answer: BulkAnswer, requestId: string): Envelope {
  const data = request.single ? answer.results[0]! : { results: answer.results, summary: answer.summary };
  return { data, meta: metaOf(answer, requestId) };
}

/** `more`: what the answer of a tripped cap says besides. */
export function failed(error: ValidateError, more: { readonly detail?: string; readonly retry_after?: number }): Envelope {
  return { data: null, meta: {}, error, ...more };
}

type Price = { readonly units_charged: number; readonly units_remaining: number | null };

/** The last line of a stream, which has no headers to tell what it cost. */
export function ended(end: StreamEnd, requestId: string, price: Price): { readonly '@end': { readonly summary: StreamEnd['summary']; readonly meta: Meta } & Price } {
  return { '@end': { summary: end.summary, meta: metaOf(end, requestId), ...price } };
}

export function metaOf({ tookMs, cache, uniqueDomains }: StreamEnd, requestId: string): Meta {
  return { request_id: requestId, took_ms: tookMs, cache, unique_domains: uniqueDomains };
}
