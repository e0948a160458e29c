import type { RecentRequest } from '../../../accounts/recent.ts';
import { html, type Html } from '../../html.ts';
import { filtersOf, type Beginning } from '../../parts/beginning.ts';
import { count, moment } from '../../parts/figures.ts';

const HEADS = [['Status', ''], ['Endpoint', ''], ['When (UTC)', ''], ['Rows', 'number'], ['Units', 'number'], ['ms', 'number'], ['Key', ''], ['Request id', '']] as const;

/** A call that finds rows where the data have any. */
export function firstCallTo(origin: string, beginning: Beginning): string {
  return `curl -sS ${origin}/v1/find \\
  -H "Authorization: Bearer $LDS_KEY" \\
  -d '${JSON.stringify({ type: beginning.type, ...filtersOf(beginning) })}'`;
}

/** `names` of keys by their id; `firstCall` is for whoever has made none. The roles are said: a browser forgets them of a table that is narrow and stands in blocks. */
export function requestsSection(requests: readonly RecentRequest[], names: ReadonlyMap<string, string>, firstCall: () => string): Html {
  return html`<section aria-labelledby="requests">
    <h2 id="requests">Last requests</h2>
    <p class="hint">The newest first, since this gateway started. Quote an id when you report something.</p>
    ${requests.length === 0 ? noneYet(firstCall()) : table(requests, names)}
  </section>`;
}

function noneYet(firstCall: string): Html {
  return html`<div class="card"><p class="empty">None yet. A first one, with your key in <code>LDS_KEY</code>:</p><pre tabindex="0" role="region" aria-label="A first request"><code>${firstCall}</code></pre></div>`;
}

function table(requests: readonly RecentRequest[], names: ReadonlyMap<string, string>): Html {
  return html`<div class="scroll" role="region" aria-label="Table of the last requests" tabindex="0"><table role="table" class="requests">
      <thead role="rowgroup"><tr role="row">${HEADS.map(([name, kind]) => html`<th role="columnheader" scope="col" class="${kind}">${name}</th>`)}</tr></thead>
      <tbody role="rowgroup">${requests.map((one) => row(one, names))}</tbody></table></div>`;
}

function row({ id, unixMs, keyId, method, route, status, error, ms, rows, units }: RecentRequest, names: ReadonlyMap<string, string>): Html {
  const name = names.get(keyId);
  return html`<tr role="row"><td role="cell"><span class="badge ${status < 400 ? 'good' : 'bad'}">${status}</span>${error !== null && html` <span class="error">${error}</span>`}</td>
    <td role="cell"><code>${method} ${route}</code></td><td role="cell" class="when">${moment(unixMs)}</td>
    <td role="cell" class="number" data-label="rows">${count(rows)}</td><td role="cell" class="number" data-label="units">${count(units)}</td><td role="cell" class="number" data-label="ms">${ms.toFixed(1)}</td>
    <td role="cell" data-label="key">${name === undefined ? html`<span class="hint">not listed</span>` : html`<bdi>${name}</bdi>`}</td><td role="cell" class="last"><code class="id">${id}</code></td></tr>`;
}
