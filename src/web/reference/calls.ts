import { html, type Html, type Part } from '../html.ts';
import type { Answer, ApiDocument, Content, Example, Media, Operation, Parameter, Schema } from './document.ts';
import { form, kindOf } from './forms.ts';
import { formName, line } from './prose.ts';

type Schemas = ApiDocument['components']['schemas'];

/** What one call takes and gives, folded: many are looked through for one. */
export function call(method: string, path: string, operation: Operation, schemas: Schemas): Html {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses);
  const own = answers.flatMap(([status, one]) => ('$ref' in one ? [] : [[status, one] as const]));
  const shared = answers.flatMap(([status, one]) => ('$ref' in one ? [status] : []));
  return html`<details class="call"><summary><span class="method">${method.toUpperCase()}</span> <code>${path}</code> <span class="what">${summary}</span></summary>
    <div class="told" id="call-${operationId}">
      ${description !== undefined && html`<p>${line(description)}</p>`}
      ${security?.length === 0 && html`<p>It takes no key.</p>`}
      ${parameters.length > 0 && html`<h4>Parameters</h4><dl class="members">${parameters.map(parameter)}</dl>`}
      ${requestBody !== undefined && html`<h4>Body</h4>${content(requestBody.content, schemas)}`}
      <h4>Answers</h4>
      ${own.map(([status, one]) => answer(status, one, Number(status) < 400 ? schemas : {}))}
      ${shared.length > 0 && html`<p>Refusals: ${shared.map((status, at) => [at > 0 && ', ', html`<a href="#refusal-${status}">${status}</a>`])}</p>`}
    </div></details>`;
}

function parameter({ name, in: place, required = false, description, schema }: Parameter): Html {
  return html`<div><dt><code>${name}</code> <span class="kind">${place}, ${kindOf(schema)}${required && html`, <strong>required</strong>`}</span></dt><dd>${description !== undefined && html`<p>${line(description)}</p>`}</dd></div>`;
}

/** The answers that many calls share, each once. */
export function refusals({ components }: ApiDocument): Html[] {
  return Object.entries(components.responses).map(([name, one]) => {
    const status = name.replace(/\D/g, '');
    return html`<details class="call"><summary><code>${status}</code> <span class="what">${one.description}</span></summary><div class="told" id="refusal-${status}">${headers(one)}${content(one.content ?? {}, {})}</div></details>`;
  });
}

function answer(status: string, one: Answer, schemas: Schemas): Html {
  return html`<div class="answer"><h5><code>${status}</code> ${line(one.description)}</h5>${headers(one)}${content(one.content ?? {}, schemas)}</div>`;
}

function headers({ headers: named }: Answer): Html {
  return html`<p class="hint">Headers: ${Object.keys(named).map((name, at) => [at > 0 && ', ', html`<a href="#header-${name}">${name}</a>`])}</p>`;
}

/** A form with a name is told where it is met first, if it is one of `schemas`. */
function content(media: Content, schemas: Schemas): Html[] {
  return Object.entries(media).map(([type, one], at) => html`<div class="media"><p><code>${type}</code></p>${one.schema !== undefined && [form(one.schema), at === 0 && whole(one.schema, schemas)]}${examples(one)}</div>`);
}

function whole({ $ref }: Schema, schemas: Schemas): Part {
  const named = $ref === undefined ? undefined : schemas[formName($ref)];
  return named !== undefined && form(named);
}

function examples({ example, examples: several = {} }: Media): Part {
  const all: readonly (readonly [string, Example])[] = example === undefined ? Object.entries(several) : [['Example', { value: example }]];
  return all.map(([name, { summary = name, value }]) => html`<details><summary>${summary}</summary><pre tabindex="0"><code>${shown(value)}</code></pre></details>`);
}

/** Text, such as lines of NDJSON, stands as it comes. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
