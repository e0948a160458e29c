import { randomBytes } from 'node:crypto';
import { accountEmail } from '../accounts/issue.ts';
import { LIMITS } from '../config/limits.ts';
import type { PageRequest } from '../model/page.ts';
import { cookieOf, setCookie } from './cookies.ts';
import type { FormSeal } from './csrf.ts';

const NAME_BYTES = 16;
const NAME = /^[\w-]{22}$/;

/**
 * The name of a browser in which somebody signed in under this email before; null for every other. It opens nothing: it lets who
 * guesses at an account from elsewhere not keep its owner out.
 */
export function deviceOf(request: PageRequest, seal: FormSeal, email: string): string | null {
  const [name = '', proof = ''] = cookieOf(request, 'device').split('.');
  return NAME.test(name) && seal.fits(bound(name, email), proof) ? name : null;
}

/** The cookie by which the browser is known when somebody signs in under this email again. */
export function knownDevice(request: PageRequest, seal: FormSeal, email: string): readonly [string, string] {
  const name = deviceOf(request, seal, email) ?? randomBytes(NAME_BYTES).toString('base64url');
  return setCookie(request, 'device', `${name}.${seal.token(bound(name, email))}`, LIMITS.deviceKnownMs);
}

/** No token of a form is bound to anything with a blank in it. */
function bound(name: string, email: string): string {
  return `device ${name} ${accountEmail(email) ?? ''}`;
}
