import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { before, describe, it } from 'node:test';
import { pause } from '../../support/runners.ts';
import { atATry, until } from '../../support/until.ts';
import type { Answer, Json, RunningService } from '../service.ts';

const VERBS = [
  ['POST', '/admin/invites'], ['GET', '/admin/invites'], ['DELETE', '/admin/invites/inv_1'],
  ['GET', '/admin/accounts'], ['PATCH', '/admin/accounts/acc_1'],
  ['POST', '/admin/keys'], ['GET', '/admin/keys'], ['DELETE', '/admin/keys/key_1'],
  ['GET', '/admin/usage'], ['GET', '/admin/sources'], ['POST', '/admin/sources/demo-crm/reload'],
  ['POST', '/admin/suppressions'], ['GET', '/admin/suppressions'], ['DELETE', '/admin/suppressions'],
] as const;

/** Contract, section 6: what an operator may do, and nobody else. */
export function adminRules(service: () => RunningService): void {
  let key = '';
  const admin = (method: string, path: string, body?: unknown): Promise<Answer> => service().call(method, path, { key, ...(body !== undefined && { body }) });
  const idOf = async (path: string, name: string, email: string): Promise<string> => (await admin('GET', path)).json[name].find((one: Json) => one.email === email).id;

  describe('operator endpoints', () => {
    before(async () => { key = await service().createKey('operator@localhost', 'unlimited', 'admin'); });

    it('are each 401 without a key, 403 with an external one, and neither with an admin key', async () => {
      for (const [method, path] of VERBS) {
        assert.equal((await service().call(method, path, { key: null })).status, 401, `${method} ${path}`);
        const external = await service().call(method, path, { body: method === 'GET' ? undefined : {} });
        assert.deepEqual([external.status, external.json.error], [403, 'forbidden'], `${method} ${path}`);
        const { status } = await admin(method, path, method === 'GET' ? undefined : {});
        assert.ok([200, 201, 400, 404].includes(status), `${method} ${path}: ${status}`);
      }
      assert.equal((await admin('GET', '/v1/schema')).status, 200);
    });

    it('are 403 to an external key whose burst is spent, too, and its tries spend it', async () => {
      const capped = await service().createKey('curious@localhost', 'preview');
      const statuses: number[] = [];
      for (let tries = 0; tries < 31; tries += 1) statuses.push((await service().call('GET', tries % 2 ? '/admin/usage' : '/admin/none', { key: capped })).status);
      assert.deepEqual(new Set(statuses), new Set([403]));
      assert.equal((await service().call('GET', '/v1/schema', { key: capped })).status, 429);
    });

    it('are described, each with what it takes and gives', async () => {
      const { json: { paths } } = await service().call('GET', '/openapi.json', { key: null });
      for (const [method, path] of VERBS) {
        const described = path.replace(/(inv|acc|key)_1/, '{id}').replace('demo-crm', '{name}');
        assert.ok(paths[described]?.[method.toLowerCase()]?.responses['403'] !== undefined, `${method} ${described}`);
      }
    });

    it('refuse fields and parameters that nobody named, and values of another form, each by its name', async () => {
      const refused: readonly (readonly [string, string, unknown, string, RegExp])[] = [
        ['POST', '/admin/invites', { uses: 0 }, 'invalid_field', /uses takes a whole number from 1/],
        ['POST', '/admin/invites', { uses: 1, uses_left: 1_000_000 }, 'unknown_field', /no field uses_left/],
        ['POST', '/admin/keys', { account: 'jo@example.com', hint: 'ldx_mine', digest: '00' }, 'unknown_field', /no field hint/],
        ['POST', '/admin/keys', { account: 'jo' }, 'invalid_field', /account takes an email address/],
        ['POST', '/admin/keys', {}, 'invalid_field', /account takes an email address/],
        ['PATCH', '/admin/accounts/acc_1', { plan: 'gold' }, 'invalid_field', /plan takes one of preview, standard, unlimited/],
        ['PATCH', '/admin/accounts/acc_1', { plan: 'standard', email: 'x@y.z' }, 'unknown_field', /no field email/],
        ['PATCH', '/admin/accounts/acc_1', {}, 'invalid_field', /plan, status or both/],
        ['PATCH', '/admin/accounts/acc_1', '{"plan":"standard","__proto__":{"status":"active"}}', 'unknown_field', /__proto__/],
        ['POST', '/admin/suppressions', {}, 'invalid_field', /Say what to suppress/],
        ['POST', '/admin/suppressions', { email: [] }, 'invalid_field', /email takes a string, or an array/],
        ['POST', '/admin/suppressions', { email: ['jo@example.com', 'secretvalue'] }, 'invalid_field', /email\[1\] takes an email address/],
        ['POST', '/admin/suppressions', { email_sha256: 'abc' }, 'invalid_field', /64 hexadecimal digits/],
        ['POST', '/admin/suppressions', { emails: ['a@b.c'] }, 'unknown_field', /did you mean email/],
        ['GET', '/admin/keys?limit=501', undefined, 'invalid_field', /limit takes a whole number from 1 to 500/],
        ['GET', '/admin/keys?limit=1&limit=2', undefined, 'invalid_field', /limit comes twice/],
        ['GET', '/admin/keys?offset=1', undefined, 'unknown_field', /no parameter offset/],
        ['GET', "/admin/keys?cursor='", undefined, 'invalid_field', /cursor takes an id/],
        ['GET', '/admin/usage?from=yesterday', undefined, 'invalid_field', /from takes a day/],
        ['GET', '/admin/usage?to=0000-01-01', undefined, 'invalid_field', /to takes a day since 1970/],
        ['GET', '/admin/usage?from=2025-02-01&to=2025-01-01', undefined, 'invalid_field', /not after to/],
        ['GET', '/admin/usage?from=2020-01-01&to=2025-01-01', undefined, 'invalid_field', /at most 366 days/],
        ['POST', '/admin/invites', '[1]', 'invalid_json', /object/],
      ];
      for (const [method, path, body, code, detail] of refused) {
        const answer = await admin(method, path, body);
        assert.equal(answer.status, 400, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`);
        assert.match(answer.json.tip, /^GET \/openapi\.json/, 'filters are no matter of these');
        assert.equal(answer.json.error, code, answer.text);
        assert.match(answer.json.detail, detail);
        assert.ok(!answer.text.includes('secretvalue') && answer.json.example !== undefined);
        if (method !== 'GET') continue;
        const example = new URLSearchParams(answer.json.example as Record<string, string>);
        assert.equal((await admin('GET', `${path.split('?')[0]}?${example}`)).status, 200, `${path}: ${example}`);
      }
    });

    it('say how much a change of the suppressions changed: the second of the same, nothing', async () => {
      const body = { email: 'twice@example.com', domain: ['twice.example.com'] };
      const changes = [];
      for (const method of ['POST', 'POST', 'DELETE', 'DELETE']) changes.push((await admin(method, '/admin/suppressions', body)).json);
      assert.deepEqual(changes, [{ added: 2 }, { added: 0 }, { removed: 2 }, { removed: 0 }]);
    });

    it('make an invite whose code is shown once, list it page by page, and make it open nothing any more', async () => {
      const made = await admin('POST', '/admin/invites', { uses: 3, expires_days: 7 });
      assert.equal(made.status, 201);
      assert.match(made.json.code, /^ldi_[0-9A-Za-z]{43}$/);
      assert.match(made.json.id, /^inv_[0-9A-Za-z]{30}$/);
      await admin('POST', '/admin/invites', {});
      const all = await admin('GET', '/admin/invites');
      const pages: Json[] = [];
      for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1).next_cursor) pages.push((await admin('GET', `/admin/invites?limit=1${cursor && `&cursor=${cursor}`}`)).json);
      assert.deepEqual(pages.flatMap(({ invites }) => invites), all.json.invites);
      assert.ok(pages.length >= 2 && all.json.next_cursor === null && !all.text.includes(made.json.code));
      assert.deepEqual(all.json.invites.filter(({ id }: Json) => id === made.json.id).map(({ state, uses_left }: Json) => [state, uses_left]), [['open', 3]]);
      assert.equal((await admin('DELETE', `/admin/invites/${made.json.id}`)).status, 204);
      assert.equal((await admin('DELETE', `/admin/invites/${made.json.id}`)).status, 404);
    });

    it('leave in the log the id of the key, account or invite that each made, changed or ended, and nothing that was refused', async () => {
      const made = await admin('POST', '/admin/keys', { account: 'traced@example.com' });
      const { id, account_id: account, key: secret } = made.json;
      const invited = await admin('POST', '/admin/invites', {});
      const asked = [
        made, await admin('PATCH', `/admin/accounts/${account}`, { plan: 'standard' }), await admin('DELETE', `/admin/keys/${id}`),
        invited, await admin('DELETE', `/admin/invites/${invited.json.id}`),
        await admin('DELETE', `/admin/keys/${secret}`), await admin('GET', '/admin/keys'),
      ];
      const targets = (await Promise.all(asked.map((answer) => service().lineOf(answer)))).map(({ target }) => target);
      assert.deepEqual(targets, [id, account, id, invited.json.id, invited.json.id, undefined, undefined]);
    });

    it('leave in the log nothing that was named by who left before he had said what to do with it', async () => {
      const { json: { key: secret } } = await admin('POST', '/admin/keys', { account: 'traced@example.com' });
      const leaving = request(`${service().url}/admin/accounts/${secret}`, { method: 'PATCH', headers: { authorization: `Bearer ${key}`, 'content-length': 20, 'x-request-id': 'left-early' } });
      leaving.on('error', () => {});
      leaving.write('{"plan":', () => { setTimeout(() => leaving.destroy(), 100); });
      await until(() => /"client_request_id":"left-early"[^\n]*"msg":"request"/.test(service().logged), 5_000, 'its line');
      assert.ok(!service().logged.includes(secret));
    });

    it('make a key that works, and revoke it so that it is refused within a second', async () => {
      const made = await admin('POST', '/admin/keys', { account: 'Customer@example.com', plan: 'standard', name: 'etl' });
      assert.equal(made.status, 201);
      assert.equal((await service().call('GET', '/v1/schema', { key: made.json.key })).status, 200);
      const listed = await admin('GET', `/admin/keys?account_id=${made.json.account_id}`);
      assert.deepEqual(listed.json.keys.map(({ id, name, state }: Json) => [id, name, state]), [[made.json.id, 'etl', 'active']]);
      assert.ok(!listed.text.includes(made.json.key));
      assert.equal((await admin('DELETE', `/admin/keys/${made.json.id}`)).status, 204);
      await new Promise((resolve) => { setTimeout(resolve, 1_000); });
      assert.equal((await service().call('GET', '/v1/schema', { key: made.json.key })).status, 401);
      assert.equal((await admin('DELETE', '/admin/keys/key_none')).status, 404);
    });

    it('answer 401 to a call whose body is still on its way when its key is revoked', async () => {
      const { json: { id, key: theirs } } = await admin('POST', '/admin/keys', { account: 'slow@example.com', plan: 'unlimited' });
      const body = '{"type":"contacts"}';
      const sent = request(`${service().url}/v1/find`, { method: 'POST', headers: { authorization: `Bearer ${theirs}`, accept: 'application/x-ndjson', 'content-length': body.length } });
      const answered = new Promise<IncomingMessage>((resolve, reject) => { sent.once('response', resolve).once('error', reject); });
      sent.write(body.slice(0, 5));
      const used = async (): Promise<Answer> => service().call('GET', '/v1/usage', { key: theirs });
      await until(async () => (await used()).json.caps.umbrella.used === 2);
      assert.equal((await admin('DELETE', `/admin/keys/${id}`)).status, 204);
      await until(async () => (await used()).status === 401);
      sent.end(body.slice(5));
      const { statusCode } = (await answered).resume();
      assert.equal(statusCode, 401);
    });

    it('set plan and status of an account; the keys of a suspended one open nothing within a second', async () => {
      const { json: { key: theirs } } = await admin('POST', '/admin/keys', { account: 'suspended@example.com' });
      const id = await idOf('/admin/accounts', 'accounts', 'suspended@example.com');
      const changed = await admin('PATCH', `/admin/accounts/${id}`, { plan: 'standard', status: 'suspended' });
      assert.deepEqual([changed.status, changed.json.plan, changed.json.status], [200, 'standard', 'suspended']);
      await new Promise((resolve) => { setTimeout(resolve, 1_000); });
      assert.equal((await service().call('GET', '/v1/schema', { key: theirs })).status, 401);
      assert.equal((await admin('POST', '/admin/keys', { account: 'suspended@example.com' })).json.error, 'conflict');
      assert.equal((await admin('PATCH', '/admin/accounts/acc_none', { plan: 'standard' })).status, 404);
    });

    it('add up what everybody used by day, account or endpoint, up to the moment', async () => {
      const { json: { key: theirs, account_id: account } } = await admin('POST', '/admin/keys', { account: 'metered@example.com' });
      // Midnight may come at any step.
      const today = (): string => new Date().toISOString().slice(0, 10);
      const from = today();
      await service().call('POST', '/v1/find', { key: theirs, body: { type: 'contacts', limit: 101 } });
      const to = today();
      const byAccount = await admin('GET', `/admin/usage?by=account&from=${from}&to=${to}`);
      assert.deepEqual(byAccount.json.usage.find((row: Json) => row.account_id === account), { account_id: account, requests: 1, units: 2 });
      const { usage, total } = (await admin('GET', '/admin/usage')).json;
      assert.ok(usage.at(-1).day >= from && usage.at(-1).day <= today());
      const sum = (count: 'requests' | 'units'): number => usage.reduce((all: number, row: Json) => all + row[count], 0);
      assert.deepEqual({ requests: sum('requests'), units: sum('units') }, total);
      const byEndpoint = await admin('GET', '/admin/usage?by=endpoint');
      assert.ok(byEndpoint.json.usage.some((row: Json) => row.endpoint === 'find' && row.units >= 2));
    });

    it('tell of each source what callers never see, and look at one when asked', async () => {
      const { json } = await admin('GET', '/admin/sources');
      const crm = json.sources.find(({ name }: Json) => name === 'demo-crm');
      assert.deepEqual([crm.kind, crm.status, crm.rows, crm.segments[0].rows], ['lake', 'ok', 60_000, 60_000]);
      assert.equal((await admin('POST', '/admin/sources/demo-crm/reload')).json.name, 'demo-crm');
      assert.equal((await admin('POST', '/admin/sources/nobody/reload')).status, 404);
    });
  });

  describe('suppressions', () => {
    const US = { type: 'contacts', filters: { country: ['US'], has_email: true } };
    const totalOf = async (filters: object, type = 'contacts'): Promise<number> => (await service().find({ type, filters, dedupe: false })).json.total;
    const rowsOf = async (limit: number): Promise<Json[]> => (await service().find({ ...US, limit, fields: ['email', 'company_domain', 'linkedin_url'] })).json.results;

    it('take what matches out of finds, totals, facets and streams with the answer that adds them, and give it back when removed', async () => {
      const rows = (await rowsOf(40)).filter(({ linkedin_url, company_domain }) => linkedin_url !== null && company_domain !== null);
      const [byEmail, byHash, byUrl, byDomain] = rows as [Json, Json, Json, Json];
      const body = {
        email: byEmail.email.toUpperCase(), email_sha256: [createHash('sha256').update(byHash.email).digest('hex')],
        linkedin_url: byUrl.linkedin_url.replace('https://www.', 'http://'), domain: [byDomain.company_domain],
      };
      const filters = [{ email: byEmail.email }, { email: byHash.email }, { linkedin_url: byUrl.linkedin_url }, { company_domain: byDomain.company_domain }];
      const domains = async (): Promise<number> => (await service().find({ type: 'companies', filters: { domain: byDomain.company_domain } })).json.total;
      const before = await Promise.all(filters.map((one) => totalOf(one)));
      const [all, companies] = [await totalOf({}), await domains()];
      assert.ok(before.every((total) => total > 0));

      const added = await admin('POST', '/admin/suppressions', body);
      assert.deepEqual([added.status, added.json.added], [200, 4], added.text);
      assert.deepEqual(await Promise.all(filters.map((one) => totalOf(one))), [0, 0, 0, 0]);
      assert.equal(await domains(), 0);
      const faceted = await service().find({ type: 'contacts', filters: { company_domain: byDomain.company_domain }, facets: ['country'] });
      assert.deepEqual(faceted.json.facets.country, []);
      const lines = await service().lines({ ...US, fields: ['email', 'linkedin_url', 'company_domain'], limit: 5_000 });
      const gone = new Set([byEmail.email, byHash.email]);
      assert.ok(lines.length > 1_000);
      assert.ok(lines.every((line) => !gone.has(line.email) && line.linkedin_url !== byUrl.linkedin_url && line.company_domain !== byDomain.company_domain));
      assert.equal((await admin('POST', '/admin/suppressions', body)).json.added, 0);

      const listed = await admin('GET', '/admin/suppressions');
      assert.ok(listed.json.suppressions.some((one: Json) => one.domain === byDomain.company_domain));
      assert.ok(!listed.text.includes(byEmail.email) && !service().logged.includes(byEmail.email));
      assert.equal((await admin('GET', '/admin/suppressions?kind=linkedin_url')).json.suppressions.length, 1);
      const first = await admin('GET', '/admin/suppressions?limit=1');
      assert.equal((await admin('GET', `/admin/suppressions?limit=3&cursor=${first.json.next_cursor}`)).json.next_cursor, null);

      assert.equal((await admin('DELETE', '/admin/suppressions', body)).json.removed, 4);
      assert.deepEqual(await Promise.all(filters.map((one) => totalOf(one))), before);
      assert.deepEqual([await totalOf({}), await domains()], [all, companies]);
    });

    it('of another process are in effect within a second', async () => {
      const [row] = await rowsOf(1);
      const isThereAfter = async (change: 'add' | 'remove'): Promise<boolean> => {
        assert.equal(service().lds('suppress', change, row!.email).code, 0);
        await pause(1_000);
        return await totalOf({ email: row!.email }) > 0;
      };
      await atATry(async () => {
        const isGone = !await isThereAfter('add');
        assert.match(service().lds('suppress', 'list').out, new RegExp(createHash('sha256').update(row!.email).digest('hex')));
        return await isThereAfter('remove') && isGone;
      }, 'both are in effect');
    });
  });
}
