import type { Row } from '../../model/field.ts';

/** What of a row a suppression may name. */
export type IdentityTraits = { readonly email: string | null; readonly domains: readonly string[]; readonly linkedinUrl: string | null };

/** Says which rows of foreign sources must not be returned, counted or lend a field. */
export interface Suppressed {
  has(traits: IdentityTraits): boolean;
}

/** In lower case, as suppressions are compared. The domains are the email's and the company's. */
export function identityTraits(row: Row): IdentityTraits {
  const text = (field: string): string | null => {
    const value = row[field];
    return typeof value === 'string' && value.trim() !== '' ? value.trim().toLowerCase() : null;
  };
  const email = text('email');
  const domains = [email === null ? null : email.slice(email.lastIndexOf('@') + 1), text('domain'), text('company_domain')];
  return { email, domains: domains.filter((domain) => domain !== null), linkedinUrl: text('linkedin_url') };
}
