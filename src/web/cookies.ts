import type { PageRequest } from '../model/page.ts';

/** `session` is who is signed in; `form` binds the forms of a visitor who is not; `device` is the browser in which he was. */
type CookieName = 'session' | 'form' | 'device';

/** On TLS the prefix makes browsers refuse what another host or a plain connection set. */
function fullName(name: CookieName, secure: boolean): string {
  return secure ? `__Host-lds_${name}` : `lds_${name}`;
}

/** Empty where there is none. */
export function cookieOf({ headers, client }: Pick<PageRequest, 'headers' | 'client'>, name: CookieName): string {
  const wanted = `${fullName(name, client.secure)}=`;
  const found = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim()).find((pair) => pair.startsWith(wanted));
  return found?.slice(wanted.length) ?? '';
}

/** The header that sets the cookie for `keptMs`, or until the browser is closed, or takes it away where the value is empty. */
export function setCookie({ client }: PageRequest, name: CookieName, value: string, keptMs: number | null = null): readonly [string, string] {
  const secure = client.secure ? '; Secure' : '';
  const seconds = value === '' ? 0 : keptMs === null ? null : Math.floor(keptMs / 1_000);
  const age = seconds === null ? '' : `; Max-Age=${seconds}`;
  return ['Set-Cookie', `${fullName(name, client.secure)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`];
}
