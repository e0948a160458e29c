import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLANS } from '../../src/accounts/plans.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { problemOf } from '../../src/http/problem.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../src/model/errors.ts';
import { VALIDATE_CODES } from '../../src/validate/request.ts';
import { adminPaths } from '../../src/http/openapi/admin_paths.ts';
import { componentSchemas } from '../../src/http/openapi/components.ts';
import { openapiDocument } from '../../src/http/openapi.ts';
import { isObject, type JsonObject } from '../../src/model/json.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';

const VOCABULARIES = {
  contacts: vocabulary('contacts', [{ name: 'badge', type: 'integer', description: 'badge number' }]),
  companies: vocabulary('companies'),
};
const SCHEMAS = new Map(Object.entries(componentSchemas(VOCABULARIES)));
const SERVED = new Set(['/v1/find', '/v1/sources', '/v1/schema', '/v1/usage', '/v1/email/validate', '/health', '/playground/find', '/playground/email/validate', '/playground/sources', '/playground/schema']);
const document: unknown = JSON.parse(JSON.stringify(openapiDocument(VOCABULARIES, SERVED)));

/** Every object of the document with the path to it. */
function* objects(value: unknown, path = '#'): Generator<readonly [path: string, value: JsonObject]> {
  if (Array.isArray(value)) for (const [at, each] of value.entries()) yield* objects(each, `${path}/${at}`);
  if (!isObject(value)) return;
  yield [path, value];
  for (const [name, each] of Object.entries(value)) yield* objects(each, `${path}/${name.replaceAll('/', '~1')}`);
}

const all = [...objects(document)];
const at = (path: string): JsonObject => all.find(([each]) => each === path)?.[1] ?? assert.fail(`nothing at ${path}`);

test('every endpoint of the service is described, with what it takes and gives', () => {
  assert.deepEqual(Object.keys(at('#/paths')), [
    '/v1/find', '/v1/sources', '/v1/schema', '/v1/usage', '/v1/email/validate',
    '/playground/find', '/playground/email/validate', '/playground/sources', '/playground/schema', '/health',
  ]);
  const operations = all.map(([, value]) => value).filter((value) => 'operationId' in value);
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, 10);
  for (const { operationId, responses, summary } of operations) assert.ok(isObject(responses) && 200 in responses && typeof summary === 'string', String(operationId));
  assert.deepEqual(Object.keys(at('#/paths/~1v1~1find/post/responses')), ['200', '400', '401', '406', '413', '415', '429', '500', '502', '503', '508']);
  assert.deepEqual(Object.keys(at('#/paths/~1v1~1sources/get/responses')), ['200', '304', '401', '429', '500', '503'], 'a description comes in JSON whatever Accept says');
});

test('every answer names its headers, and none that is not explained', () => {
  const headers = Object.keys(at('#/components/headers'));
  const answers = all.filter(([path]) => /^#\/(?:paths\/.*\/responses|components\/responses)\/\w+$/.test(path)).map(([, value]) => value).filter((value) => !('$ref' in value));
  assert.ok(answers.length > 25);
  for (const { headers: named, description } of answers) {
    assert.ok(isObject(named) && 'X-Request-Id' in named, String(description));
    for (const name of Object.keys(named)) assert.ok(headers.includes(name), name);
  }
});

test('a refusal names every code that its status may have, and no code is left out', () => {
  const named = new Map(all.flatMap(([path, { description }]) => {
    const [, status] = /^#\/components\/responses\/Problem(\d+)$/.exec(path) ?? [];
    return status === undefined ? [] : [[Number(status), String(description).split(', ')] as const];
  }));
  const statusOf = (code: ErrorCode): number => problemOf(new AppError(code, '')).status;
  for (const [status, codes] of named) assert.deepEqual(new Set(codes.map((code) => statusOf(code as ErrorCode))), new Set([status]));
  // What asks for no endpoint is described by none, and neither is what only pages and validations say.
  assert.deepEqual(ERROR_CODES.filter((code) => named.get(statusOf(code))?.includes(code) !== true), ['csrf', 'method_not_allowed', 'validator_unreachable']);

  const told = all.flatMap(([path, { description }]) => {
    const [, status] = /^#\/paths\/~1v1~1email~1validate\/post\/responses\/([45]\d\d)$/.exec(path) ?? [];
    return status === undefined ? [] : String(description).split(', ').map((code) => [code, Number(status)] as const);
  });
  assert.deepEqual(Object.fromEntries(told), Object.fromEntries(Object.entries(VALIDATE_CODES).filter(([code]) => code !== 'NOT_FOUND' && code !== 'METHOD_NOT_ALLOWED')));
});

test('the guide says of every code what to do about it, under its status', () => {
  const { description } = at('#/info');
  const told = [...String(description).matchAll(/^\| (\d{3}) \| `(\w+)` \| ./gm)].map(([, status, code]) => [code, Number(status)] as const);
  const wanted = ERROR_CODES.filter((code) => code !== 'csrf' && code !== 'validator_unreachable');
  assert.deepEqual(told, wanted.map((code) => [code, problemOf(new AppError(code, '')).status]));
});

test('every reference leads somewhere, and no schema names its own dialect', () => {
  const paths = new Set(all.map(([path]) => path));
  const references = all.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []));
  assert.ok(references.length > 50);
  for (const reference of references) assert.ok(paths.has(reference), reference);
  assert.ok(all.every(([, value]) => !('$schema' in value) && !('$id' in value)));
});

