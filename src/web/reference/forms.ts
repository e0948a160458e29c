import { html, type Html, type Part } from '../html.ts';
import { count } from '../parts/figures.ts';
import type { Schema } from './document.ts';
import { formLink, line } from './prose.ts';

const PATTERN_CHARACTERS_SHOWN = 40;

/** A form in a line, and the members of the objects in it. */
export function form(schema: Schema): Html {
  return html`${schema.description !== undefined && html`<p>${line(schema.description)}</p>`}<p class="kind">${kindOf(schema)}</p>${membersOf(schema)}`;
}

/** In words: `string of 1 to 256 characters`. */
export function kindOf(schema: Schema): Html {
  const [first, ...more] = alternatives(schema);
  return html`${first}${more.map((kind) => html` or ${kind}`)}`;
}

/** Each once, however deep they stand within each other. */
function alternatives(schema: Schema): Html[] {
  const { anyOf, type } = schema;
  const all = anyOf !== undefined ? anyOf.flatMap((one, at) => (isListOf(anyOf[at - 1], one) ? [html`array${lengths(one.minItems, one.maxItems, 'such value')}`] : alternatives(one)))
    : typeof type === 'object' ? type.map((one) => plain({ ...schema, type: one }))
    : [plain(schema)];
  return [...new Map(all.map((kind) => [kind.text, kind])).values()];
}

function isListOf(one: Schema | undefined, list: Schema): boolean {
  return one !== undefined && list.items !== undefined && JSON.stringify(one) === JSON.stringify(list.items);
}

function plain(schema: Schema): Html {
  const { $ref, const: only, enum: closed, items, additionalProperties: values, type, format } = schema;
  if ($ref !== undefined) return formLink($ref);
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`;
  if (closed !== undefined) return html`${closed.map((value, at) => [at > 0 && ' or ', html`<code>${JSON.stringify(value)}</code>`])}`;
  if (type === 'array') return html`array${lengths(schema.minItems, schema.maxItems, 'value')}${items !== undefined && Object.keys(items).length > 0 && html`, each ${kindOf(items)}`}`;
  if (type === 'object') return html`object${lengths(schema.minProperties, undefined, 'member')}${typeof values === 'object' && html` of names, each with ${kindOf(values)}`}`;
  if (type === 'string') return html`${format ?? 'string'}${lengths(schema.minLength, schema.maxLength, 'character')}${patternOf(schema)}`;
  return html`${type ?? 'anything'}${range(schema.minimum, schema.maximum)}`;
}

/** A format says the same as its pattern, in words; one that nobody reads, such as that of a moment, stands in the document alone. */
function patternOf({ format, pattern }: Schema): Part {
  if (format !== undefined || pattern === undefined) return null;
  return pattern.length > PATTERN_CHARACTERS_SHOWN ? html` of a <a href="/openapi.json">pattern</a>` : html` matching <code>${pattern}</code>`;
}

function lengths(min: number | undefined, max: number | undefined, what: string): Part {
  const told = between(min, max);
  return told !== null && ` of ${told} ${what}${(max ?? min) === 1 ? '' : 's'}`;
}

function range(min: number | undefined, max: number | undefined): Part {
  // What bounds every whole number in JSON says nothing of this one.
  const told = between(...[min, max].map((bound) => (bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound)));
  return told !== null && `, ${told}`;
}

function between(min?: number, max?: number): string | null {
  if (min !== undefined && max !== undefined) return `${count(min)} to ${count(max)}`;
  return min !== undefined ? `at least ${count(min)}` : max !== undefined ? `at most ${count(max)}` : null;
}

function membersOf(schema: Schema): Html[] {
  return objectsIn(schema).map(({ properties = {}, required = [], additionalProperties }, at) => html`${at > 0 && html`<p class="kind">or</p>`}<dl class="members">${
    Object.entries(properties).map(([name, { description, ...member }]) => html`<div><dt><code>${name}</code> <span class="kind">${kindOf(member)}${required.includes(name) && html`, <strong>required</strong>`}</span></dt>
      <dd>${description !== undefined && html`<p>${line(description)}</p>`}${membersOf(member)}</dd></div>`)
  }</dl>${additionalProperties === false && Object.keys(properties).length > 0 && html`<p class="hint">No other member.</p>`}`);
}

/** Those that stand in it without a name of their own. */
function objectsIn(schema: Schema): Schema[] {
  const { properties, anyOf = [], items, additionalProperties: values } = schema;
  if (properties !== undefined) return [schema];
  return [...anyOf, ...(items === undefined ? [] : [items]), ...(typeof values === 'object' ? [values] : [])].flatMap(objectsIn);
}
