import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageRequest } from '../../src/model/page.ts';
import { FormSeal } from '../../src/web/csrf.ts';
import { deviceOf, knownDevice } from '../../src/web/device.ts';

const seal = new FormSeal(Buffer.alloc(32, 1));

function withCookie(cookie: string): PageRequest {
  const headers = new Map([['cookie', cookie]]);
  return { requestId: 'r', parameters: new Map(), query: '', headers, client: { network: 'n', secure: true }, identify: () => {}, body: async () => null };
}

test('a browser keeps its name from one sign-in to the next, however the email is typed', () => {
  const [, line] = knownDevice(withCookie(''), seal, 'jo@example.com');
  const cookie = line.split(';')[0]!;
  const name = deviceOf(withCookie(cookie), seal, ' Jo@Example.com ');
  assert.match(name!, /^[\w-]{22}$/);
  assert.equal(knownDevice(withCookie(cookie), seal, 'jo@example.com')[1], line);
  assert.match(line, /^__Host-lds_device=.+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=15552000$/);
});

test('a name is believed with its proof alone: not for another email, from another installation, cut, swapped, or where there is none', () => {
  const cookie = knownDevice(withCookie(''), seal, 'jo@example.com')[1].split(';')[0]!;
  const [name, proof] = cookie.slice(cookie.indexOf('=') + 1).split('.');
  assert.equal(deviceOf(withCookie(cookie), seal, 'ann@example.com'), null);
  assert.equal(deviceOf(withCookie(cookie), seal, 'no email'), null);
  assert.equal(deviceOf(withCookie(cookie), new FormSeal(Buffer.alloc(32, 2)), 'jo@example.com'), null);
  for (const value of ['', name!, `${name}.`, `.${proof}`, `${name}.${proof}x`, `${proof}.${name}`, `${'A'.repeat(22)}.${proof}`, `${name}.${seal.token(name!)}`]) {
    assert.equal(deviceOf(withCookie(`__Host-lds_device=${value}`), seal, 'jo@example.com'), null, value);
  }
});