test('an integer that may not fit 32 bits says so, for the clients that are generated', () => {
  const wide = all.filter(([, { type, maximum }]) => type === 'integer' && (typeof maximum !== 'number' || maximum > 2 ** 31 - 1)).filter(([path]) => path.startsWith('#/components/schemas/'));
  assert.ok(wide.length > 30);
  for (const [path, { format }] of wide) assert.equal(format, 'int64', path);
  assert.deepEqual(at('#/components/schemas/Company/properties/revenue_usd/anyOf/0').format, 'int64');
  assert.ok(!('format' in at('#/components/schemas/Validation/properties/score')), 'what fits needs no more room');
});

test('a choice that a call takes and one that a schema has are of different names in a client that is generated', () => {
  const named = (...words: unknown[]): string => words.map((word) => String(word).toLowerCase()).join('');
  const choices = new Set(Object.entries(at('#/components/schemas')).flatMap(([schema, value]) =>
    Object.entries((value as { properties?: JsonObject }).properties ?? {}).filter(([, member]) => isObject(member) && 'enum' in member).map(([member]) => named(schema, member))));
  const taken = [...objects(adminPaths())].flatMap(([, { operationId, parameters = [] }]) =>
    (parameters as JsonObject[]).filter(({ schema }) => isObject(schema) && 'enum' in schema).map(({ name }) => named(operationId, name)));
  assert.deepEqual([taken.length, taken.filter((name) => choices.has(name))], [2, []]);
});

test('what a date means to a filter is said where the filter is, and at its form, which extras have too', () => {
  for (const path of ['#/components/schemas/DateFilter', '#/components/schemas/FindContacts/properties/filters/properties/updated_at']) {
    assert.match(String(at(path).description), /a date is its whole day in UTC.*a time without a zone is in UTC/, path);
  }
});

test('the guide says how a filter compares, and what a free text may have', () => {
  const guide = String(at('#/info').description);
  for (const told of ['compared as a whole, without case, accents and outer blanks', 'both ends included', 'kept by `exclude`', '`eng*`', '`"vp engineering"`', 'There is no OR', 'needs a filter beside it']) {
    assert.ok(guide.includes(told), told);
  }
});

test('every example is what its schema describes', () => {
  let seen = 0;
  for (const [path, media] of all) {
    const reference = isObject(media.schema) ? media.schema.$ref : undefined;
    if (typeof reference !== 'string') continue;
    const schema = SCHEMAS.get(reference.split('/').at(-1)!) ?? assert.fail(reference);
    const several = isObject(media.examples) ? Object.values(media.examples).map((each) => (isObject(each) ? each.value : each)) : [];
    for (const example of 'example' in media ? [media.example, ...several] : several) {
      const { success, error } = schema.safeParse(example);
      assert.ok(success, `${path}: ${error?.message}`);
      seen += 1;
    }
  }
  assert.ok(seen >= 25, `${seen} examples`);
});

test('every line of the example of a stream is a row or a control line', () => {
  const { example } = at('#/paths/~1v1~1find/post/responses/200/content/application~1x-ndjson');
  const lines = String(example).trim().split('\n').map((line): unknown => JSON.parse(line));
  assert.deepEqual(lines.map((line) => SCHEMAS.get('Contact')!.safeParse(line).success), [true, false, false]);
  assert.deepEqual(lines.map((line) => SCHEMAS.get('StreamLine')!.safeParse(line).success), [false, true, true]);
});

test('the playground, which streams nothing, takes the deadline of a page', () => {
  const takes = (timeout_ms: number): boolean[] => ['PlaygroundFind', 'FindRequest'].map((name) => SCHEMAS.get(name)!.safeParse({ type: 'contacts', timeout_ms }).success);
  assert.deepEqual([takes(30_000), takes(30_001)], [[true, true], [false, true]]);
});

test('a body that is refused because it says nothing is none by its schema either, and neither is one with more stages than are taken', () => {
  for (const name of ['AccountChange', 'SuppressionBody']) assert.equal(at(`#/components/schemas/${name}`).minProperties, 1, name);
  const stages = at('#/components/schemas/ValidateRequest').anyOf as { properties: { stages: JsonObject } }[];
  assert.deepEqual(stages.map(({ properties }) => properties.stages.maxItems), [LIMITS.validateStagesMax, LIMITS.validateStagesMax]);
});

