import type { OwnKey } from '../../../accounts/own_keys.ts';
import { LIMITS } from '../../../config/limits.ts';
import { html, type Html, type Part } from '../../html.ts';
import { csrfField, nameField, trouble } from '../../parts/fields.ts';
import { day, moment } from '../../parts/figures.ts';
import type { Trouble } from './account_section.ts';

/** Hours that the old key of a rotation may live on. */
const OVERLAPS = [[0, 'At once'], [1, 'After an hour'], [24, 'After a day'], [72, 'After 3 days'], [168, 'After 7 days']] as const;

export function keysSection(keys: readonly OwnKey[], csrf: string, mayHaveMore: boolean, told?: Trouble): Html {
  const misnamed = told?.field === 'name' ? told : undefined;
  const [forNew, forOld] = [misnamed !== undefined && misnamed.key === undefined && mayHaveMore, keys.find(({ id, state }) => id === misnamed?.key && state !== 'ended')];
  return html`<section aria-labelledby="keys">
    <h2 id="keys">Keys</h2>
    ${misnamed !== undefined && !forNew && forOld === undefined && trouble(misnamed.text)}
    <p class="hint">One key opens every endpoint. A lost key is replaced by rotating it.</p>
    ${keys.length === 0 ? html`<p class="card empty">No keys yet.</p>` : html`<ul class="keys">${keys.map((key) => keyItem(key, csrf, mayHaveMore, key === forOld ? misnamed : undefined))}</ul>`}
    ${keys.length >= LIMITS.keysShownMax && html`<p class="hint">No more than ${LIMITS.keysShownMax} are listed: of those that ended the latest, of those that live the newest.</p>`}
    ${forNew && trouble(misnamed!.text)}
    ${mayHaveMore && html`<form method="post" action="/dashboard/keys" class="inline">
      ${csrfField(csrf)}
      ${nameField({ id: 'new-name', label: 'Name of a new key', value: forNew ? misnamed!.typed! : '', placeholder: 'staging', wrong: forNew })}
      <button type="submit">Create a key</button>
    </form>`}
  </section>`;
}

function keyItem(key: OwnKey, csrf: string, mayRotate: boolean, misnamed?: Trouble): Html {
  // People name their keys in any script: what stands beside a name keeps its place.
  const name = html`<bdi>${key.name === '' ? key.hint : key.name}</bdi>`;
  return html`<li class="key ${key.state}">
    <div class="what"><strong>${name}</strong> <code>${key.hint}…</code>${badge(key)}
      <span class="hint">created ${day(key.createdMs)}</span></div>
    ${key.state !== 'ended' && html`<div class="acts">
      ${fold('Rename', name, html`<form method="post" action="/dashboard/keys/${key.id}/rename">${misnamed !== undefined && trouble(misnamed.text)}${csrfField(csrf)}
        ${nameField({ id: `name-${key.id}`, label: 'New name', value: misnamed?.typed ?? key.name, wrong: misnamed !== undefined })}
        <button type="submit">Rename</button></form>`, misnamed !== undefined)}
      ${mayRotate && key.kind === 'external' && fold('Rotate', name, html`<form method="post" action="/dashboard/keys/${key.id}/rotate">${csrfField(csrf)}
        <p>A new key takes its place and is shown once.</p>
        <div class="field"><label for="overlap-${key.id}">The old key ends</label>
          <select id="overlap-${key.id}" name="overlap">${OVERLAPS.map(([hours, label]) => html`<option value="${hours}">${label}</option>`)}</select></div>
        <button type="submit">Rotate</button></form>`)}
      ${fold('Revoke', name, html`<form method="post" action="/dashboard/keys/${key.id}/revoke">${csrfField(csrf)}
        <p>Calls with this key fail within a second. It cannot be brought back.</p>
        <button type="submit" class="danger">Revoke ${name}</button></form>`)}
    </div>`}
  </li>`;
}

/** What asks once more before it does something; opened by pointer or keyboard, without a script. */
function fold(label: string, name: Html, form: Html, isOpen = false): Html {
  return html`<details name="acts"${isOpen && html` open`}><summary>${label}<span class="unseen"> ${name}</span></summary>${form}</details>`;
}

function badge({ kind, state, endsMs }: OwnKey): Part {
  return [
    kind === 'admin' && html` <span class="badge">operator</span>`,
    state === 'ended' && html` <span class="badge bad">ended</span>`,
    state === 'ending' && html` <span class="badge warn">ends ${moment(endsMs!)} UTC</span>`,
  ];
}
