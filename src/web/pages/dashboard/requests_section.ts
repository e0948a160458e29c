import type { RecentRequest } from '../../../accounts/recent.ts';
import { html, type Html } from '../../html.ts';
import { count, moment } from '../../parts/figures.ts';

/** `names` of keys by their id. */
export function requestsSection(requests: readonly RecentRequest[], names: ReadonlyMap<string, string>): Html {
  return html`<section aria-labelledby="requests">
    <h2 id="requests">Last requests</h2>
    <p class="hint">The newest first, since this gateway started. Quote an id when you report something.</p>
    ${requests.length === 0 ? html`<p class="card empty">None yet.</p>` : html`<div class="scroll" role="region" aria-label="Table of the last requests" tabindex="0"><table>
      <thead><tr><th scope="col">When (UTC)</th><th scope="col">Endpoint</th><th scope="col">Status</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Units</th><th scope="col" class="number">ms</th><th scope="col">Key</th><th scope="col">Request id</th></tr></thead>
      <tbody>${requests.map((one) => row(one, names))}</tbody></table></div>`}
  </section>`;
}

function row({ id, unixMs, keyId, method, route, status, error, ms, rows, units }: RecentRequest, names: ReadonlyMap<string, string>): Html {
  return html`<tr><td>${moment(unixMs)}</td><td><code>${method} ${route}</code></td>
    <td><span class="badge ${status < 400 ? 'good' : 'bad'}">${status}</span>${error !== null && html` ${error}`}</td>
    <td class="number">${count(rows)}</td><td class="number">${count(units)}</td><td class="number">${ms.toFixed(1)}</td>
    <td>${names.get(keyId) ?? html`<span class="hint">ended</span>`}</td><td><code class="id">${id}</code></td></tr>`;
}
