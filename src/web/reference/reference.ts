import { html, type Html } from '../html.ts';
import { call, refusals } from './calls.ts';
import type { ApiDocument, Operation } from './document.ts';
import { form } from './forms.ts';
import { anchorOf, line, prose, titlesIn } from './prose.ts';

type Call = readonly [method: string, path: string, operation: Operation];

/** All that the document tells, as a page: what is told in several places of it stands once, and is linked. */
export function reference(document: ApiDocument): Html {
  const { info, paths, components } = document;
  const calls = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]): Call => [method, path, operation]));
  const tags = new Set(calls.map(([, , { tags: [tag] }]) => tag));
  const groups = new Map(Array.from(tags, (tag) => [tag, calls.filter(([, , operation]) => operation.tags[0] === tag)]));
  return html`<div class="reference">
    ${contents(titlesIn(info.description), groups)}
    <div>
      <section class="guide">${prose(info.description)}</section>
      <section><h2 id="endpoints">Endpoints</h2>${[...groups].map(([tag, all]) => html`<h3 id="of-${tag}">${tag}</h3>${all.map((one) => call(...one, components.schemas))}`)}</section>
      <section><h2 id="refusals">Refusals by status</h2>${refusals(document)}</section>
      <section><h2 id="headers">Headers</h2><dl class="members">${Object.entries(components.headers).map(([name, { description }]) =>
        html`<div id="header-${name}"><dt><code>${name}</code></dt><dd><p>${line(description)}</p></dd></div>`)}</dl></section>
      <section><h2 id="forms">Forms</h2>${Object.entries(components.schemas).map(([name, schema]) =>
        html`<details class="call"><summary><code>${name}</code></summary><div class="told" id="form-${name}">${form(schema)}</div></details>`)}</section>
    </div>
  </div>`;
}

function contents(titles: readonly string[], groups: ReadonlyMap<string, readonly Call[]>): Html {
  const link = (anchor: string, text: string): Html => html`<a href="#${anchor}">${text}</a>`;
  const endpoints = [...groups].map(([tag, all]) => html`<li>${link(`of-${tag}`, tag)}<ul>${all.map(([method, path, { operationId }]) => html`<li>${link(`call-${operationId}`, `${method.toUpperCase()} ${path}`)}</li>`)}</ul></li>`);
  return html`<nav class="contents" aria-label="Reference"><ul>
    ${titles.map((title) => html`<li>${link(anchorOf(title), title)}</li>`)}
    <li>${link('endpoints', 'Endpoints')}<ul>${endpoints}</ul></li>
    <li>${link('refusals', 'Refusals by status')}</li><li>${link('headers', 'Headers')}</li><li>${link('forms', 'Forms')}</li>
  </ul></nav>`;
}
