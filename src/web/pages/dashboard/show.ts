import type { Visitor } from '../../../accounts/sessions.ts';
import { LIMITS } from '../../../config/limits.ts';
import { DAY_MS, dayOf } from '../../../lib/day.ts';
import { AppError } from '../../../model/errors.ts';
import type { PageAnswer } from '../../../model/page.ts';
import { page } from '../../answers.ts';
import { html, type Html } from '../../html.ts';
import { layout } from '../../layout.ts';
import { beginningOf } from '../../parts/beginning.ts';
import { csrfField, freshKey, inviteField, note, trouble } from '../../parts/fields.ts';
import type { Here } from '../../session.ts';
import type { Site } from '../../site.ts';
import { accountSection, type Trouble } from './account_section.ts';
import { keysSection } from './keys_section.ts';
import { firstCallTo, requestsSection } from './requests_section.ts';
import { usageSection } from './usage_section.ts';

/** What one look at the dashboard shows beside the state of things. */
type Shown = {
  readonly fresh?: { readonly key: string; readonly first: boolean };
  readonly done?: string | null;
  /** What was wrong with the form that was sent. */
  readonly told?: Trouble;
};

export async function showDashboard(site: Site, here: Here, { fresh, done = null, told }: Shown): Promise<PageAnswer> {
  const { visitor, csrf } = here;
  const path = '/dashboard';
  const again = fresh === undefined && told === undefined ? null : path;
  const body = layout(
    { title: 'Dashboard', path, asset: site.asset, signedIn: true, scripts: ['send_once.js', ...(fresh === undefined ? [] : ['copy.js'])], again },
    heading(visitor, csrf), note(done), told?.field === undefined && trouble(told?.text ?? null), fresh !== undefined && freshKey(fresh.key, fresh.first),
    visitor.account.status === 'waiting' ? waiting(csrf, told) : await sections(site, here, told).catch((error: unknown) => missing(error, fresh)),
    accountSection(csrf, visitor.account.email, told),
  );
  return page(body, { status: told === undefined ? 200 : 400 });
}

async function sections({ accounts, catalog }: Site, { visitor, csrf, origin }: Here, told?: Trouble): Promise<Html> {
  const { id, plan, status } = visitor.account;
  const today = dayOf(Date.now());
  const [days, keys, standing] = await Promise.all([
    accounts.usageOf(id, today - LIMITS.usageDaysShown + 1, today), accounts.keys.list(visitor), accounts.look({ accountId: id, plan }),
  ]);
  const names = new Map(keys.map((key) => [key.id, key.name === '' ? key.hint : key.name]));
  return html`
    ${status === 'suspended' && html`<p class="notice bad">This account is suspended: its keys open nothing. Write to the operator.</p>`}
    ${usageSection(standing, days, today)}
    ${keysSection(keys, csrf, status === 'active', told)}
    ${requestsSection(accounts.recent.of(id), names, () => firstCallTo(origin, beginningOf(catalog())))}`;
}

/** A key is shown now or never: where it is not known what else to show, it is shown alone. */
function missing(error: unknown, fresh: Shown['fresh']): Html {
  if (fresh === undefined || !(error instanceof AppError)) throw error;
  return html`<p class="notice warn">The rest of this page cannot be shown at the moment. Copy the key, then <a href="/dashboard">load the dashboard</a>.</p>`;
}

function heading({ account }: Visitor, csrf: string): Html {
  return html`<div class="heading">
    <div><p class="eyebrow">${account.status === 'active' ? `${account.plan} plan` : account.status}</p><h1>Dashboard</h1><p class="hint">${account.email}</p></div>
    <form method="post" action="/logout">${csrfField(csrf)}<button type="submit" class="quiet">Sign out</button></form>
  </div>`;
}

function waiting(csrf: string, told?: Trouble): Html {
  const wrong = told?.field === 'invite';
  return html`<section class="card" aria-labelledby="waits">
    <h2 id="waits">Your account waits for an invite</h2>
    <p>With an invite key it is active at once, and its first key is shown here. Without one it is removed ${LIMITS.waitingAccountKeptMs / DAY_MS} days after you signed up.</p>
    ${wrong && trouble(told.text)}
    <form method="post" action="/dashboard/invite" class="inline">${csrfField(csrf)}${inviteField(true, wrong ? told.typed : '', wrong)}<button type="submit">Open the account</button></form>
  </section>`;
}
