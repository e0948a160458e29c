import { createHash } from 'node:crypto';
import { namesEtag } from '../lib/etag.ts';
import type { Call } from './call.ts';
import type { Headers } from './exchange.ts';

/** A body with the ETag of its bytes. */
type Tagged = { readonly body: Uint8Array; readonly etag: string };

export function tagged(body: Uint8Array): Tagged {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** Answers a description, or 304 where the caller has it already. `varies` is told by both, `coded` by the body's own answer. */
export function answerTagged(call: Call, { body, etag }: Tagged, varies: Headers = [], coded: Headers = []): void {
  const headers: Headers = [['ETag', etag], ...varies];
  if (namesEtag(call.exchange.head.headers.get('if-none-match'), etag)) call.answer({ status: 304, headers, body: '', cacheControl: 'private, no-cache' });
  else call.answer({ status: 200, headers: [...headers, ...coded], body, cacheControl: 'private, no-cache' });
}
