import { LIMITS } from '../../config/limits.ts';
import { isWellFormed } from '../../lib/well_formed.ts';
import type { SyntaxCode } from '../codes.ts';
import { AT, QUOTE } from './characters.ts';
import { readDomain, type DomainName } from './domain.ts';
import { octets, readDotString, readQuoted, type Local } from './local.ts';

/** A well-formed envelope address (RFC 5321 Mailbox with RFC 6531), normalised: NFC, needless quotes gone, the domain in A-labels. */
export type Address = { readonly local: Local; readonly domain: DomainName };

type Reading =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly code: SyntaxCode; readonly suggestion: string | null; readonly domain: DomainName | null };

/** Never throws, and takes time in proportion to the first kibibyte at most. */
export function readAddress(input: string): Reading {
  if (isTooMuch(input)) return refused('SYNTAX_TOO_LONG');
  const reading = read(input);
  return reading.ok ? reading : explain(input, reading);
}

export function emailOf({ local, domain }: Address): string {
  return `${local.text}@${domain.ascii}`;
}

/** A UTF-16 unit is at most three octets of UTF-8: short texts need no counting. */
function isTooMuch(input: string): boolean {
  const max = LIMITS.addressInputOctetsMax;
  return input.length > max || (input.length * 3 > max && octets(input) > max);
}

function read(input: string): Reading {
  if (input.charCodeAt(0) === QUOTE) return readWithQuotes(input);
  const at = input.indexOf('@');
  if (at === -1) return refused(input.trim() === '' ? 'SYNTAX_EMPTY' : 'SYNTAX_NO_AT');
  const sent = input.slice(0, at);
  return join(sent, readDotString(sent), input.slice(at + 1));
}

function readWithQuotes(input: string): Reading {
  const quoted = readQuoted(input);
  if (typeof quoted === 'string') return refused(quoted);
  if (quoted.end === input.length) return refused('SYNTAX_NO_AT');
  if (input.charCodeAt(quoted.end) !== AT) return refused('SYNTAX_QUOTE_UNCLOSED');
  return join(input.slice(0, quoted.end), quoted.local, input.slice(quoted.end + 1));
}

function join(sent: string, local: Local | SyntaxCode, rest: string): Reading {
  if (rest.includes('@') && !rest.startsWith('[')) return refused(local === 'SYNTAX_QUOTE_UNCLOSED' ? local : 'SYNTAX_MULTIPLE_AT');
  const domain = readDomain(rest);
  if (typeof local === 'string') return refused(local, typeof domain === 'string' ? null : domain);
  if (typeof domain === 'string') return refused(domain);
  const longer = local.eai || local.text !== sent ? Math.max(octets(local.text), octets(sent)) : sent.length;
  if (longer + 1 + domain.ascii.length > LIMITS.addressOctetsMax) return refused('SYNTAX_TOO_LONG');
  return { ok: true, address: { local, domain } };
}

function refused(code: SyntaxCode, domain: DomainName | null = null): Reading {
  return { ok: false, code, suggestion: null, domain };
}

/** What surrounds an address says more than the character at which the scan stopped; the address inside is the suggestion. */
function explain(input: string, reading: Reading & { ok: false }): Reading {
  const inner = input.includes('>') ? /<([^<>]*)>\s*$/.exec(input)?.[1] : undefined;
  if (inner !== undefined) return around('SYNTAX_DISPLAY_NAME', inner.trim());
  const trimmed = input.trim();
  if (trimmed === input || trimmed === '') return lone(input, reading);
  const edges = input.slice(0, input.indexOf(trimmed)) + input.slice(input.indexOf(trimmed) + trimmed.length);
  return around(/[^\P{Cc}\t]/u.test(edges) ? 'SYNTAX_CONTROL_CHAR' : 'SYNTAX_WHITESPACE', trimmed);
}

function around(code: SyntaxCode, inner: string): Reading {
  const reading = read(inner);
  return { ok: false, code, suggestion: reading.ok ? emailOf(reading.address) : null, domain: reading.ok ? reading.address.domain : reading.domain };
}

/** Folding is a blank, not a line break; an unpaired surrogate outweighs whatever else is wrong. */
function lone(input: string, reading: Reading & { ok: false }): Reading {
  if (!isWellFormed(input)) return { ...reading, code: 'SYNTAX_UNSAFE_UNICODE' };
  if (reading.code === 'SYNTAX_CONTROL_CHAR' && /\r\n[ \t]/.test(input)) return { ...reading, code: 'SYNTAX_WHITESPACE' };
  return reading;
}
