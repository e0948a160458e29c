import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRouter } from '../../src/http/router.ts';

const ROUTES = [
  { method: 'POST', path: '/v1/find', name: 'find' },
  { method: 'GET', path: '/v1/sources', name: 'sources' },
  { method: 'GET', path: '/', name: 'home' },
  { method: 'POST', path: '/admin/keys', name: 'make key' },
  { method: 'GET', path: '/admin/keys', name: 'list keys' },
  { method: 'DELETE', path: '/admin/keys/{id}', name: 'drop key' },
  { method: 'POST', path: '/admin/sources/{name}/reload', name: 'reload' },
];
const route = makeRouter(ROUTES);

function found(method: string, path: string): string | null {
  const match = route(method, path);
  return match.kind === 'found' ? match.route.name : null;
}

test('a path and its verb lead to their route', () => {
  for (const { method, path, name } of ROUTES.slice(0, 5)) assert.equal(found(method, path), name);
});

test('HEAD works where GET does, and nowhere else', () => {
  assert.equal(found('HEAD', '/v1/sources'), 'sources');
  assert.equal(route('HEAD', '/v1/find').kind, 'wrong_verb');
});

test('a segment in braces takes one segment, under its name', () => {
  const match = route('POST', '/admin/sources/crm-2/reload');
  assert.ok(match.kind === 'found');
  assert.deepEqual([match.route.name, [...match.parameters]], ['reload', [['name', 'crm-2']]]);
});

test('a wrong verb is told which are right', () => {
  assert.deepEqual(route('GET', '/v1/find'), { kind: 'wrong_verb', allow: 'OPTIONS, POST', path: '/v1/find' });
  assert.deepEqual(route('PUT', '/admin/keys'), { kind: 'wrong_verb', allow: 'GET, HEAD, OPTIONS, POST', path: '/admin/keys' });
  assert.deepEqual(route('GET', '/admin/keys/abc'), { kind: 'wrong_verb', allow: 'DELETE, OPTIONS', path: '/admin/keys/{id}' });
});

test('verbs are compared as they are sent: in upper case', () => {
  assert.equal(route('post', '/v1/find').kind, 'wrong_verb');
});

test('OPTIONS is known wherever the path is', () => {
  assert.deepEqual(route('OPTIONS', '/v1/find'), { kind: 'options', allow: 'OPTIONS, POST', path: '/v1/find' });
  assert.equal(route('OPTIONS', '/nowhere').kind, 'unknown_path');
});

for (const path of [
  '', '*', '/v1', '/v1/find/', '//v1/find', '/v1//find', '/V1/find', '/v1/find#x', '/v1/./find', '/v1/../v1/find', '/%761/find', '/v1/find%00', '/v1/%zz',
  '/admin/keys/', '/admin/keys/.', '/admin/keys/..', '/admin/keys/%2e%2e', '/admin/keys/a%2fb', '/admin/keys/a/b', '/admin/keys/a b', '/admin/keys/{id}',
  `/admin/keys/${'a'.repeat(129)}`, '/admin/sources//reload', 'http://service/v1/find', '/constructor', '/__proto__',
]) {
  test(`the path ${JSON.stringify(path.slice(0, 40))} is unknown: paths are matched as they are sent`, () => {
    assert.equal(route('POST', path).kind, 'unknown_path');
  });
}

test('two routes for one verb and path are a mistake that shows at the start', () => {
  assert.throws(() => makeRouter([ROUTES[0]!, ROUTES[0]!]), /two routes for POST \/v1\/find/);
});
