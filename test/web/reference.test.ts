import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openapiDocument } from '../../src/http/openapi.ts';
import { isObject } from '../../src/model/json.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { ApiDocument, Schema } from '../../src/web/reference/document.ts';
import { kindOf } from '../../src/web/reference/forms.ts';
import { line } from '../../src/web/reference/prose.ts';
import { reference } from '../../src/web/reference/reference.ts';

const vocabularies = { contacts: vocabulary('contacts', [{ name: 'badge', type: 'integer', description: 'badge <number>' }]), companies: vocabulary('companies') };
const everywhere = { has: () => true } as unknown as ReadonlySet<string>;
const document = JSON.parse(JSON.stringify(openapiDocument(vocabularies, everywhere))) as ApiDocument;
const markup = reference(document).text;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const textOf = (of: string): string => of.replace(/<[^>]+>/g, '').replace(/&[^;]+;/g, (entity) => ENTITIES[entity]!);
const page = textOf(markup);

const NAMED = new Set(['properties', 'paths', 'headers', 'schemas']);

/** Every text of the document that is for people to read, and every name and value that a call may have. How a key is sent stands in the guide. */
function* told(value: unknown, within = ''): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* told(one, within);
  if (!isObject(value)) return;
  for (const [name, one] of Object.entries(value)) {
    if (name === 'securitySchemes') continue;
    if (NAMED.has(within)) {
      yield name;
      yield* told(one);
      continue;
    }
    if ((name === 'description' || name === 'summary') && typeof one === 'string' && within !== 'info') yield one.replaceAll('#/components/schemas/', '').replaceAll('`', '');
    if (name === 'example' || name === 'value') yield typeof one === 'string' ? one : JSON.stringify(one, null, 2);
    else if (name === 'enum' || name === 'const') yield* [one].flat().map((each) => JSON.stringify(each));
    else yield* told(one, name);
  }
}

test('the reference leaves out nothing that the document tells', () => {
  const all = [...new Set(told(document))];
  assert.ok(all.length > 500, `${all.length} texts`);
  assert.deepEqual(all.filter((text) => !page.includes(text)), []);
});

test('the guide is read as it is meant: its titles, tables and code, and no mark of them is left', () => {
  const guide = textOf(/<section class="guide">[^]*?<\/section>/.exec(markup)![0]).replaceAll(/\s+/g, ' ');
  const plain = document.info.description.replace(/^\|[-|]+\|$/gm, '').replace(/^## /gm, '').replace(/ *\| */g, ' ').replaceAll('`', '').replaceAll(/\s+/g, ' ');
  assert.equal(guide.replaceAll(' ', ''), plain.replaceAll(' ', ''));
  assert.match(markup, /<h2 id="caps-and-units">Caps and units<\/h2>/);
  assert.match(markup, /<td>preview<\/td><td>30<\/td><td>10,000<\/td><td>8<\/td>/);
  assert.match(markup, /<code>\{&quot;@<\/code>/);
});

test('every link within it leads somewhere, and no place is there twice', () => {
  const places = Array.from(markup.matchAll(/ id="([^"]+)"/g), ([, id]) => id!);
  assert.equal(new Set(places).size, places.length);
  const links = Array.from(markup.matchAll(/href="#([^"]+)"/g), ([, id]) => id!);
  assert.ok(links.length > 200);
  assert.deepEqual(links.filter((id) => !places.includes(id)), []);
});

test('what the document says is text, never markup', () => {
  assert.ok(markup.includes('badge &lt;number&gt;'));
});

test('a backquote alone is a sign like others', () => {
  assert.equal(line('the staff`s badge').text, 'the staff`s badge');
  assert.equal(line('`a` or `b`, the staff`s').text, '<code>a</code> or <code>b</code>, the staff`s');
});

test('a form is told in words', () => {
  const text = { type: 'string', minLength: 1, maxLength: 1_024 };
  const cases: readonly (readonly [Schema, string])[] = [
    [text, 'string of 1 to 1,024 characters'],
    [{ anyOf: [text, { type: 'array', items: text, minItems: 1, maxItems: 1_000 }] }, 'string of 1 to 1,024 characters or array of 1 to 1,000 such values'],
    [{ anyOf: [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, { type: 'null' }] }, 'number or null'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ enum: ['a', 1] }, '"a" or 1'],
    [{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' }, 'integer, at least 1'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Key' } }, 'array, each Key'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'object of names, each with number'],
    [{ type: 'object', properties: {}, minProperties: 1 }, 'object of at least 1 member'],
    [{ type: 'string', format: 'date', pattern: '^x$' }, 'date'],
    [{ type: 'string', pattern: '^x$' }, 'string matching ^x$'],
    [{ type: 'string', pattern: 'x'.repeat(100) }, 'string of a pattern'],
    [{}, 'anything'],
  ];
  for (const [schema, words] of cases) assert.equal(textOf(kindOf(schema).text), words);
});
