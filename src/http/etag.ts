import { createHash } from 'node:crypto';
import { namesEtag } from '../lib/etag.ts';
import type { Call } from './call.ts';

/** A text with the ETag of its bytes. */
type Tagged = { readonly body: Uint8Array; readonly etag: string };

export function tagged(text: string): Tagged {
  const body = Buffer.from(text);
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** Answers a description, or 304 where the caller has it already. */
export function answerTagged(call: Call, { body, etag }: Tagged): void {
  const headers = [['ETag', etag]] as const;
  if (namesEtag(call.exchange.head.headers.get('if-none-match'), etag)) call.answer({ status: 304, headers, body: '', cacheControl: 'private, no-cache' });
  else call.answer({ status: 200, headers, body, cacheControl: 'private, no-cache' });
}
