import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer, Json, RunningService } from '../service.ts';

/** Contract, section 6: what a visitor without a key may do, twenty times a day. */
export function playgroundRules(service: () => RunningService): void {
  let calls = 0;
  const visit = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    calls += 1;
    return service().call(method, path, { key: null, headers: { 'x-forwarded-for': `203.0.113.${calls}`, ...headers }, ...(body !== undefined && { body }) });
  };
  const SEARCH = { type: 'contacts', filters: { country: ['US'], has_email: true, has_phone: true } };

  describe('the playground', () => {
    it('finds at most five rows without a key, addresses and phones masked with *, and without a cursor', async () => {
      const { status, json } = await visit('POST', '/playground/find', { ...SEARCH, facets: ['email'] });
      assert.equal(status, 200);
      assert.equal(json.results.length, 5);
      assert.equal(json.next_cursor, null);
      for (const row of json.results as Json[]) assert.ok(/^.\*\*\*@/.test(row.email) && /^[+\d ]{3}[* ]+$/.test(row.phone), JSON.stringify(row));
      assert.ok(!/[a-z0-9]@/.test(JSON.stringify(json.facets)));
      const cut = await visit('POST', '/playground/find', { ...SEARCH, fields: ['email'], limit: 1 });
      assert.deepEqual(Object.keys(cut.json.results[0]), ['id', 'source', 'email']);
    });

    it('refuses six rows, a cursor, a stream, and what find refuses, each with a request that works', async () => {
      for (const [body, code] of [[{ ...SEARCH, limit: 6 }, 'invalid_limit'], [{ ...SEARCH, cursor: 'abc' }, 'unknown_field'], [{}, 'missing_type'], ['[', 'invalid_json']] as const) {
        const answer = await visit('POST', '/playground/find', body);
        assert.deepEqual([answer.status, answer.json.error], [400, code]);
      }
      const unknown = await visit('POST', '/playground/find', { type: 'contacts', filters: { contry: 'US' } });
      assert.equal(unknown.json.error, 'unknown_filter');
      assert.equal((await visit('POST', '/playground/find', unknown.json.example)).status, 200);
      assert.match((await visit('POST', '/playground/find', { type: 'contacts', limit: 0 })).json.detail, /from 1 to 5 /);
      assert.equal((await visit('POST', '/playground/find', SEARCH, { accept: 'application/x-ndjson' })).status, 406);
    });

    it('validates one address in the envelope, without its mail host, and no list of them', async () => {
      const one = await visit('POST', '/playground/email/validate', { email: 'not an address' });
      assert.equal(one.status, 200);
      assert.equal(one.json.data.status, 'undeliverable');
      for (const [body, code] of [
        [{ emails: ['a@b.c'] }, 'INVALID_REQUEST'], [{ email: 'a@b.c', stages: ['smtp'] }, 'INVALID_REQUEST'], [{ mail: 'a@b.c' }, 'INVALID_REQUEST'],
        ['{"email":', 'INVALID_JSON'], ['[]', 'INVALID_JSON'],
      ] as const) {
        const refused = await visit('POST', '/playground/email/validate', body);
        assert.deepEqual([refused.status, refused.json.error.code, refused.json.error.example], [400, code, { email: 'jane.doe@acme.com' }]);
        assert.doesNotMatch(refused.json.error.message, /emails/);
      }
      assert.match((await visit('POST', '/playground/email/validate', '{"email":')).json.error.message, /^Line 1, column 10: .* The playground takes one address and nothing else/);
    });

    it('lists the sources and the filters', async () => {
      assert.ok((await visit('GET', '/playground/sources')).json.sources.length > 0);
      assert.ok((await visit('GET', '/playground/schema')).json.types.contacts.filters.length > 0);
    });

    it('lets twenty requests a day of a client through, over all of it and whatever he claims to be forwarded for; the 21st is a 429 until 00:00 UTC', async () => {
      const left = Array.from({ length: 20 - calls }, (_, at) => at);
      for (const at of left) assert.equal((await visit('GET', '/playground/schema')).status, 200, `${at} of the rest`);
      for (const [method, path] of [['GET', '/playground/sources'], ['POST', '/playground/find']] as const) {
        const denied = await visit(method, path, method === 'POST' ? SEARCH : undefined);
        assert.deepEqual([denied.status, denied.json.error], [429, 'rate_limited']);
        assert.match(denied.json.detail, /20 requests a day/);
        assert.match(denied.headers.get('ratelimit') ?? 'none', /^"playground";r=0;t=\d+$/);
        const midnight = Math.ceil((Math.ceil(Date.now() / 86_400_000) * 86_400_000 - Date.now()) / 1_000);
        assert.ok(Math.abs(denied.json.retry_after - midnight) <= 2 && Number(denied.headers.get('retry-after')) === denied.json.retry_after);
      }
      const envelope = await visit('POST', '/playground/email/validate', { email: 'a@b.c' });
      assert.deepEqual([envelope.status, envelope.json.error.code, envelope.json.data], [429, 'RATE_LIMITED', null]);
      assert.equal((await service().find(SEARCH)).status, 200);
    });
  });
}
