import { hash } from 'node:crypto';
import { asciiDomain, asciiEmail, asciiName, letteredEmail } from '../../lib/domain_name.ts';
import { linkedinPageOf } from '../linkedin.ts';

export const SUPPRESSION_KINDS = ['email', 'domain', 'linkedin_url'] as const;
export type SuppressionKind = (typeof SUPPRESSION_KINDS)[number];

/**
 * What makes a row one that must not be seen. Of an email address only its SHA-256 is ever kept: a list of those who do not want
 * to be listed is no place for their addresses. The digests of the other kinds are over the kind and the value.
 */
export type SuppressionTerm = { readonly kind: SuppressionKind; readonly digest: Uint8Array; readonly value: string | null };

/** The address alone: of one with a name, a comma or a scheme beside it nothing would ever match. What stands in quotes may be anything. */
const EMAIL = /^(?:"(?:[^"\\]|\\.)+"|[^\s"(),:;<>@[\\\]]+)@(?:[\w.\x80-\u{10ffff}-]*[\w\x80-\u{10ffff}])$/u;
const UNREADABLE = /[\p{Cc}\p{Cs}]/u;
const SHA256 = /^[0-9a-f]{64}$/;
/** What may stand ahead of a host, the host, and what is behind. */
const SITE = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/)?(?:[^/?#@]*@)?([^/?#:]*).*$/is;
const DOMAIN = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** An address counts in every form of it. Null where the text is none. */
export function emailTerms(text: string): SuppressionTerm[] | null {
  const email = text.trim();
  if (!EMAIL.test(email) || UNREADABLE.test(email)) return null;
  return emailForms(email).map((form) => ({ kind: 'email', digest: emailDigest(form), value: null }));
}

export function sha256Terms(text: string): SuppressionTerm[] | null {
  const hex = text.trim().toLowerCase();
  return SHA256.test(hex) ? [{ kind: 'email', digest: Buffer.from(hex, 'hex'), value: null }] : null;
}

/** At least two labels: a whole top-level domain is not taken for one. */
export function domainTerms(text: string): SuppressionTerm[] | null {
  const domain = asciiName(text.trim().replace(/^@/, '').replace(/\.$/, ''));
  return DOMAIN.test(domain) ? [{ kind: 'domain', digest: domainDigest(domain), value: domain }] : null;
}

export function linkedinTerms(text: string): SuppressionTerm[] | null {
  if (!/linkedin\.com/i.test(text)) return null;
  const url = linkedinPageOf(text)?.toLowerCase() ?? null;
  return url === null ? null : [{ kind: 'linkedin_url', digest: linkedinDigest(url), value: url }];
}

/**
 * How an address may be written in lower case, whoever made a hash of it: as it is, composed with its domain in ASCII, and with that in
 * letters. `email` is trimmed; the form that it has comes first.
 */
export function emailForms(email: string): readonly string[] {
  const ascii = asciiEmail(email);
  const lower = email.toLowerCase();
  return ascii === lower && !ascii.includes('xn--') ? [lower] : [...new Set([lower, ascii, letteredEmail(ascii)])];
}

/** The domain of a field or an address, which may end in the dot of the root, or be a web address. */
export function domainIn(text: string): string {
  return asciiDomain(text.replace(SITE, '$1').replace(/\.$/, ''));
}

export function emailDigest(email: string): Buffer {
  return hash('sha256', email, 'buffer');
}

export function domainDigest(domain: string): Buffer {
  return hash('sha256', `domain:${domain}`, 'buffer');
}

/** What stands before an address of LinkedIn in what is hashed. */
export const LINKEDIN_LEAD = 'linkedin_url:';

/** As `emailDigest` and `linkedinDigest`, in a text of a letter a byte: a fifth of the cost where millions are made, there being no buffer to free. */
export function emailDigestText(email: string): string {
  return hash('sha256', email, 'binary');
}

export function linkedinDigestText(url: string): string {
  return hash('sha256', `${LINKEDIN_LEAD}${url}`, 'binary');
}

export function linkedinDigest(url: string): Buffer {
  return hash('sha256', `${LINKEDIN_LEAD}${url}`, 'buffer');
}

/** `a.b.example.com` → itself, `b.example.com`, `example.com`: a suppressed domain takes what lies below it along. */
export function* domainsAbove(domain: string): Generator<string> {
  for (let at = 0; domain.includes('.', at); at = domain.indexOf('.', at) + 1) yield domain.slice(at);
}
