const HOST = /^(?:https?:\/\/)?(?:[a-z0-9-]+\.)?linkedin\.com(?::\d+)?\/+/;
const SLUG = /^[\p{L}\p{N}\p{M}._&'’-]{2,100}$/u;
const PERSON = /^(?:mwlite\/)?in\/([^/?#]+)/;
const COMPANY = /^(?:mwlite\/)?(company|school|showcase|edu)\/([^/?#]+)/;
const OTHER_PERSON = /^(pub\/[^?#]{1,200}(?=[?#]|$)|sales\/(?:people|lead)\/[^/?#,]{1,200}(?=[/?#,]|$))/;

/** The one form of a person's address, `https://www.linkedin.com/in/SLUG`; takes a bare slug too. */
export function linkedinPersonOf(text: string): string | null {
  const path = pathOf(text);
  if (path === null) return bare(text, 'in');
  const slug = slugOf(PERSON.exec(path)?.[1]);
  if (slug !== null) return address(`in/${slug}`);
  const other = OTHER_PERSON.exec(path)?.[1];
  return other === undefined ? null : address(other.replace(/\/+$/, ''));
}

/** The one form of a company's address, `https://www.linkedin.com/company/SLUG` (`school`, `showcase` where it is one); takes a bare slug too. */
export function linkedinCompanyOf(text: string): string | null {
  const path = pathOf(text);
  if (path === null) return bare(text, 'company');
  const [, kind, raw] = COMPANY.exec(path) ?? [];
  const slug = slugOf(raw);
  return slug === null ? null : address(`${kind === 'edu' ? 'school' : kind}/${slug}`);
}

const address = (path: string): string => `https://www.linkedin.com/${path}`;

function pathOf(text: string): string | null {
  const lower = text.trim().normalize('NFC').toLowerCase();
  return HOST.test(lower) ? lower.replace(HOST, '') : null;
}

/** What a column of links says where the links themselves were lost, or never were there. */
const NO_SLUG = /^(?:yes|no|true|false|ja|nein|oui|non|link|linkedin|profile|view|open|here|url|unknown|not-found)$/;

function bare(text: string, kind: string): string | null {
  const lower = text.trim().replace(/^@/, '').replace(new RegExp(`^/?${kind}/`, 'i'), '').replace(/\/$/, '').normalize('NFC').toLowerCase();
  return /^[a-z0-9][a-z0-9-]{1,99}$/.test(lower) && !NO_SLUG.test(lower) ? address(`${kind}/${lower}`) : null;
}

function slugOf(raw: string | undefined): string | null {
  if (raw === undefined) return null;
  const slug = decoded(raw).normalize('NFC').toLowerCase();
  return SLUG.test(slug) ? slug : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
