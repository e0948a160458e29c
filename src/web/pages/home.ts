import { describeSources, type CatalogView } from '../../find/sources.ts';
import { byVersion } from '../../lib/by_version.ts';
import type { PageRoute } from '../../model/page.ts';
import { page } from '../answers.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../layout.ts';
import { count } from '../parts/figures.ts';
import { lanes } from '../parts/lanes.ts';
import { shownOrigin } from '../origin.ts';
import { hereOf } from '../session.ts';
import type { Site } from '../site.ts';

const callTo = (origin: string): string => `curl -sS ${origin}/v1/find \\
  -H "Authorization: Bearer $LDS_KEY" \\
  -d '{"type":"contacts",
       "query":"vp engineering",
       "filters":{"country":["US"],
                  "has_email":["true"]},
       "limit":25}'`;

const REPLY = `{ "results": [ … 25 rows … ],
  "total": 1204, "total_relation": "gte",
  "partial": true,
  "warnings": ["partner: no answer within
    its deadline; its rows are missing"],
  "sources": [ { "source": "crm",
      "status": "complete", "took_ms": 1.8 }, … ] }`;

export function homeRoutes(site: Site): PageRoute[] {
  /** A walk over every source and country for each visitor costs more than his page. */
  const currentFacts = byVersion(() => site.catalog().version, () => facts(site.catalog()));
  return [{
    method: 'GET', path: '/',
    handle: async (request) => {
      const signedIn = (await hereOf(request, site)) !== null;
      return page(layout({ title: 'One question, every source', path: '/', asset: site.asset, signedIn }, content(currentFacts(), signedIn, shownOrigin(request))));
    },
  }];
}

function content(known: Html, signedIn: boolean, origin: string): Html {
  return html`
    <section class="hero">
      <div>
        <p class="eyebrow">Contact and company data</p>
        <h1>One question.<br>Every source.<br>On&nbsp;time.</h1>
        <p class="lead">One REST API that searches all your lead data at once, answers within the deadline you set, and says which rows are missing when a source fails.</p>
        <p class="calls"><a class="button" href="/playground">Try it without a key</a>
          ${signedIn ? html`<a class="button quiet" href="/dashboard">Your dashboard</a>` : html`<a class="button quiet" href="/signup">Get a key</a>`}</p>
      </div>
      ${lanes()}
    </section>
    ${known}
    <section class="promises" aria-labelledby="promises">
      <h2 id="promises">What you can hold it to</h2>
      <ul>
        ${promise('The deadline is hard', html`The last byte leaves within <code>timeout_ms</code> and 25 ms, whatever a source does.`)}
        ${promise('Missing is said', html`A slow or failed source costs its own rows only. <code>warnings</code>, <code>errors</code> and <code>partial</code> name it.`)}
        ${promise('Pages or millions', html`25 rows as JSON, MessagePack or CSV; or every match as NDJSON, the first line before the slowest source answers.`)}
        ${promise('One person, one row', html`Rows that share an email or a domain are merged across sources, gaps filled, and <code>sources</code> tells who had them.`)}
        ${promise('Addresses in stages', html`Syntax, domain, lists, DNS, mailbox: each with a code and its time, and never a guess called a fact.`)}
        ${promise('Nothing to guess', html`<code>/v1/schema</code> describes every filter, <code>/v1/sources</code> every dataset, and each 400 brings a request that works.`)}
      </ul>
    </section>
    <section class="example" aria-labelledby="example">
      <h2 id="example">A call and its answer</h2>
      <div class="pair">${code('The call, with your key in LDS_KEY', callTo(origin))}${code('The answer', REPLY)}</div>
      <p><a href="/docs">Read the reference</a></p>
    </section>`;
}

/** Of the data behind this very gateway. */
function facts(catalog: CatalogView): Html {
  const { sources, totals } = describeSources(catalog);
  const countries = new Set(sources.flatMap((source) => Object.keys(source.countries)));
  const all: readonly (readonly [number, string, string])[] = [
    [totals.contacts, 'contact', 'contacts'], [totals.companies, 'company', 'companies'], [sources.length, 'source', 'sources'], [countries.size, 'country', 'countries'],
  ];
  return html`<dl class="facts" aria-label="On this gateway">${all.map(([number, one, many]) => html`<div><dt>${number === 1 ? one : many}</dt><dd>${count(number)}</dd></div>`)}</dl>`;
}

function promise(title: string, text: Html): Html {
  return html`<li><h3>${title}</h3><p>${text}</p></li>`;
}

function code(label: string, text: string): Html {
  return html`<figure class="snippet"><figcaption>${label}</figcaption><pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre></figure>`;
}
