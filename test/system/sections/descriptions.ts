import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FILTERS } from '../../../src/model/filter.ts';
import type { Json, RunningService } from '../service.ts';

/** What HTTP itself, and the care of answers in a browser, bring along. */
const OF_EVERY_ANSWER: ReadonlySet<string> = new Set([
  'cache-control', 'connection', 'content-length', 'content-security-policy', 'content-type', 'date', 'keep-alive', 'referrer-policy', 'transfer-encoding',
  'uwebsockets', 'vary', 'www-authenticate', 'x-content-type-options',
]);

/** Contract, section 4: what the service says of itself. */
export function descriptionRules(service: () => RunningService): void {
  describe('sources, schema, health and usage', () => {
    it('lists each source with rows, filters, fields, fill and countries, and the totals', async () => {
      const { json } = await service().call('GET', '/v1/sources');
      assert.deepEqual(json.sources.map(({ name }: Json) => name), ['demo-crm', 'demo-registry', 'demo-web']);
      assert.deepEqual(json.totals, { contacts: 100_000, companies: 10_000 });
      const [crm] = json.sources;
      assert.equal(crm!.type, 'contacts');
      assert.equal(crm!.status, 'ok');
      assert.equal(crm!.filters.country, 'pushed');
      assert.equal(crm!.filters.has_email, 'residual');
      assert.ok(crm!.fields.includes('email'));
      assert.ok(crm!.fill.email > 0.5 && crm!.fill.email < 1);
      assert.equal((await service().find({ type: 'contacts', filters: { country: ['US'] }, sources: { only: [crm!.name] }, limit: 1 })).json.total, crm!.countries.US);
    });

    it('describes every filter and field, the searchable ones and the limits', async () => {
      const { json } = await service().call('GET', '/v1/schema');
      for (const type of ['contacts', 'companies'] as const) {
        assert.deepEqual(json.types[type]!.filters.map(({ name }: Json) => name), FILTERS[type].map(({ name }: Json) => name));
        for (const filter of json.types[type]!.filters) {
          assert.ok(['narrowing', 'presence'].includes(filter.kind) && ['strings', 'boolean', 'range'].includes(filter.values));
          const answer = await service().find({ type, filters: { [filter.name]: filter.example }, limit: 1 });
          assert.equal(answer.status, 200, `the example of ${filter.name}`);
        }
      }
      assert.equal(json.limits.body_bytes, 1_048_576);
    });

    it('answers an unchanged description 304 to its ETag', async () => {
      for (const path of ['/v1/sources', '/v1/schema']) {
        const first = await service().call('GET', path);
        const again = await service().call('GET', path, { headers: { 'if-none-match': first.headers.get('etag')! } });
        assert.equal(again.status, 304, path);
        assert.equal(again.text, '');
      }
    });

    it('tells the health of every part without a key', async () => {
      const { json, status } = await service().call('GET', '/health', { key: null });
      assert.equal(status, 200);
      assert.equal(json.status, 'ok');
      assert.ok(json.uptime_s >= 0 && json.version.length > 0);
      for (const name of ['workers', 'store', 'demo-crm', 'demo-web', 'demo-registry']) {
        const component = json.components[name] ?? json.components[`source:${name}`];
        assert.equal(component?.status, 'ok', name);
      }
    });

    it('tells the key holder his plan, his use by day and what is left', async () => {
      const key = await service().createKey('usage@localhost', 'preview');
      await service().find({ type: 'contacts', limit: 250 }, { key });
      const { json } = await service().call('GET', '/v1/usage', { key });
      assert.equal(json.plan, 'preview');
      assert.ok(JSON.stringify(json).includes('9997'), 'the units left');
    });

    it('serves an OpenAPI 3.1 description of itself', async () => {
      const { json, status } = await service().call('GET', '/openapi.json', { key: null });
      assert.equal(status, 200);
      assert.match(json.openapi, /^3\.1/);
      for (const path of ['/v1/find', '/v1/sources', '/v1/schema', '/health']) assert.ok(json.paths[path] !== undefined, path);
    });

    it('describes every status and header of its own that an answer has', async () => {
      const { json: { paths, components } } = await service().call('GET', '/openapi.json', { key: null });
      const key = await service().createKey('reader@localhost', 'preview');
      const seen = async (method: string, path: string, options: Parameters<RunningService['call']>[2] = {}): Promise<number> => {
        const { status, headers } = await service().call(method, path, { key, ...options });
        const answer = paths[path][method.toLowerCase()].responses[status];
        assert.ok(answer !== undefined, `${method} ${path} ${status}`);
        const { headers: described } = answer.$ref === undefined ? answer : components.responses[answer.$ref.split('/').at(-1)];
        const names = new Set(Object.keys(described).map((name) => name.toLowerCase()));
        for (const [name] of headers) assert.ok(OF_EVERY_ANSWER.has(name) || names.has(name), `${method} ${path} ${status}: ${name}`);
        return status;
      };
      assert.equal(await seen('POST', '/v1/find', { body: { type: 'contacts' } }), 200);
      assert.equal(await seen('POST', '/v1/find', { body: { type: 'contacts' }, headers: { accept: 'text/csv' } }), 200);
      assert.equal(await seen('POST', '/v1/find', { body: {} }), 400);
      assert.equal(await seen('POST', '/v1/find', { body: {}, key: null }), 401);
      assert.equal(await seen('POST', '/v1/email/validate', { body: { email: 'jo@acme.com', stages: ['syntax'] } }), 200);
      assert.equal(await seen('POST', '/v1/email/validate', { body: {} }), 400);
      assert.equal(await seen('POST', '/v1/email/validate', { body: {}, key: null }), 401);
      const { headers } = await service().call('GET', '/v1/schema', { key });
      assert.equal(await seen('GET', '/v1/schema', { headers: { 'if-none-match': headers.get('etag')! } }), 304);
      for (const path of ['/v1/sources', '/v1/usage', '/health']) assert.equal(await seen('GET', path), 200, path);
      assert.equal(await seen('GET', '/admin/accounts'), 403);
      while (await seen('GET', '/v1/usage') !== 429);
      assert.equal(await seen('POST', '/v1/find', { body: { type: 'contacts' } }), 429);
      assert.equal(await seen('POST', '/v1/email/validate', { body: { email: 'jo@acme.com' } }), 429);
    });

    it('counts every scan of every source in a worker thread', async () => {
      const admin = await service().createKey('operator@localhost', 'unlimited', 'admin');
      await service().find({ type: 'contacts' });
      const { text, status } = await service().call('GET', '/metrics', { key: admin });
      assert.equal(status, 200);
      const scans = text.split('\n').filter((line) => line.startsWith('lds_scans_total{'));
      assert.ok(scans.some((line) => line.includes('runs_in="worker"') && Number(line.split(' ').at(-1)) > 0));
      for (const line of scans.filter((one) => one.includes('runs_in="main"'))) assert.equal(Number(line.split(' ').at(-1)), 0);
      assert.equal((await service().call('GET', '/metrics')).status, 403);
      assert.equal((await service().call('GET', '/metrics', { key: null })).status, 401);
    });
  });
}
