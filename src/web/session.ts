import { randomBytes } from 'node:crypto';
import type { Visitor } from '../accounts/sessions.ts';
import { nothingOfWorld } from '../model/errors.ts';
import type { PageRequest } from '../model/page.ts';
import { cookieOf, setCookie } from './cookies.ts';
import { checkSameOrigin, type FormSeal } from './csrf.ts';
import { knownDevice } from './device.ts';
import { readForm } from './form.ts';
import { shownOrigin } from './origin.ts';
import type { Site } from './site.ts';

/** Whoever is signed in, the proof for his forms, and where he reached the gateway. */
export type Here = { readonly visitor: Visitor; readonly csrf: string; readonly origin: string };

/** Null where nobody is. Bearer keys open no page. */
export async function hereOf(request: PageRequest, { accounts, seal }: Pick<Site, 'accounts' | 'seal'>): Promise<Here | null> {
  const token = cookieOf(request, 'session');
  const visitor = token === '' ? null : await accounts.members.visitor(token);
  if (visitor === null) return null;
  request.identify(visitor.account.id);
  return { visitor, csrf: seal.token(token), origin: shownOrigin(request) };
}

/** The fields of a form that a signed-in visitor sent from our own page; throws `csrf` otherwise. */
export async function ownForm<Name extends string>(request: PageRequest, seal: FormSeal, names: readonly Name[]): Promise<Record<Name, string>> {
  return sealedForm(request, seal, 'session', names);
}

/** The same before anyone is signed in: bound to the cookie that came with the form. */
export async function openForm<Name extends string>(request: PageRequest, seal: FormSeal, names: readonly Name[]): Promise<Record<Name, string>> {
  return sealedForm(request, seal, 'form', names);
}

async function sealedForm<Name extends string>(request: PageRequest, seal: FormSeal, cookie: 'session' | 'form', names: readonly Name[]): Promise<Record<Name, string>> {
  checkSameOrigin(request);
  const fields = await readForm(request, names);
  seal.check(cookieOf(request, cookie), fields.csrf);
  return fields;
}

const FORM_BYTES = 16;
const FORM_COOKIE = /^[\w-]{22}$/;

/** For a form that is shown to nobody in particular: its proof, and the cookie that it is bound to. */
export function bindForm(request: PageRequest, seal: FormSeal): { readonly csrf: string; readonly headers: readonly (readonly [string, string])[] } {
  const present = cookieOf(request, 'form');
  if (FORM_COOKIE.test(present)) return { csrf: seal.token(present), headers: [] };
  const fresh = randomBytes(FORM_BYTES).toString('base64url');
  return { csrf: seal.token(fresh), headers: [setCookie(request, 'form', fresh)] };
}

/** Another tab has signed in since this one was given its form, and so used up its proof. */
export async function enteredElsewhere(request: PageRequest, site: Pick<Site, 'accounts' | 'seal'>): Promise<boolean> {
  return cookieOf(request, 'form') === '' && (await hereOf(request, site)) !== null;
}

type Entered = { readonly token: string; readonly email: string };

/**
 * The cookies of whoever has just signed in. The session that his browser had until now ends: it is nobody's any more. Where the store does not take that he
 * is in all the same, for he may have a key to be shown, and it ends by itself.
 */
export async function entered(request: PageRequest, { accounts, seal }: Pick<Site, 'accounts' | 'seal'>, { token, email }: Entered): Promise<readonly (readonly [string, string])[]> {
  const former = cookieOf(request, 'session');
  if (former !== '') await accounts.members.signOut(former).catch(nothingOfWorld);
  return [setCookie(request, 'session', token), setCookie(request, 'form', ''), knownDevice(request, seal, email)];
}