test('an object that says nothing is no filter, and what a range leaves out stands beside its ends', () => {
  const objects = (name: string): JsonObject[] =>
    (at(`#/components/schemas/${name}`).anyOf as unknown[])
      .flatMap((each) => (isObject(each) && 'anyOf' in each ? each.anyOf as unknown[] : [each]))
      .filter((each): each is JsonObject => isObject(each) && each.type === 'object');
  assert.deepEqual(
    objects('NumberFilter').map(({ minProperties, properties }) => [minProperties, Object.keys(properties as JsonObject)]),
    [[1, ['include', 'exclude']], [1, ['min', 'max', 'exclude']]],
  );
});

test('every line of the example of a stream of validations is what its schema describes', () => {
  const { example } = at('#/paths/~1v1~1email~1validate/post/responses/200/content/application~1x-ndjson');
  const lines = String(example).trim().split('\n').map((line): unknown => JSON.parse(line));
  assert.deepEqual(lines.map((line) => SCHEMAS.get('ValidateLine')!.safeParse(line).success), [true, true]);
});

test('a find body is described with the filters of its dataset, the operator\'s own among them', () => {
  const contacts = at('#/components/schemas/FindContacts/properties/filters');
  assert.equal(contacts.additionalProperties, false);
  assert.ok(isObject(contacts.properties) && 'badge' in contacts.properties && 'email' in contacts.properties && !('founded_year' in contacts.properties));
  assert.equal(at('#/components/schemas/FindContacts').additionalProperties, false);
  assert.deepEqual(at('#/components/schemas/FindContacts/properties/fields'), {
    description: 'row fields to return; id and source always come', type: 'array', items: { type: 'string' }, maxItems: 1_000,
  });
});

test('a refusal of a validation is described for each status, in its envelope, and says when to come back', () => {
  const { responses } = at('#/paths/~1v1~1email~1validate/post');
  const refusals = Object.entries(responses as JsonObject).filter(([status]) => status !== '200');
  assert.deepEqual(refusals.map(([status]) => status), ['400', '401', '406', '413', '415', '429', '500', '502', '503']);
  const waits = refusals.filter(([, answer]) => isObject(answer) && isObject(answer.headers) && 'Retry-After' in answer.headers).map(([status]) => status);
  assert.deepEqual(waits, ['429', '503']);
  for (const [status, { example }] of refusals.map(([status]) => [status, at(`#/paths/~1v1~1email~1validate/post/responses/${status}/content/application~1json`)] as const))
    assert.ok(isObject(example) && isObject(example.error) && String(example.error.status) === status, status);
});

test('the guide of the document tells the caps of every plan, what a call costs and when a walk repeats an identity or does not end, and names no header or field that is not described', () => {
  const { description } = at('#/info');
  assert.ok(typeof description === 'string');
  for (const [name, caps] of Object.entries(PLANS)) {
    const told = `| ${name} | ${caps === null ? 'any | any | any' : [caps.requestsMax, caps.unitsMax, caps.concurrentMax].map((most) => most.toLocaleString('en-US')).join(' | ')} |`;
    assert.ok(description.includes(`\n${told}`), told);
  }
  assert.match(description, /null stands on the last page, and there alone/);
  assert.match(description, /A find costs 1 unit, and 1 more for each 100 rows/);
  assert.match(description, /comes once more as its own row, though `dedupe` is true/);
  assert.match(description, /As long as a source stays away `next_cursor` does not become null.*wait as after a 502, or end the walk there/);
  assert.match(description, /Where `@end` has a `next_cursor`[^.:]*or a source failed: /);
  const text = JSON.stringify({ ...(document as JsonObject), info: null });
  for (const [, named] of description.matchAll(/`([@\w-]+)`/g)) assert.ok(text.includes(named!) || ['burst', 'daily', 'umbrella'].includes(named!), named);
});

test('the summary of a bulk validation is described status by status, as generators of types want it', () => {
  const summaries = all.filter(([path]) => path.endsWith('/properties/summary')).map(([, value]) => value);
  assert.ok(summaries.length >= 2);
  for (const { properties, required } of summaries) assert.deepEqual(Object.keys(properties as JsonObject), required);
});

test('every field of a row and of a validation says what it is', () => {
  for (const name of ['Contact', 'Company', 'Validation', 'Validation/properties/flags']) {
    const { properties } = at(`#/components/schemas/${name}`);
    for (const [field, value] of Object.entries(properties as JsonObject)) assert.ok(isObject(value) && typeof value.description === 'string' && value.description !== '', `${name}: ${field}`);
  }
});
