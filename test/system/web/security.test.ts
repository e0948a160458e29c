import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { keyIn, proofIn, Visitor } from '../../support/visitor.ts';
import { RunningService } from '../service.ts';

const PASSWORD = 'canary horse battery';
const NEXT_PASSWORD = 'canary second battery';

describe('pages are safe', { timeout: 300_000 }, () => {
  let service: RunningService;
  let secrets: string[];
  let a: { visitor: Visitor; key: string };
  let b: { visitor: Visitor; key: string };
  let addresses = 0;

  const arrive = (over: Record<string, string> = {}): Visitor => {
    addresses += 1;
    return new Visitor(service.url, { 'x-forwarded-for': `198.51.100.${addresses}`, ...over });
  };
  const invite = async (): Promise<string> => {
    const code = await service.createInvite();
    secrets.push(code);
    return code;
  };
  const signUp = async (email: string): Promise<{ visitor: Visitor; key: string }> => {
    const visitor = arrive();
    const key = keyIn((await visitor.submit('/signup', { email, password: PASSWORD, invite: await invite() })).text)!;
    secrets.push(key, visitor.cookies.get('lds_session')!);
    return { visitor, key };
  };
  const keyIds = async ({ visitor }: { visitor: Visitor }): Promise<string[]> => [...(await visitor.get('/dashboard')).text.matchAll(/keys\/(key_\w+)\/revoke/g)].map(([, id]) => id!);

  before(async () => {
    secrets = [PASSWORD, NEXT_PASSWORD, 'canary-person', 'canary-wrong'];
    service = await RunningService.start({ LDS_DEMO: '0', LDS_TRUSTED_PROXIES: '127.0.0.1', LDS_LOG_LEVEL: 'trace' });
    a = await signUp('canary-person-a@example.com');
    b = await signUp('canary-person-b@example.com');
  });
  after(() => service.stop());

  test('every page has a strict policy, is not framed, sniffed or kept, and carries a request id', async () => {
    for (const path of ['/', '/signup', '/login', '/playground', '/docs', '/dashboard']) {
      const { headers, status, text } = await a.visitor.get(path);
      assert.ok([200, 303].includes(status), path);
      const policy = headers.get('content-security-policy')!;
      for (const rule of ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"]) assert.ok(policy.includes(rule), rule);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.deepEqual([headers.get('x-content-type-options'), headers.get('referrer-policy'), headers.get('cache-control')], ['nosniff', 'same-origin', 'no-store']);
      assert.match(headers.get('x-request-id')!, /^[\w-]{1,64}$/);
      assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\/(?!127\.0\.0\.1|www\.w3\.org)/);
    }
  });

  test('files of pages are kept for a year under an address of their bytes, and asked again by ETag elsewhere', async () => {
    const visitor = arrive();
    const path = /\/assets\/[\w-]+\/site\.css/.exec((await visitor.get('/')).text)![0];
    const kept = await visitor.get(path);
    assert.match(kept.headers.get('cache-control')!, /max-age=31536000, immutable/);
    assert.equal((await visitor.get(path, { 'if-none-match': kept.headers.get('etag')! })).status, 304);
    assert.equal((await visitor.get(path.replace(/assets\/[^/]+/, 'assets/other'))).headers.get('cache-control'), 'no-cache');
    for (const missing of ['/assets/x/none.css', '/assets/x/__proto__', '/assets/..%2f..%2fpackage.json/x']) assert.equal((await visitor.get(missing)).status, 404);
  });

  test('cookies are HttpOnly and SameSite=Lax, and on HTTPS Secure under __Host-', async () => {
    const plain = (await arrive().get('/login')).headers.getSetCookie();
    assert.match(plain.join(), /^lds_form=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax$/);
    const secure = await arrive({ 'x-forwarded-proto': 'https' }).get('/login');
    assert.match(secure.headers.getSetCookie().join(), /^__Host-lds_form=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    assert.match(secure.headers.get('strict-transport-security')!, /max-age=\d{8}/);
  });

  test('a browser is known by the sign-in that succeeded in it, for that email alone, whatever others guess meanwhile', async () => {
    const email = 'canary-person-k@example.com';
    const { visitor } = await signUp(email);
    await visitor.submit('/logout', {}, '/dashboard');
    const beside = new Visitor(service.url, { 'x-forwarded-for': `198.51.100.${addresses}` });
    const guess = async (): Promise<number> => (await beside.submit('/login', { email, password: 'canary-wrong password' })).status;
    for (let tries = 0; tries < 10; tries += 1) assert.equal(await guess(), 400);
    assert.equal(await guess(), 429);
    beside.cookies.set('lds_device', a.visitor.cookies.get('lds_device')!);
    assert.equal(await guess(), 429, 'known for another email');
    const entered = await visitor.submit('/login', { email, password: PASSWORD });
    assert.equal(entered.location, '/dashboard');
    assert.match(entered.headers.getSetCookie().join('\n'), /^lds_device=[\w-]{22}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=15552000$/m);
  });

  test('a form from another site, without its proof, or with the proof of another visitor is 403 csrf and does nothing', async () => {
    const proof = proofIn((await a.visitor.get('/dashboard')).text);
    const foreign = proofIn((await b.visitor.get('/dashboard')).text);
    const own = { 'sec-fetch-site': 'same-origin' };
    const host = `127.0.0.1:${service.port}`;
    const refused: readonly (readonly [string, Record<string, string>])[] = [
      [`csrf=${proof}`, {}], [`csrf=${proof}`, { 'sec-fetch-site': 'cross-site' }], [`csrf=${proof}`, { 'sec-fetch-site': 'same-site' }], [`csrf=${proof}`, { 'sec-fetch-site': 'none' }],
      [`csrf=${proof}`, { origin: 'https://evil.example' }], [`csrf=${proof}`, { origin: 'null' }], [`csrf=${proof}`, { origin: `https://${host}` }],
      [`csrf=${proof}`, { origin: `http://${host}`, 'sec-fetch-site': 'cross-site' }],
      ['', own], ['csrf=', own], [`csrf=${foreign}`, own], [`csrf=${proof}x`, own],
    ];
    for (const [body, headers] of refused) {
      const { status, text } = await a.visitor.raw('/dashboard/keys', body, headers);
      assert.deepEqual([status, /\bcsrf\b/.test(text)], [403, true], JSON.stringify(headers));
    }
    assert.equal((await keyIds(a)).length, 1);
    const json = await a.visitor.raw('/dashboard/keys', '', { accept: 'application/json' });
    assert.equal((JSON.parse(json.text) as { error: string }).error, 'csrf');
    const without = await arrive().raw('/login', `email=a&password=b&csrf=${proof}`, own);
    assert.deepEqual([without.status, /without the cookie .* allow this site its cookies/.test(without.text)], [403, true]);
    assert.equal((await a.visitor.raw('/logout', `csrf=${proof}`, { origin: `http://${host}` })).status, 303);
    assert.equal((await a.visitor.submit('/login', { email: 'canary-person-a@example.com', password: PASSWORD })).location, '/dashboard');
  });

  test('no GET changes anything', async () => {
    const [id] = await keyIds(a);
    for (const path of ['/logout', '/dashboard/keys', `/dashboard/keys/${id}/revoke`, '/dashboard/delete', '/dashboard/password']) {
      const { status, text } = await a.visitor.get(path);
      assert.deepEqual([status, /<h1>Only a form goes here<\/h1>/.test(text)], [405, true], path);
    }
    assert.deepEqual(await keyIds(a), [id]);
  });

  test('a session is new at sign-in: one that was planted or open before opens nothing afterwards', async () => {
    const visitor = arrive();
    const planted = 'p'.repeat(43);
    visitor.cookies.set('lds_session', planted);
    assert.equal((await visitor.get('/dashboard')).location, '/login');
    await visitor.submit('/login', { email: 'canary-person-a@example.com', password: PASSWORD });
    const issued = visitor.cookies.get('lds_session')!;
    assert.notEqual(issued, planted);
    const thief = arrive();
    thief.cookies.set('lds_session', planted);
    assert.equal((await thief.get('/dashboard')).location, '/login');
    thief.cookies.set('lds_session', issued);
    assert.equal((await thief.get('/dashboard')).status, 200);
    await visitor.submit('/logout', {}, '/dashboard');
    assert.equal((await thief.get('/dashboard')).location, '/login');
  });

  test('sign-in and sign-up answer alike whatever is known: same status, headers and body', async () => {
    const plain = (seen: Awaited<ReturnType<Visitor['get']>>, email: string): string =>
      JSON.stringify([seen.status, [...seen.headers.keys()].sort(), seen.text.replaceAll(email, 'EMAIL').replace(/csrf" value="[\w-]+"/, 'CSRF')]);
    const tried = async (path: string, email: string, more: Record<string, string>): Promise<string> =>
      plain(await arrive().submit(path, { email, password: 'canary-wrong password', ...more }), email);
    const known = 'canary-person-a@example.com';
    assert.equal(await tried('/login', known, {}), await tried('/login', 'canary-person-none@example.com', {}));
    assert.equal(await tried('/login', known, {}), await tried('/login', 'tests@localhost', {}));
    for (const more of [{ invite: '' }, { invite: 'ldi_mistyped' }]) assert.equal(await tried('/signup', known, more), await tried('/signup', `canary-person-${more.invite}@example.com`, more));
    assert.equal(await tried('/signup', 'admin@localhost', { invite: '' }), await tried('/signup', 'demo@localhost', { invite: '' }));
  });

  test('a field that a form does not have is refused, so that nothing is set on the side', async () => {
    const visitor = arrive();
    for (const [name, value] of [['plan', 'unlimited'], ['status', 'active'], ['account[plan]', 'unlimited'], ['constructor', 'x']] as const) {
      const { status } = await visitor.submit('/signup', { email: 'canary-person-m@example.com', password: PASSWORD, invite: '', [name]: value });
      assert.equal(status, 400);
    }
    assert.equal((await a.visitor.submit('/dashboard/keys', { name: 'x', kind: 'admin' }, '/dashboard')).status, 400);
    assert.equal((await a.visitor.submit('/dashboard/keys', { name: 'x', account_id: 'acc_b' }, '/dashboard')).status, 400);
    const twice = `email=x%40example.com&email=y%40example.com&csrf=${proofIn((await visitor.get('/signup')).text)}`;
    assert.equal((await visitor.raw('/signup', twice, { 'sec-fetch-site': 'same-origin' })).status, 400);
    assert.doesNotMatch(service.lds('accounts').out, /canary-person-m/);
  });

  test('the keys of another account are 404, as those that do not exist', async () => {
    const [theirs] = await keyIds(b);
    for (const id of [theirs!, 'key_none']) {
      for (const [act, fields] of [['revoke', {}], ['rename', { name: 'mine' }], ['rotate', { overlap: '0' }]] as const) {
        assert.equal((await a.visitor.submit(`/dashboard/keys/${id}/${act}`, fields, '/dashboard')).status, 404, act);
      }
    }
    assert.deepEqual(await keyIds(b), [theirs]);
    assert.equal((await service.call('GET', '/v1/usage', { key: b.key })).status, 200);
  });

  test('pages ignore bearer keys, and the API ignores cookies', async () => {
    assert.equal((await arrive().get('/dashboard', { authorization: `Bearer ${a.key}` })).location, '/login');
    assert.equal((await a.visitor.get('/v1/usage')).status, 401);
  });

  test('a password of a megabyte is 400, and one form more than a megabyte 413; no browser is told to cut one', async () => {
    const visitor = arrive();
    for (const path of ['/signup', '/login']) assert.doesNotMatch((await visitor.get(path)).text, /<input[^>]*type="password"[^>]*maxlength/);
    assert.equal((await visitor.submit('/signup', { email: 'x@example.com', password: 'x'.repeat(1_000_000), invite: '' })).status, 400);
    assert.equal((await visitor.raw('/signup', `password=${'x'.repeat(1_100_000)}`, { 'sec-fetch-site': 'same-origin' })).status, 413);
  });

  test('what a visitor typed comes back as text, never as markup', async () => {
    const { text } = await arrive().submit('/login', { email: '"><script>alert(1)</script>', password: PASSWORD });
    assert.match(text, /value="&quot;&gt;&lt;script&gt;/);
    const named = await b.visitor.submit('/dashboard/keys', { name: '<b>&"\'\u200b' }, '/dashboard');
    assert.match(named.text, /<strong><bdi>&lt;b&gt;&amp;&quot;&#39;<\/bdi><\/strong>/);
    secrets.push(keyIn(named.text)!);
  });

  test('a name of a key may have 64 letters of any kind, and no browser is told to cut one', async () => {
    assert.doesNotMatch((await b.visitor.get('/dashboard')).text, /<input[^>]*name="name"[^>]*maxlength/);
    const named = await b.visitor.submit('/dashboard/keys', { name: '\u{1f511}'.repeat(64) }, '/dashboard');
    assert.ok(named.text.includes(`<bdi>${'\u{1f511}'.repeat(64)}</bdi>`));
    secrets.push(keyIn(named.text)!);
    assert.match((await b.visitor.submit('/dashboard/keys', { name: 'x'.repeat(65) }, '/dashboard')).text, /A name has at most 64 characters/);
  });

  test('a name that is too long stays in its field, which has what is wrong with it', async () => {
    const told = 'A name has at most 64 characters.';
    const field = `value="${'x'.repeat(65)}" aria-describedby="trouble" aria-invalid="true" autofocus`;
    const renamed = /action="(\/dashboard\/keys\/[^"]+\/rename)"/.exec((await b.visitor.get('/dashboard')).text)![1]!;
    for (const path of ['/dashboard/keys', renamed]) {
      const { status, text } = await b.visitor.submit(path, { name: 'x'.repeat(65) }, '/dashboard');
      assert.deepEqual([status, text.split(told).length, text.split(field).length], [400, 2, 2], path);
      assert.equal(text.includes('<details name="acts" open>'), path === renamed);
    }
    const gone = await b.visitor.submit('/dashboard/keys/key_none/rename', { name: 'x'.repeat(65) }, '/dashboard');
    assert.deepEqual([gone.status, gone.text.split(told).length], [400, 2]);
  });

  test('a form whose session ended meanwhile does nothing and says so; a sign-in after that of another tab goes on to the dashboard', async () => {
    const visitor = arrive();
    const fields = { email: 'canary-person-b@example.com', password: PASSWORD };
    const proof = proofIn((await visitor.get('/login')).text);
    await visitor.submit('/login', fields);
    const again = await visitor.raw('/login', new URLSearchParams({ ...fields, csrf: proof }).toString(), { 'sec-fetch-site': 'same-origin' });
    assert.deepEqual([again.status, again.location], [303, '/dashboard']);
    const late = await visitor.raw('/signup', new URLSearchParams({ ...fields, invite: '', csrf: proof }).toString(), { 'sec-fetch-site': 'same-origin' });
    assert.deepEqual([late.status, late.location], [303, '/dashboard']);
    assert.match((await visitor.get('/assets/x/none')).text, /href="\/dashboard"/, 'a failure is told within the site as the visitor has it');
    const stale = proofIn((await visitor.get('/dashboard')).text);
    await visitor.submit('/logout', {}, '/dashboard');
    const { location } = await visitor.raw('/dashboard/keys', `name=late&csrf=${stale}`, { 'sec-fetch-site': 'same-origin' });
    assert.equal(location, '/login?done=ended');
    assert.equal((await visitor.raw('/logout', `csrf=${stale}`, { 'sec-fetch-site': 'same-origin' })).location, '/login?done=out', 'who signs out in both tabs is out');
    assert.match((await visitor.get(location!)).text, /Your session has ended\. What you sent was not done/);
    assert.doesNotMatch((await b.visitor.get('/dashboard')).text, /<strong><bdi>late</);
  });

  test('who signs in anew in the same browser leaves no session behind', async () => {
    const visitor = arrive();
    const proof = proofIn((await visitor.get('/login')).text);
    const form = visitor.cookies.get('lds_form')!;
    const fields = new URLSearchParams({ email: 'canary-person-b@example.com', password: PASSWORD, csrf: proof }).toString();
    const enter = async (): Promise<string> => {
      visitor.cookies.set('lds_form', form);
      assert.equal((await visitor.raw('/login', fields, { 'sec-fetch-site': 'same-origin' })).location, '/dashboard');
      return visitor.cookies.get('lds_session')!;
    };
    const former = await enter();
    const present = await enter();
    secrets.push(former, present);
    const opens = async (token: string): Promise<boolean> => (await fetch(`${service.url}/dashboard`, { redirect: 'manual', headers: { cookie: `lds_session=${token}` } })).status === 200;
    assert.deepEqual([await opens(former), await opens(present)], [false, true]);
  });

  test('a change of password ends the other sessions and the token of this one, and deletion ends everything', async () => {
    const elsewhere = arrive();
    await elsewhere.submit('/login', { email: 'canary-person-b@example.com', password: PASSWORD });
    const former = b.visitor.cookies.get('lds_session')!;
    assert.equal((await b.visitor.submit('/dashboard/password', { current: 'canary-wrong password', next: NEXT_PASSWORD }, '/dashboard')).status, 400);
    assert.equal((await b.visitor.submit('/dashboard/password', { current: PASSWORD, next: NEXT_PASSWORD }, '/dashboard')).location, '/dashboard?done=password');
    assert.equal((await elsewhere.get('/dashboard')).location, '/login');
    assert.notEqual(b.visitor.cookies.get('lds_session'), former);
    const stolen = arrive();
    stolen.cookies.set('lds_session', former);
    assert.equal((await stolen.get('/dashboard')).location, '/login');
    assert.equal((await b.visitor.submit('/dashboard/delete', { password: NEXT_PASSWORD }, '/dashboard')).location, '/login?done=deleted');
    assert.equal((await b.visitor.get('/dashboard')).location, '/login');
    assert.doesNotMatch(service.lds('accounts').out, /canary-person-b/);
    await new Promise((resolve) => { setTimeout(resolve, 1_000); });
    assert.equal((await service.call('GET', '/v1/usage', { key: b.key })).status, 401);
  });

  test('the log line of a signed-in visitor names the account by its id, and so do those of the sign-up and the sign-in', async () => {
    const [up, visitor] = [arrive(), arrive()];
    const fields = { email: 'canary-person-l@example.com', password: PASSWORD };
    const asked = [await up.submit('/signup', { ...fields, invite: await invite() }), await up.get('/dashboard'), await visitor.submit('/login', fields), await visitor.get('/dashboard')];
    const accounts = (await Promise.all(asked.map((answer) => service.lineOf(answer)))).map(({ account }) => account as string);
    assert.match(accounts[0]!, /^acc_/);
    assert.deepEqual(accounts, accounts.map(() => accounts[0]));
  });

  test('the log line of a change of a key names it, and none that was not changed', async () => {
    const [id] = await keyIds(a);
    const proof = proofIn((await a.visitor.get('/dashboard')).text);
    const ask = (from: Visitor, key: string): ReturnType<Visitor['raw']> => from.raw(`/dashboard/keys/${key}/rename`, `name=traced&csrf=${proof}`, { 'sec-fetch-site': 'same-origin' });
    const asked = [await ask(a.visitor, id!), await ask(a.visitor, 'key_none'), await ask(arrive(), id!)];
    assert.deepEqual(asked.map(({ status }) => status), [303, 404, 303]);
    const lines = await Promise.all(asked.map((answer) => service.lineOf(answer)));
    assert.deepEqual(lines.map(({ target }) => target), [id, undefined, undefined]);
  });

  test('no key, password, invite, session or email is in any log line', async () => {
    await service.lineOf(await service.call('POST', '/v1/find', { key: a.key, body: { type: 'contacts', query: 'canary-person', filters: { email: ['canary-person@example.com'] } } }));
    assert.ok(service.logged.split('\n').length > 50);
    for (const secret of secrets) assert.ok(secret.length > 8 && !service.logged.includes(secret) && !service.printed.includes(secret), secret);
  });
});
