import { describeTypes, type FilterDescription } from '../../find/schema.ts';
import { LIMITS } from '../../config/limits.ts';
import { byVersion } from '../../lib/by_version.ts';
import type { Dataset } from '../../model/dataset.ts';
import type { PageRoute } from '../../model/page.ts';
import { page } from '../answers.ts';
import { html, type Html, type Part } from '../html.ts';
import { layout } from '../layout.ts';
import { shownOrigin } from '../origin.ts';
import { beginningOf, filtersOf, type Beginning } from '../parts/beginning.ts';
import { copyButton } from '../parts/fields.ts';
import { hereOf } from '../session.ts';
import type { Site } from '../site.ts';

const PATH = '/playground';
/** Shown at once; the others unfold. */
const FIRST = new Set(['country', 'job_title', 'company_name', 'seniority', 'has_email', 'industry', 'size', 'has_website']);

export function playgroundRoutes(site: Site): PageRoute[] {
  /** The filters of two types are half a thousand elements. */
  const current = byVersion(() => site.catalog().version, () => {
    const beginning = beginningOf(site.catalog());
    return { beginning, form: searchForm(site, beginning) };
  });
  return [{
    method: 'GET', path: PATH,
    handle: async (request) => {
      const signedIn = (await hereOf(request, site)) !== null;
      return page(layout({ title: 'Playground', path: PATH, asset: site.asset, signedIn, scripts: ['playground.js', 'copy.js'] }, content(site, current(), shownOrigin(request))));
    },
  }];
}

function content(site: Site, { beginning, form }: { readonly beginning: Beginning; readonly form: Html }, origin: string): Html {
  return html`
    <h1>Playground</h1>
    <p class="lead">Search the data of this gateway without a key: up to ${LIMITS.playgroundRowsMax} rows a call, addresses and phones masked, ${LIMITS.playgroundCallsADay} calls a day. Nothing is spent until you run something.</p>
    <p class="notice unscripted" id="unscripted">The forms are sent by a script that is not here yet. If it stays away, load the page again; the call below needs none, but a key.</p>
    <div class="bench">
      <div class="ask">${form}${site.serves('/playground/email/validate') && validationForm()}</div>
      <div class="got">
        <section aria-labelledby="result-title"><h2 id="result-title">Answer</h2>
          <div id="result"><p class="total" id="told" role="status"></p><p class="card empty">Run a search to see its rows, its sources and their times.</p></div></section>
        <section aria-labelledby="same"><h2 id="same">The same call</h2>
          <p class="hint">It takes your key from the environment: <code>export LDS_KEY=ldx_…</code></p>
          ${snippet('curl', 'curl', exampleTo(origin, beginning))}${snippet('typescript', 'TypeScript')}${snippet('ndjson', 'NDJSON, each line as it is found')}</section>
      </div>
    </div>`;
}

/** What has no text before the script gives it one is shown then. */
function snippet(name: string, label: string, text = ''): Html {
  return html`<figure class="snippet"${text === '' && html` hidden`}><figcaption>${label}${copyButton(`snippet-${name}`, html`Copy<span class="unseen"> ${label}</span>`)}</figcaption>
    <pre tabindex="0" role="region" aria-label="${label}"><code id="snippet-${name}">${text}</code></pre><p class="hint" role="status" data-copied></p></figure>`;
}

/** For whoever runs no script; a script puts the call of the form in its place. */
function exampleTo(origin: string, beginning: Beginning): string {
  const body = JSON.stringify({ type: beginning.type, ...filtersOf(beginning), limit: LIMITS.playgroundRowsMax });
  return `curl -sS ${origin}/v1/find -H "Authorization: Bearer $LDS_KEY" -d '${body}'`;
}

