import type { PageAnswer, PageRequest, PageRoute } from '../../model/page.ts';
import { page, seeOther } from '../answers.ts';
import { cookieOf, setCookie } from '../cookies.ts';
import { deviceOf } from '../device.ts';
import { html, type Part } from '../html.ts';
import { layout } from '../layout.ts';
import { csrfField, emailField, note, passwordField, trouble } from '../parts/fields.ts';
import { bindForm, entered, enteredElsewhere, hereOf, openForm, ownForm } from '../session.ts';
import type { Site } from '../site.ts';

const PATH = '/login';

export function signInRoutes(site: Site): PageRoute[] {
  return [
    { method: 'GET', path: PATH, handle: (request) => show(site, request) },
    { method: 'POST', path: PATH, handle: (request) => enter(site, request) },
    { method: 'POST', path: '/logout', handle: (request) => leave(site, request) },
  ];
}

const NOTES: ReadonlyMap<string, Parameters<typeof note>> = new Map([
  ['out', ['You are signed out.']], ['deleted', ['Your account is deleted, with its keys.']],
  ['ended', ['Your session has ended. What you sent was not done: sign in, and send it again.', 'warn']],
]);

async function show(site: Site, request: PageRequest): Promise<PageAnswer> {
  if ((await hereOf(request, site)) !== null) return seeOther('/dashboard');
  return form(site, request, { email: '', told: null, done: note(...NOTES.get(new URLSearchParams(request.query).get('done') ?? '') ?? [null]) });
}

async function enter(site: Site, request: PageRequest): Promise<PageAnswer> {
  if (await enteredElsewhere(request, site)) return seeOther('/dashboard');
  const fields = await openForm(request, site.seal, ['email', 'password']);
  const signedIn = await site.accounts.members.signIn(fields, request.client.network, deviceOf(request, site.seal, fields.email));
  if (signedIn === null) return form(site, request, { email: fields.email, told: 'The email or the password is wrong.', done: null });
  request.identify(signedIn.accountId);
  return seeOther('/dashboard', await entered(request, site, { token: signedIn.token, email: fields.email }));
}

async function leave(site: Site, request: PageRequest): Promise<PageAnswer> {
  // Another tab has signed out since this one was given its form.
  if (cookieOf(request, 'session') === '') return seeOther('/login?done=out');
  await ownForm(request, site.seal, []);
  await site.accounts.members.signOut(cookieOf(request, 'session'));
  return seeOther('/login?done=out', [setCookie(request, 'session', '')]);
}

type Told = { readonly email: string; readonly told: string | null; readonly done: Part };

function form(site: Site, request: PageRequest, { email, told, done }: Told): PageAnswer {
  const { csrf, headers } = bindForm(request, site.seal);
  const body = layout({ title: 'Sign in', path: PATH, asset: site.asset, signedIn: false, kind: 'narrow', scripts: ['send_once.js'], again: told === null ? null : PATH }, html`
    <h1>Sign in</h1>
    ${done}${trouble(told)}
    <form method="post" action="${PATH}" class="card">
      ${csrfField(csrf)}${emailField(email)}${passwordField({ name: 'password', label: 'Password', kind: 'current', wrong: told !== null })}
      <button type="submit">Sign in</button>
    </form>
    <p>No account yet? <a href="/signup">Sign up</a>.</p>
    <p class="hint">A password that is forgotten is replaced by the operator of this gateway: it sends no mail.</p>`);
  return page(body, { status: told === null ? 200 : 400, headers });
}
