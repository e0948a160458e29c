import { LIMITS } from '../../config/limits.ts';
import { html, type Html, type Part } from '../html.ts';

export function csrfField(token: string): Html {
  return html`<input type="hidden" name="csrf" value="${token}">`;
}

/** What went wrong with a form: read out when the page comes, and again with the field that it is about. */
export function trouble(text: string | null): Part {
  return text === null ? null : html`<p class="notice bad" role="alert" id="trouble">${text}</p>`;
}

export function note(text: string | null, tone: 'good' | 'warn' = 'good'): Part {
  return text === null ? null : html`<p class="notice ${tone}" role="status">${text}</p>`;
}

/** What else an input has: what describes it; and where its visitor goes on, when the trouble is about it. */
function described(wrong: boolean, hint?: string): Html {
  const by = [...(wrong ? ['trouble'] : []), ...(hint === undefined ? [] : [hint])].join(' ');
  return html`${by !== '' && html` aria-describedby="${by}"`}${wrong && html` aria-invalid="true" autofocus`}`;
}

/** Of no `type` that a browser judges: Chromium refuses letters beyond ASCII before the `@`, and writes those behind it anew. */
export function emailField(value: string, wrong = false): Html {
  return html`<div class="field"><label for="email">Email</label>
    <input id="email" name="email" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="${LIMITS.emailCharactersMax}" value="${value}"${described(wrong)}></div>`;
}

type PasswordField = { readonly name: string; readonly label: string; readonly kind: 'new' | 'current'; readonly wrong?: boolean };

/** Without a `maxlength`: a browser cuts what is pasted to it without a word, and what is kept would not be what its owner has. */
export function passwordField({ name, label, kind, wrong = false }: PasswordField): Html {
  const bounds = kind === 'new' && html` minlength="${LIMITS.passwordCharactersMin}"`;
  return html`<div class="field"><label for="${name}">${label}</label>
    <input id="${name}" name="${name}" type="password" autocomplete="${kind}-password" required${bounds}${described(wrong, kind === 'new' ? `${name}-hint` : undefined)}>
    ${kind === 'new' && html`<p class="hint" id="${name}-hint">${LIMITS.passwordCharactersMin} characters or more. A few words do well.</p>`}</div>`;
}

/** What is told of a new password that is none. */
export const BAD_PASSWORD = `A password has ${LIMITS.passwordCharactersMin} to ${LIMITS.passwordCharactersMax} characters.`;

/** Whose password a form is about, for the browser's store of passwords: never shown, never sent. */
export function passwordOwner(email: string): Html {
  return html`<input type="text" autocomplete="username" value="${email}" readonly hidden>`;
}

/** What was typed stays: whoever mistyped it sees where, and who erred elsewhere sends it again. */
export function inviteField(required: boolean, value = '', wrong = false): Html {
  return html`<div class="field"><label for="invite">Invite key${!required && html` <span class="aside">if you have one</span>`}</label>
    <input id="invite" name="invite" class="code" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200" value="${value}"${required && html` required`}${described(wrong, required ? undefined : 'invite-hint')}>
    ${!required && html`<p class="hint" id="invite-hint">Without one your account waits; you can enter it later.</p>`}</div>`;
}

type NameField = { readonly id: string; readonly label: string; readonly value: string; readonly placeholder?: string; readonly wrong: boolean };

/** Of a key. Without a `maxlength`, as a password. */
export function nameField({ id, label, value, placeholder, wrong }: NameField): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
    <input id="${id}" name="name"${placeholder !== undefined && html` placeholder="${placeholder}"`} autocomplete="off" value="${value}"${described(wrong)}></div>`;
}

/** Copies the text of the element of that id. Its script shows it: without one a press would do nothing. */
export function copyButton(id: string, label: Part): Html {
  return html`<button type="button" class="quiet" data-copy="${id}" hidden>${label}</button>`;
}

/** A key, the one time it can be shown. */
export function freshKey(key: string, first: boolean): Html {
  return html`<section class="fresh" aria-labelledby="fresh-title">
    <h2 id="fresh-title">${first ? 'Your first key' : 'Your new key'}</h2>
    <p>Copy it now: only its hash is kept, so it cannot be shown again.</p>
    <p class="keyline"><code id="fresh-key">${key}</code> ${copyButton('fresh-key', 'Copy')}
      <span role="status" class="hint" data-copied></span></p>
  </section>`;
}
