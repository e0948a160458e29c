import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import type { PageRequest } from '../../src/model/page.ts';
import { readForm } from '../../src/web/form.ts';

function sent(text: string): PageRequest {
  return { body: async () => Buffer.from(text) } as unknown as PageRequest;
}

test('the longest fields that a form may have are read, however they are written', async () => {
  const email = '\u{1F4EE}'.repeat(LIMITS.emailCharactersMax);
  const password = '\u{1F511}'.repeat(LIMITS.passwordCharactersMax);
  const body = new URLSearchParams({ email, password, invite: 'x'.repeat(200), csrf: 'y'.repeat(43) }).toString();
  assert.ok(body.length > 4_000);
  assert.deepEqual(await readForm(sent(body), ['email', 'password', 'invite']), { email, password, invite: 'x'.repeat(200), csrf: 'y'.repeat(43) });
});

test('a form longer than any is refused before it is taken apart', async () => {
  const longer = 'x'.repeat(LIMITS.formBytesMax);
  await assert.rejects(readForm(sent(`other=${longer}`), ['email']), { code: 'invalid_field', message: /longer than any/ });
  await assert.rejects(readForm(sent(`${'a&'.repeat(LIMITS.formBytesMax)}`), ['email']), { code: 'invalid_field', message: /longer than any/ });
});

test('a field that is unknown, comes twice or is not UTF-8 is refused', async () => {
  await assert.rejects(readForm(sent('email=a&role=admin'), ['email']), { code: 'unknown_field' });
  await assert.rejects(readForm(sent('email=a&email=b'), ['email']), { code: 'invalid_field' });
  await assert.rejects(readForm({ body: async () => Uint8Array.of(0xff) } as unknown as PageRequest, ['email']), { code: 'invalid_field' });
});
