import type { SignedUp } from '../../accounts/members.ts';
import { LIMITS } from '../../config/limits.ts';
import { DAY_MS } from '../../lib/day.ts';
import type { PageAnswer, PageRequest, PageRoute } from '../../model/page.ts';
import { page, seeOther } from '../answers.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../layout.ts';
import { BAD_PASSWORD, csrfField, emailField, freshKey, inviteField, passwordField, trouble } from '../parts/fields.ts';
import { bindForm, entered, enteredElsewhere, hereOf, openForm } from '../session.ts';
import type { Site } from '../site.ts';

const PATH = '/signup';

export function signUpRoutes(site: Site): PageRoute[] {
  return [
    { method: 'GET', path: PATH, handle: (request) => show(site, request) },
    { method: 'POST', path: PATH, handle: (request) => take(site, request) },
  ];
}

async function show(site: Site, request: PageRequest): Promise<PageAnswer> {
  if ((await hereOf(request, site)) !== null) return seeOther('/dashboard');
  return form(site, request, { email: '', invite: '', refused: null });
}

type Refused = Exclude<SignedUp['kind'], 'active' | 'waiting'>;

const TOLD: Record<Refused, string> = {
  bad_email: 'That is no email address.',
  bad_password: BAD_PASSWORD,
  bad_invite: 'This invite key does not open an account: it is mistyped, used up or expired. Try again, or leave it out for now.',
};

async function take(site: Site, request: PageRequest): Promise<PageAnswer> {
  if (await enteredElsewhere(request, site)) return seeOther('/dashboard');
  const fields = await openForm(request, site.seal, ['email', 'password', 'invite']);
  const made = await site.accounts.members.signUp(fields, request.client.network);
  switch (made.kind) {
    case 'active': {
      const { accountId, key, token } = made;
      request.identify(accountId);
      return page(welcome(site, key, token !== null), { headers: token === null ? [] : await entered(request, site, { token, email: fields.email }) });
    }
    case 'waiting': return page(waits(site));
    case 'bad_email': case 'bad_password': case 'bad_invite': return form(site, request, { email: fields.email, invite: fields.invite, refused: made.kind });
    default: return made satisfies never;
  }
}

function form(site: Site, request: PageRequest, { email, invite, refused }: { readonly email: string; readonly invite: string; readonly refused: Refused | null }): PageAnswer {
  const { csrf, headers } = bindForm(request, site.seal);
  const body = layout({ title: 'Sign up', path: PATH, asset: site.asset, signedIn: false, kind: 'narrow', scripts: ['send_once.js'], again: refused === null ? null : PATH }, html`
    <h1>Sign up</h1>
    <p class="lead">Accounts are opened by invite while the service is in preview.</p>
    ${trouble(refused === null ? null : TOLD[refused])}
    <form method="post" action="${PATH}" class="card">
      ${csrfField(csrf)}${emailField(email, refused === 'bad_email')}
      ${passwordField({ name: 'password', label: 'Password', kind: 'new', wrong: refused === 'bad_password' })}${inviteField(false, invite, refused === 'bad_invite')}
      <button type="submit">Create the account</button>
    </form>
    <p>You have one already? <a href="/login">Sign in</a>.</p>`);
  return page(body, { status: refused === null ? 200 : 400, headers });
}

function welcome(site: Site, key: string, signedIn: boolean): Html {
  return layout({ title: 'Welcome', path: PATH, asset: site.asset, signedIn, kind: 'narrow', scripts: ['copy.js'], again: '/dashboard' }, html`
    <h1>Welcome</h1>
    <p class="lead">Your account is active on the preview plan.</p>
    ${freshKey(key, true)}
    <p><a class="button" href="/dashboard">Go to the dashboard</a></p>`);
}

function waits(site: Site): Html {
  return layout({ title: 'Your account waits', path: PATH, asset: site.asset, signedIn: false, kind: 'narrow', again: '/login' }, html`
    <h1>Your account waits</h1>
    <p class="lead">Sign in with your email and password; the dashboard takes an invite key whenever you have one, for ${LIMITS.waitingAccountKeptMs / DAY_MS} days.</p>
    <p>If you had an account under this email before, nothing about it has changed.</p>
    <p><a class="button" href="/login">Sign in</a></p>`);
}
