import { asciiName } from '../../lib/domain_name.ts';
import { tidy } from './text.ts';

const WRAPPED = /<([^<>]*)>/;
const PART = /(?:(?!:::)[^\s,;|])+/g;
/** A comma between letters is a slip of the pen for a point: `john,smith@acme.com` is no address of somebody called smith. */
const SLIP = /(?:^|[\s,;|])([\w.+-]{1,64}),$/;
const SLIP_CHARACTERS_MAX = 66;
/** What people and spreadsheets put about an address, and the name of its kind before it. A run within it is looked through from its first sign alone. */
const ABOUT = /^(?:[a-z-]+:)?['"(<[]+|^[a-z-]+:|(?<!['")>\].])['")>\].]+$/gi;
/** Letters that a seller put out until the address is paid for: many people have the same. */
const MASKED = /[*•]{2}/;
/** What a seller writes in place of an address that is not paid for, and people where a form wants one: many people have the same. */
export const PLACEHOLDER = /^(?:email_not_unlocked@|no(?:ne|[-_]?e?mail)?@(?:no(?:ne|[-_]?e?mail)?|email|example|domain)\.)/;
/** How all of those begin. */
export const PLACEHOLDER_STARTS: readonly string[] = ['email_not_unlocked@', 'no'];
const LOCAL = /^[^\s@"<>(),:;\\[\]]{1,64}$/;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
/** What services that verify addresses call the outcome, words parted by blanks. */
const STATUSES: ReadonlyMap<string, string> = new Map([
  ...['verified', 'valid', 'deliverable', 'ok', 'good', 'safe', 'safe to send', 'true', 'yes', '1', 'confirmed'].map((word) => [word, 'verified'] as const),
  ...['risky', 'catch all', 'catchall', 'accept all', 'acceptall', 'ok for all', 'guessed', 'likely', 'extrapolated', 'role', 'disposable', 'do not mail', 'abuse', 'spamtrap', 'spam trap', 'toxic'].map((word) => [word, 'risky'] as const),
  ...['invalid', 'not valid', 'undeliverable', 'bad', 'bounced', 'bounce', 'hard bounce', 'hard bounced', 'fail', 'failed', 'false', 'no', '0', 'unavailable'].map((word) => [word, 'invalid'] as const),
  ...['unknown', 'unverified', 'unverifiable', 'pending', 'not verified', 'unchecked'].map((word) => [word, 'unknown'] as const),
]);

/** The first address of a cell that could receive mail, lower case, its domain in ASCII; null where none could. Deeper checks are validation's. */
export function emailOf(text: string): string | null {
  const parts = WRAPPED.exec(text)?.[1] ?? text;
  for (const { 0: part, index } of parts.matchAll(PART)) {
    const email = part.includes('@') && !isSlip(parts.slice(Math.max(0, index - SLIP_CHARACTERS_MAX), index)) ? addressOf(part.replace(ABOUT, '')) : null;
    if (email !== null) return email;
  }
  return null;
}

function isSlip(before: string): boolean {
  const word = SLIP.exec(before)?.[1];
  return word !== undefined && tidy(word) !== null;
}

function addressOf(address: string): string | null {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at).toLowerCase().normalize('NFC');
  const domain = asciiName(address.slice(at + 1));
  if (at < 1 || !LOCAL.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..') || MASKED.test(local)) return null;
  const whole = `${local}@${domain}`;
  return DOMAIN.test(domain) && whole.length < 255 && !PLACEHOLDER.test(whole) ? whole : null;
}

export function emailStatusOf(text: string): string | null {
  return STATUSES.get(text.trim().toLowerCase().replace(/[\s_-]+/g, ' ')) ?? null;
}
