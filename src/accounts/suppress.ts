import { LIMITS } from '../config/limits.ts';
import { domainTerms, emailTerms, linkedinTerms, sha256Terms, type SuppressionTerm } from '../model/suppression/term.ts';
import type { Suppression } from '../store/suppression_store.ts';

/** How a suppression may be given. */
export const SUPPRESSION_FORMS = ['email', 'email_sha256', 'domain', 'linkedin_url'] as const;
export type SuppressionForm = (typeof SUPPRESSION_FORMS)[number];

/** What each form takes, for those who gave something else. */
export const FORM_EXPECTED: Readonly<Record<SuppressionForm, string>> = {
  email: 'an email address',
  email_sha256: 'the SHA-256 of a trimmed, lower-case email address, as 64 hexadecimal digits',
  domain: 'a domain such as example.com',
  linkedin_url: 'the address of a LinkedIn profile or company page',
};

/** The terms of one value; null where it is not of the form. */
export function suppressionTerms(form: SuppressionForm, text: string): SuppressionTerm[] | null {
  if (text.length > LIMITS.suppressionCharactersMax) return null;
  switch (form) {
    case 'email': return emailTerms(text);
    case 'email_sha256': return sha256Terms(text);
    case 'domain': return domainTerms(text);
    case 'linkedin_url': return linkedinTerms(text);
    default: return form satisfies never;
  }
}

/** The form that a value most likely has. */
export function formOf(text: string): SuppressionForm {
  if (/linkedin\.com\//i.test(text)) return 'linkedin_url';
  if (/^\s*[0-9a-f]{64}\s*$/i.test(text)) return 'email_sha256';
  return text.includes('@') && !text.trim().startsWith('@') ? 'email' : 'domain';
}

export type ShownSuppression = { readonly form: SuppressionForm; readonly value: string; readonly created_at: string };

/** An address shows as the hash that is all that was kept of it. */
export function shownSuppression({ kind, digest, value, createdMs }: Suppression): ShownSuppression {
  const created_at = new Date(createdMs).toISOString();
  if (kind === 'email') return { form: 'email_sha256', value: Buffer.from(digest).toString('hex'), created_at };
  return { form: kind, value: value ?? '', created_at };
}
