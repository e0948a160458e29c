import { html, type Html } from '../../html.ts';
import { csrfField, passwordField, passwordOwner, trouble } from '../../parts/fields.ts';

/** Why a form of the dashboard was refused, and the field that it is about: what that stands in is open, and its visitor goes on there. */
export type Trouble = {
  readonly text: string;
  readonly field?: 'invite' | 'name' | 'current' | 'next' | 'password';
  /** Of an invite or a name: what was typed. */
  readonly typed?: string;
  /** Of a name: the id of the key that was to have it; none: a new one. */
  readonly key?: string;
};

export function accountSection(csrf: string, email: string, told?: Trouble): Html {
  const field = told?.field;
  const [change, removal] = [field === 'current' || field === 'next', field === 'password'];
  return html`<section aria-labelledby="account">
    <h2 id="account">Account</h2>
    <div class="folds">
      <details${change && html` open`}><summary>Change the password</summary>
        <form method="post" action="/dashboard/password">
          ${change && trouble(told!.text)}
          ${csrfField(csrf)}${passwordOwner(email)}${passwordField({ name: 'current', label: 'Current password', kind: 'current', wrong: field === 'current' })}
          ${passwordField({ name: 'next', label: 'New password', kind: 'new', wrong: field === 'next' })}
          <p class="hint">You stay signed in here; every other session ends.</p>
          <button type="submit">Change it</button>
        </form>
      </details>
      <details class="grave"${removal && html` open`}><summary>Delete the account</summary>
        <form method="post" action="/dashboard/delete">
          ${removal && trouble(told!.text)}
          <p>The account, its keys and its sessions are gone at once and for good.</p>
          ${csrfField(csrf)}${passwordOwner(email)}${passwordField({ name: 'password', label: 'Password', kind: 'current', wrong: removal })}
          <button type="submit" class="danger">Delete for good</button>
        </form>
      </details>
    </div>
  </section>`;
}
