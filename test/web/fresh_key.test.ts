import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { AppError } from '../../src/model/errors.ts';
import type { PageRequest } from '../../src/model/page.ts';
import { type WebParts, openWeb } from '../../src/web/routes.ts';
import { PASSWORD, people, type People } from '../accounts/people.ts';
import { keyIn, proofIn } from '../support/visitor.ts';

type Fields = Readonly<Record<string, string>>;
type Browser = { readonly people: People; submit(path: string, id: string, fields: Fields): Promise<{ status: number; text: string }>; lose(): void; sits(token: string): void };

/** Pages over real rules, whose store can be lost for all but what the forms themselves change. */
async function browser(test: TestContext): Promise<Browser> {
  const made = await people(test);
  let lost = false;
  const usageOf = async (): Promise<never[]> => {
    if (lost) throw new AppError('store_unavailable', 'The account store cannot be used at the moment. Try again.');
    return [];
  };
  const gauge = { limit: null, used: 0, remaining: null, resetSeconds: 0 };
  const accounts = { members: made.members, keys: made.keys, recent: { of: () => [], forget: () => {} }, look: () => ({ plan: 'preview', burst: gauge, daily: gauge, umbrella: gauge }), usageOf };
  const document = { info: { description: '' }, paths: {}, components: { headers: {}, responses: {}, schemas: {} } };
  const { pages } = openWeb({ accounts, catalog: () => ({ sources: [] }), document, formSecret: Buffer.alloc(32, 1), serves: () => true } as unknown as WebParts);
  const cookies = new Map<string, string>();
  const ask = async (method: string, path: string, id: string, body: string | null): Promise<{ status: number; text: string }> => {
    const headers = new Map([['cookie', [...cookies].map((pair) => pair.join('=')).join('; ')], ['sec-fetch-site', 'same-origin']]);
    const request: PageRequest = {
      requestId: 'r', parameters: new Map([['id', id]]), query: '', headers, client: { network: 'home', secure: false }, identify: () => {},
      body: async () => Buffer.from(body ?? ''),
    };
    const answer = await pages.find((page) => page.method === method && page.path === path)!.handle(request);
    for (const [, line] of (answer.headers ?? []).filter(([name]) => name === 'Set-Cookie')) cookies.set(line.split('=')[0]!, /=([^;]*)/.exec(line)![1]!);
    return { status: answer.status, text: String(answer.body) };
  };
  return {
    people: made,
    lose: () => { lost = true; },
    sits: (token) => { cookies.set('lds_session', token); },
    submit: async (path, id, fields) => {
      const was = lost;
      lost = false;
      const { text } = await ask('GET', path === '/signup' ? path : '/dashboard', '', null);
      lost = was;
      return ask('POST', path, id, new URLSearchParams({ ...fields, csrf: proofIn(text) }).toString());
    },
  };
}

test('a key that was made is shown also where the rest of the dashboard cannot be: its forerunner may be dead already', async (t) => {
  const { people: { arrive, keys, invite }, submit, lose, sits } = await browser(t);
  const { visitor, token } = await arrive('jo@example.com');
  const { id } = (await keys.list(visitor))[0]!;
  sits(token);
  lose();
  for (const [path, fields] of [['/dashboard/keys', { name: 'x' }], ['/dashboard/keys/{id}/rotate', { overlap: '0' }]] as const) {
    const { status, text } = await submit(path, id, fields);
    assert.deepEqual([status, /cannot be shown at the moment/.test(text)], [200, true], path);
    assert.match(keyIn(text)!, /^ldx_/, path);
  }
  await assert.rejects(submit('/dashboard/keys', '', { name: 'x'.repeat(LIMITS.keyNameCharactersMax + 1) }), { code: 'store_unavailable' }, 'where no key was made the failure is told');
  sits((await arrive('ann@example.com', 'waiting')).token);
  assert.match(keyIn((await submit('/dashboard/invite', '', { invite: await invite() })).text)!, /^ldx_/);
});

test('the first key is shown also where no session can begin, or the one before end', async (t) => {
  const { people: { store, invite }, submit, sits } = await browser(t);
  const fails = async (): Promise<never> => { throw new AppError('store_unavailable', 'The account store cannot be used at the moment. Try again.'); };
  for (const broken of ['endSession', 'addSession'] as const) {
    const whole = store[broken];
    const code = await invite();
    (store as unknown as Record<string, unknown>)[broken] = fails;
    sits('p'.repeat(43));
    const { status, text } = await submit('/signup', '', { email: `${broken}@example.com`, password: PASSWORD, invite: code });
    (store as unknown as Record<string, unknown>)[broken] = whole;
    assert.equal(status, 200, broken);
    assert.match(keyIn(text)!, /^ldx_/, broken);
  }
});

test('an invite that comes from a page of before, to an account that is open by now, is not spent, and its owner is told', async (t) => {
  const { people: { arrive, invite, members }, submit, sits } = await browser(t);
  const { visitor, token } = await arrive('jo@example.com', 'waiting');
  sits(token);
  assert.notEqual(await members.redeem(visitor, await invite()), null);
  const code = await invite();
  const { status, text } = await submit('/dashboard/invite', '', { invite: code });
  assert.deepEqual([status, keyIn(text)], [400, null]);
  assert.match(text, /role="alert"[^>]*>Your account waits for no invite: this one was not used\./);
  sits((await arrive('ann@example.com', 'waiting')).token);
  assert.match(keyIn((await submit('/dashboard/invite', '', { invite: code })).text)!, /^ldx_/);
});
