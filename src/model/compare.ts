import { asciiDomain, asciiEmail, letteredDomain, letteredEmail } from '../lib/domain_name.ts';
import { fold } from '../lib/fold.ts';
import { countryCode } from './country.ts';
import type { Row } from './field.ts';
import type { Comparison, FilterSpec } from './filter.ts';

/** The form in which a text filter compares its values and the rows' texts; blank in, blank out. */
export function comparable(compares: Comparison, text: string): string {
  switch (compares) {
    case 'folded': case 'enum': return fold(text.trim()).trim();
    case 'lower': return text.trim().toLowerCase();
    case 'domain': return asciiDomain(text.trim());
    case 'email': return asciiEmail(text.trim());
    case 'country': return countryCode(text) ?? text.trim().toUpperCase();
    case 'number': case 'date': case 'presence': throw new Error(`a ${compares} filter compares no text`);
    default: return compares satisfies never;
  }
}

/** A comparable text, and how else it may be spelled where it is kept by others, in lower case. */
export function spellings(compares: Comparison, text: string): readonly string[] {
  const lettered = compares === 'domain' ? letteredDomain(text) : compares === 'email' ? letteredEmail(text) : text;
  return lettered === text ? [text] : [text, lettered];
}

/** What two values of a facet share where they are one to the filter; a text that is no number or time is itself alone. */
export function facetKey(compares: Comparison, text: string): string {
  switch (compares) {
    case 'folded': case 'enum': case 'lower': case 'domain': case 'email': case 'country': return comparable(compares, text);
    case 'number': return keyOfNumber(Number(text), text);
    case 'date': return keyOfNumber(Date.parse(text), text);
    case 'presence': return text;
    default: return compares satisfies never;
  }
}

function keyOfNumber(number: number, text: string): string {
  return Number.isFinite(number) ? String(number) : text;
}

/** The text that the filter reads in one value of its field, trimmed, in its own spelling; null where blank. */
export function filteredText(spec: FilterSpec, value: string): string | null {
  const text = spec.name === 'email_domain' ? domainOf(value) : value;
  return text.trim() === '' ? null : text.trim();
}

/** The texts that the filter reads in a row: none for null, several for a list. */
export function filteredTexts(spec: FilterSpec, row: Row): string[] {
  const value = row[spec.field];
  const values = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return values.map((each) => filteredText(spec, each)).filter((text) => text !== null);
}

/** The number or the milliseconds since 1970 that an interval filter reads in a row; null where there is none. */
export function filteredNumber(spec: FilterSpec, row: Row): number | null {
  const value = row[spec.field];
  const number = spec.compares === 'date' && typeof value === 'string' ? Date.parse(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Whether a field holds anything: a blank, and a list of blanks, is null. */
export function isPresent(value: Row[string] | undefined): boolean {
  // A letter of ASCII to begin with is told at a glance: an ingest asks of every field of every row.
  if (typeof value === 'string') return (value.charCodeAt(0) > 0x20 && value.charCodeAt(0) < 0x7f) || value.trim() !== '';
  return Array.isArray(value) ? value.some((each) => each.trim() !== '') : value !== null && value !== undefined;
}

function domainOf(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 0 ? '' : email.slice(at + 1);
}
