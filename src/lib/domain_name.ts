import { domainToASCII } from 'node:url';
import { isAscii } from './ascii.ts';
import { requirePackage } from './require_package.ts';

const { toASCII, toUnicode } = requirePackage('tr46') as typeof import('tr46');

const HOST = /^[\w.-]+$/;
/** No longer than a name of the DNS can be. What else of ASCII may stand in an address of the web would be read as such: cut off, decoded, taken for a port. */
const NAME = /^[\w.\x80-\u{10ffff}-]{1,253}$/u;

/**
 * Names of the DNS by tables that come with the service: what is made of a name is stored and hashed, and Node's own tables, which differ between its
 * versions, would not find it again. The order of letters from right to left is not judged: names stand in data as they were typed.
 */
const READING = { checkJoiners: true } as const;

/** The one form of a domain: in lower case, its letters beyond ASCII as A-labels. What is no name stays, in lower case. Under 1 us for ASCII, some 30 for others. */
export function asciiDomain(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const lower = text.toLowerCase();
  // Of a few letters the tables know the small one alone.
  return (NAME.test(text) && (asciiName(text) || asciiName(lower))) || lower.normalize('NFC');
}

/** The A-labels of a name as browsers make them; empty where there are none. The capital sharp s, which they take for two letters, is one. */
export function asciiName(text: string): string {
  const composed = text.normalize('NFC').replaceAll('ẞ', 'ß');
  if (isPlain(text) || !NAME.test(text)) return domainToASCII(composed);
  const name = toASCII(composed, READING) ?? '';
  return HOST.test(name) ? name : '';
}

/** Of no more than ASCII, also where it is decoded. */
function isPlain(text: string): boolean {
  return isAscii(text) && !/xn--/i.test(text);
}

/** A domain in the form of `asciiDomain` as people write it; itself where that is no name of it. */
export function letteredDomain(ascii: string): string {
  if (!ascii.includes('xn--') || !NAME.test(ascii)) return ascii;
  const lettered = toUnicode(ascii, READING).domain;
  return asciiDomain(lettered) === ascii ? lettered : ascii;
}

/** The one form of an address: `asciiDomain` behind the last `@`, before it lower case and composed. */
export function asciiEmail(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const behind = text.lastIndexOf('@') + 1;
  return `${text.slice(0, behind).toLowerCase().normalize('NFC')}${asciiDomain(text.slice(behind))}`;
}

/** An address in the form of `asciiEmail` as people write it. */
export function letteredEmail(ascii: string): string {
  const behind = ascii.lastIndexOf('@') + 1;
  return behind === 0 ? ascii : `${ascii.slice(0, behind)}${letteredDomain(ascii.slice(behind))}`;
}
