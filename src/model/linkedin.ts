const HOST = /^(?:https?:\/\/)?(?:[a-z0-9-]+\.)?linkedin\.com(?::\d+)?\/+/i;
const SLUG = /^[\p{L}\p{N}\p{M}._&'’-]{2,100}$/u;
const PERSON = /^(?:mwlite\/)?in\/([^/?#]+)/i;
const COMPANY = /^(?:mwlite\/)?(company|school|showcase|edu)\/([^/?#]+)/i;
const OTHER_PERSON = /^(pub\/[^?#]{1,200}(?=[?#]|$)|(sales\/(?:people|lead)\/)([^/?#,]{1,200})(?=[/?#,]|$))/i;
/** What LinkedIn calls a member by, as Sales Navigator exports it. Unlike a name that its owner chose it leads nowhere in another case. */
const MEMBER = /^A[A-Z][A-Za-z]A[\w-]{20,96}$/;

/** The one form of a person's address, `https://www.linkedin.com/in/SLUG`; takes a bare slug too. In lower case, but for the id of a member: it is compared in lower case. */
export function linkedinPersonOf(text: string): string | null {
  const path = pathOf(text);
  if (path === null) return bare(text, 'in');
  const raw = PERSON.exec(path)?.[1];
  const slug = slugOf(raw);
  if (slug !== null) return address(`in/${MEMBER.test(raw!) ? raw : slug}`);
  const [, other, lead, member] = OTHER_PERSON.exec(path) ?? [];
  if (other === undefined) return null;
  return address(member !== undefined && MEMBER.test(member) ? `${lead!.toLowerCase()}${member}` : other.toLowerCase().replace(/\/+$/, ''));
}

/** The one form of a company's address, `https://www.linkedin.com/company/SLUG` (`school`, `showcase` where it is one); takes a bare slug too. */
export function linkedinCompanyOf(text: string): string | null {
  const path = pathOf(text);
  if (path === null) return bare(text, 'company');
  const [, written, raw] = COMPANY.exec(path) ?? [];
  const slug = slugOf(raw);
  const kind = written?.toLowerCase();
  return slug === null ? null : address(`${kind === 'edu' ? 'school' : kind}/${slug}`);
}

/** The one form of the address of a person's page or a company's. */
export function linkedinPageOf(text: string): string | null {
  return linkedinPersonOf(text) ?? linkedinCompanyOf(text);
}

/** An address that is in the one form already, but for slugs beyond plain letters: nearly every one of a lake, and told at a tenth of what it costs to make it. */
export const PLAIN_PAGE = /^https:\/\/www\.linkedin\.com\/(?:in|company|school)\/[a-z0-9-]{2,100}$/;

const address = (path: string): string => `https://www.linkedin.com/${path}`;

function pathOf(text: string): string | null {
  const written = text.trim().normalize('NFC');
  return HOST.test(written) ? written.replace(HOST, '') : null;
}

/** What a column of links says where the links themselves were lost, or never were there. */
const NO_SLUG = /^(?:yes|no|true|false|ja|nein|oui|non|link|linkedin|profile|view|open|here|url|unknown|not-found)$/;

function bare(text: string, kind: string): string | null {
  const written = text.trim().replace(/^@/, '').replace(new RegExp(`^/?${kind}/`, 'i'), '').replace(/\/$/, '').normalize('NFC');
  if (kind === 'in' && MEMBER.test(written)) return address(`in/${written}`);
  const lower = written.toLowerCase();
  return /^[a-z0-9][a-z0-9-]{1,99}$/.test(lower) && !NO_SLUG.test(lower) ? address(`${kind}/${lower}`) : null;
}

function slugOf(raw: string | undefined): string | null {
  if (raw === undefined) return null;
  const slug = decoded(raw.toLowerCase()).normalize('NFC').toLowerCase();
  return SLUG.test(slug) ? slug : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
