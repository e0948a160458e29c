import { z } from 'zod';

/** The forms that settings take. Each says what was expected and never what was given: that may be a secret. */

/** Also as the text of digits that `${NAME}` is. */
export function whole(min: number, max: number) {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z.preprocess((value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value), z.int(expected).min(min, expected).max(max, expected));
}

export function text(expected: string) {
  return z.string(expected).min(1, expected);
}

export function matching(expected: string, holds: (value: string) => boolean) {
  return z.string(expected).refine(holds, expected);
}

/** A path of this machine. A leading `~` or `$NAME`, which a shell would have replaced, would be the name of a folder here. */
export function path(expected: string) {
  return matching(expected, (value) => value !== '' && !value.includes('\0'))
    .refine((value) => !/^[~$]/.test(value), 'expected a whole path: ~ and $NAME stand for nothing here, and in the file ${NAME} does');
}

/** True or false, also where YAML read a bare 1 or 0 as a number. */
export function flag(expected: string) {
  return z.preprocess((value) => (value === 1 ? true : value === 0 ? false : value), z.boolean(expected));
}

/** What a URL is read without by some of its readers, and with by others. */
const STRAY = /^\s|\s$|\p{Cc}/u;

/** What most often keeps a URL from being one: a password with a sign that ends it, or no host or several. */
const UNREADABLE = 'expected %2F, %3F, %23 in place of each /, ?, # in its user and password, and one host behind them, with a port of digits or none';

/** A URL of one of the schemes, such as `http:`. */
export function address(...schemes: readonly string[]) {
  const expected = `expected a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`;
  const begins = (value: string): boolean => schemes.some((scheme) => value.toLowerCase().startsWith(`${scheme}//`));
  return matching(expected, (value) => (URL.canParse(value) ? schemes.includes(new URL(value).protocol) : begins(value)))
    .refine((value) => URL.canParse(value) || !begins(value), UNREADABLE)
    .refine((value) => !namesSeveral(value), 'expected one host: of a source, each other server that holds the same stands under replicas')
    .refine((value) => !STRAY.test(value), 'expected no blank before or after the URL, and no line end or tab in it')
    .refine(hasReadableUser, 'expected %25 in place of each % in its user and password')
    .refine(isHeardOfTls, 'expected sslmode=verify-full for TLS, spelt so: as it stands nothing would be encrypted');
}

/** As some clients of PostgreSQL and ClickHouse take them: here one host of that whole name would be looked for. */
function namesSeveral(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && (url.hostname.includes(',') || (url.protocol.startsWith('postgres') && url.searchParams.get('host')?.includes(',') === true));
}

/** Of what is no URL nothing more is said. PostgreSQL's driver takes a `%` that begins no code for itself. */
function hasReadableUser(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || url.protocol.startsWith('postgres')) return true;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}

/** PostgreSQL's driver takes TLS for asked where one of these has a value, and passes over whatever it does not know: it would send all in the clear. */
const TLS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'];
/** Whoever asks for none in other words gets none. */
const NO_TLS = /^(?:disabled?|false|no|off|0)$/i;

function isHeardOfTls(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !url.protocol.startsWith('postgres')) return true;
  return TLS.some((name) => Boolean(url.searchParams.get(name))) || ![...url.searchParams].some(([name, value]) => /ssl|tls/i.test(name) && !NO_TLS.test(value));
}
