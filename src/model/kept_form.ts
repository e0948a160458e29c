import { linkedinPageOf, PLAIN_PAGE } from './linkedin.ts';
import type { FilterSpec } from './filter.ts';
import { domainIn } from './suppression/term.ts';

/** The form in which lakes keep what a comparable text means; null where the text is no such thing. */
export type KeptForm = (text: string) => string | null;

const PAGE = /linkedin\.com/;
/** What no bare domain has: the signs of an address around it, the label of web servers, the dot of the root. */
const AROUND_DOMAIN = /[:/@?#]|^www\.|\.$/;
/** More of them than one, and blanks between, are slips that mean no other domain. */
const ROOT = /(?<![\s.])[\s.]+$/;
const WEB = /^(?:www\.\s*)+/;

/** Of the filters whose values people copy from where they are written otherwise; null for all others. */
export function keptFormOf({ name, compares }: FilterSpec): KeptForm | null {
  return compares === 'domain' ? keptDomain : name === 'linkedin_url' ? keptPage : null;
}

/** Texts that were read with their kept forms, less those that the others bring with them wherever they are read so. */
export function withoutKept(spec: FilterSpec, texts: readonly string[]): readonly string[] {
  const keptForm = keptFormOf(spec);
  if (keptForm === null) return texts;
  const known = new Set<string | null>(texts);
  // Some that are kept as they are bring themselves.
  const others = (text: string): string | null => { const form = keptForm(text); return form === text ? null : form; };
  const brought = new Set(texts.map(others));
  // What is brought may bring another one in its turn, which is among them only if somebody asked for both.
  return texts.filter((text) => !brought.has(text) || known.has(others(text)));
}

/** Of a web address, and of what stands behind an `@`. What is left brings nothing new where it is read in its turn. */
function keptDomain(text: string): string | null {
  if (!AROUND_DOMAIN.test(text)) return null;
  const host = domainIn(text);
  const named = host.slice(host.lastIndexOf('@') + 1).replace(ROOT, '').trim();
  const rest = named.replace(WEB, '');
  // There is a domain `www.com`.
  const bare = domainIn(rest === named || rest.includes('.') ? rest : `www.${rest}`);
  if (bare === '') return null;
  return bare === text ? bare : keptDomain(bare) ?? bare;
}

/** Of any address of a page of LinkedIn. */
function keptPage(text: string): string | null {
  return PLAIN_PAGE.test(text) || !PAGE.test(text) ? null : linkedinPageOf(text);
}
