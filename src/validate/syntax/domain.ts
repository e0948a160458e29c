import { isIPv4, isIPv6 } from 'node:net';
import { LIMITS } from '../../config/limits.ts';
import { isWellFormed } from '../../lib/well_formed.ts';
import type { SyntaxCode } from '../codes.ts';
import { DOT, HYPHEN, OPEN_BRACKET, faultOf } from './characters.ts';
import { decodeIdna, encodeIdna, quickIdna } from './idna.ts';

/** A name that may stand after the @: lower-case A-labels, and the same for people. */
export type DomainName = { readonly ascii: string; readonly unicode: string; readonly idn: boolean };

export function readDomain(text: string): DomainName | SyntaxCode {
  if (text.length === 0) return 'SYNTAX_DOMAIN_EMPTY';
  if (text.charCodeAt(0) === OPEN_BRACKET) return literalFault(text);
  const scan = scanLabels(text);
  if (typeof scan === 'string') return scan;
  if (scan === PLAIN) return { ascii: text, unicode: text, idn: false };
  const lower = text.toLowerCase();
  if (scan === UPPER) return { ascii: lower, unicode: lower, idn: false };
  return readInternational(text);
}

function readInternational(text: string): DomainName | SyntaxCode {
  if (!isWellFormed(text)) return 'SYNTAX_UNSAFE_UNICODE';
  const quick = quickIdna(text);
  if (quick === 'unsure') return readByTheBook(text);
  if (quick === null) return 'SYNTAX_IDNA';
  const scan = scanLabels(quick.ascii);
  return typeof scan === 'string' ? scan : { ...quick, idn: quick.unicode !== quick.ascii };
}

/** Cost: 15 to 150 us. */
export function readByTheBook(text: string): DomainName | SyntaxCode {
  const ascii = encodeIdna(text);
  if (ascii === null) return 'SYNTAX_IDNA';
  const scan = scanLabels(ascii);
  if (typeof scan === 'string') return scan;
  const unicode = decodeIdna(ascii);
  if (unicode === null || encodeIdna(unicode) !== ascii) return 'SYNTAX_IDNA';
  return { ascii, unicode, idn: unicode !== ascii };
}

type Scan = typeof PLAIN | typeof UPPER | typeof INTERNATIONAL;
const PLAIN = 0;
const UPPER = 1;
const INTERNATIONAL = 2;

/** The letter-digit-hyphen rule label by label. Of a name beyond ASCII only its ASCII part is judged here: the rest waits for its A-labels. */
function scanLabels(text: string): Scan | SyntaxCode {
  let kind: Scan = PLAIN;
  let edge: SyntaxCode | null = null;
  let start = 0;
  let labels = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? DOT : text.charCodeAt(at);
    if (code >= 128) kind = INTERNATIONAL;
    else if (code === DOT) {
      edge ??= labelFault(text, start, at);
      if (at - start > 4 && isAce(text, start)) kind = INTERNATIONAL;
      start = at + 1;
      labels += 1;
    } else if (!isLowerOrDigit(code) && code !== HYPHEN) {
      if (code < 65 || code > 90) return faultOf(code, 'SYNTAX_DOMAIN_CHAR');
      if (kind === PLAIN) kind = UPPER;
    }
  }
  if (kind === INTERNATIONAL && !isAscii(text)) return kind;
  if (edge !== null) return edge;
  if (text.length > LIMITS.domainOctetsMax) return 'SYNTAX_DOMAIN_TOO_LONG';
  if (labels < 2) return 'SYNTAX_NO_TLD';
  return endsInWord(text) ? kind : 'SYNTAX_NUMERIC_TLD';
}

function labelFault(text: string, start: number, end: number): SyntaxCode | null {
  if (start === end) return 'SYNTAX_LABEL_EMPTY';
  if (end - start > LIMITS.labelOctetsMax) return 'SYNTAX_LABEL_TOO_LONG';
  const edged = text.charCodeAt(start) === HYPHEN || text.charCodeAt(end - 1) === HYPHEN;
  return edged ? 'SYNTAX_LABEL_HYPHEN' : null;
}

/** `xn--`, any case. */
function isAce(text: string, start: number): boolean {
  return text.charCodeAt(start + 2) === HYPHEN && text.charCodeAt(start + 3) === HYPHEN
    && (text.charCodeAt(start) | 32) === 120 && (text.charCodeAt(start + 1) | 32) === 110;
}

function endsInWord(text: string): boolean {
  const start = text.lastIndexOf('.') + 1;
  return (isLetter(text.charCodeAt(start)) && isLetter(text.charCodeAt(text.length - 1))) || isAce(text, start);
}

function isLowerOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 128) return false;
  return true;
}

/** RFC 5321 4.1.3. In mail `::` stands for two groups or more. */
function literalFault(text: string): SyntaxCode {
  const inner = /^\[([^[\]\\%]*)\]$/.exec(text)?.[1];
  if (inner === undefined) return 'SYNTAX_LITERAL_INVALID';
  if (isIPv4(inner)) return 'SYNTAX_LITERAL_NOT_ALLOWED';
  const six = /^ipv6:(.*)$/i.exec(inner)?.[1];
  if (six === undefined || !isIPv6(six)) return 'SYNTAX_LITERAL_INVALID';
  const groups = six.split(':').filter((group) => group !== '').length + (six.includes('.') ? 1 : 0);
  return six.includes('::') && groups > 6 ? 'SYNTAX_LITERAL_INVALID' : 'SYNTAX_LITERAL_NOT_ALLOWED';
}
