import type { ReasonCode } from './codes.ts';
import { suffixOf } from './public_suffix.ts';

/** What a name tells by itself. */
export type DomainFacts = { readonly registrable: string | null; readonly domainCodes: readonly ReasonCode[] };

/** RFC 6761 and its followers, and `internal`: no public mail host can stand below these. */
const SPECIAL_USE = new Set(['test', 'example', 'invalid', 'localhost', 'local', 'onion', 'arpa', 'alt', 'internal']);

const NONE: readonly ReasonCode[] = [];
const RESERVED: readonly ReasonCode[] = ['DOMAIN_SPECIAL_USE'];
const UNKNOWN_TLD: readonly ReasonCode[] = ['DOMAIN_UNKNOWN_TLD'];

export function domainFacts(domain: string): DomainFacts {
  const { registrable, known } = suffixOf(domain);
  const isSpecial = SPECIAL_USE.has(domain.slice(domain.lastIndexOf('.') + 1));
  return { registrable, domainCodes: isSpecial ? RESERVED : known ? NONE : UNKNOWN_TLD };
}
