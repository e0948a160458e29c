import { html, type Html } from '../../html.ts';
import { csrfField, passwordField } from '../../parts/fields.ts';

export function accountSection(csrf: string): Html {
  return html`<section aria-labelledby="account">
    <h2 id="account">Account</h2>
    <div class="folds">
      <details><summary>Change the password</summary>
        <form method="post" action="/dashboard/password">
          ${csrfField(csrf)}${passwordField({ name: 'current', label: 'Password now', kind: 'current' })}${passwordField({ name: 'next', label: 'New password', kind: 'new' })}
          <p class="hint">You stay signed in here; every other session ends.</p>
          <button type="submit">Change it</button>
        </form>
      </details>
      <details class="grave"><summary>Delete the account</summary>
        <form method="post" action="/dashboard/delete">
          <p>The account, its keys and its sessions are gone at once and for good.</p>
          ${csrfField(csrf)}${passwordField({ name: 'password', label: 'Password', kind: 'current' })}
          <button type="submit" class="danger">Delete for good</button>
        </form>
      </details>
    </div>
  </section>`;
}
