import { requirePackage } from '../lib/require_package.ts';

const { parse } = requirePackage('tldts') as typeof import('tldts');

type Suffix = {
  /** The suffix and one label more; null for a bare suffix. */
  readonly registrable: string | null;
  /** Whether the suffix list knows the top-level domain. */
  readonly known: boolean;
};

/** A name that passed the syntax has no top-level domain of digits: it is no IP address. */
const OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: false } as const;

/** Reads a lower-case A-label name against the public suffix list, private suffixes such as `github.io` included. Cost: under 1 us. */
export function suffixOf(domain: string): Suffix {
  const { domain: registrable, isIcann, isPrivate } = parse(domain, OPTIONS);
  return { registrable, known: isIcann === true || isPrivate === true };
}