function searchForm({ catalog }: Site, beginning: Beginning): Html {
  const { contacts, companies } = describeTypes(catalog());
  return html`<form id="search" class="card" aria-labelledby="search-title">
    <h2 id="search-title">Search</h2>
    <fieldset class="choice"><legend>Type</legend>
      <label><input type="radio" name="type" value="contacts"${beginning.type === 'contacts' && html` checked`}> Contacts</label>
      <label><input type="radio" name="type" value="companies"${beginning.type === 'companies' && html` checked`}> Companies</label></fieldset>
    <div class="field"><label for="query">Words</label>
      <input id="query" name="query" value="${beginning.words}" aria-describedby="query-hint" autocomplete="off">
      <p class="hint" id="query-hint">Every word must occur: <code>eng*</code>, <code>"vp sales"</code>, <code>-intern</code>. Needs a narrowing filter beside it.</p></div>
    ${filterGroup('contacts', contacts.filters, beginning)}${filterGroup('companies', companies.filters, beginning)}
    <div class="field short"><label for="limit">Rows</label>
      <select id="limit" name="limit">${Array.from({ length: LIMITS.playgroundRowsMax }, (_, at) => LIMITS.playgroundRowsMax - at).map((rows) => html`<option>${rows}</option>`)}</select></div>
    <button type="submit" disabled>Run the search</button>
  </form>`;
}

function filterGroup(type: Dataset, filters: readonly FilterDescription[], beginning: Beginning): Html {
  const begins: Readonly<Record<string, string>> = { country: beginning.countries[type], ...(type === 'contacts' && { has_email: 'true' }) };
  const has = filters.filter(({ sources }) => sources.length > 0);
  const later = has.filter(({ name }) => !FIRST.has(name));
  return html`<fieldset data-type="${type}"${type !== beginning.type && html` hidden disabled`}><legend>Filters of ${type}</legend>
    <p class="hint">Several values: <code>Berlin, Paris</code>. With a comma of its own: <code>"Acme, Inc."</code></p>
    <div class="fields">${has.filter(({ name }) => FIRST.has(name)).map((one) => filterField(type, one, begins[one.name]))}</div>
    <details><summary>${later.length} more</summary><div class="fields">${later.map((one) => filterField(type, one, begins[one.name]))}</div></details>
  </fieldset>`;
}

function filterField(type: Dataset, { name, values, enum: closed, example }: FilterDescription, begins = ''): Html {
  const id = `${type}-${name}`;
  const label = name.replaceAll('_', ' ');
  const option = (value: string, text: string): Html => html`<option value="${value}"${value === begins && html` selected`}>${text}</option>`;
  const choice = (reads: string, options: readonly Part[]): Html =>
    html`<div class="field"><label for="${id}">${label}</label><select id="${id}" data-filter="${name}" data-reads="${reads}">${option('', 'any')}${options}</select></div>`;
  if (values === 'boolean') return choice('flag', [option('true', 'yes'), option('false', 'no')]);
  if (values === 'range') return rangeField(id, name, label, example);
  if (closed !== undefined) return choice('list', closed.map((value) => option(value, value.replaceAll('_', ' '))));
  return html`<div class="field"><label for="${id}">${label}</label>
    <input id="${id}" data-filter="${name}" data-reads="list" placeholder="e.g. ${exampleText(example)}" autocomplete="off" spellcheck="false"></div>`;
}

/** A browser shows no placeholder in a field of a date: which end it is stands before it. */
function rangeField(id: string, name: string, label: string, example: unknown): Html {
  const kind = /\d-\d/.test(JSON.stringify(example)) ? 'date' : 'number';
  const end = (bound: 'min' | 'max', word: string): Html =>
    html`<label for="${id}-${bound}"${kind === 'number' && html` class="unseen"`}><span class="unseen">${label} </span>${word}</label>
    <input id="${id}-${bound}" type="${kind}" data-filter="${name}" data-reads="${bound}"${kind === 'number' && html` placeholder="${word}"`}>`;
  return html`<div class="field pair${kind === 'date' && ' dates'}" role="group" aria-labelledby="${id}-label"><span class="label" id="${id}-label">${label}</span>
    ${end('min', 'from')}${end('max', 'to')}</div>`;
}

function exampleText(example: unknown): string {
  return Array.isArray(example) ? example.join(', ') : String(example);
}

function validationForm(): Html {
  return html`<form id="validation" class="card" aria-labelledby="validation-title">
    <h2 id="validation-title">Validate an address</h2>
    <div class="field"><label for="address">Email address</label>
      <input id="address" name="email" required autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="jo@example.com"></div>
    <button type="submit" disabled>Validate</button>
  </form>`;
}
