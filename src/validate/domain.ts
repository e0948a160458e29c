import { suffixOf } from './public_suffix.ts';

/** What a name tells by itself. */
export type DomainFacts = { readonly registrable: string | null; readonly specialUse: boolean; readonly tldKnown: boolean };

/** RFC 6761 and its followers, and `internal`: no public mail host can stand below these. */
const SPECIAL_USE = new Set(['test', 'example', 'invalid', 'localhost', 'local', 'onion', 'arpa', 'alt', 'internal']);

export function domainFacts(domain: string): DomainFacts {
  const specialUse = SPECIAL_USE.has(domain.slice(domain.lastIndexOf('.') + 1));
  const { registrable, known } = suffixOf(domain);
  return { registrable, specialUse, tldKnown: known };
}
