import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { until } from '../../support/until.ts';
import type { RunningService } from '../service.ts';

/** Contract, sections 1 and 2: what holds for every endpoint. */
export function generalRules(service: () => RunningService): void {
  describe('rules of every endpoint', () => {
    const KEYED = [['POST', '/v1/find'], ['GET', '/v1/sources'], ['GET', '/v1/schema'], ['GET', '/v1/usage']] as const;

    it('answers 401 where the key is missing, mistyped, unknown or no bearer key, always in the same words', async () => {
      const unknown = 'ldx_000000000000000000000000000000002wnqpX';
      for (const [method, path] of KEYED) {
        const answers = await Promise.all([
          service().call(method, path, { key: null }),
          service().call(method, path, { key: unknown }),
          service().call(method, path, { key: 'ldx_nonsense' }),
          service().call(method, path, { key: null, headers: { authorization: `Basic ${service().key}` } }),
          service().call(method, `${path}?key=${service().key}`, { key: null }),
        ]);
        const bodies = answers.map(({ json }) => JSON.stringify({ ...json, request_id: '' }));
        assert.deepEqual(answers.map(({ status }) => status), [401, 401, 401, 401, 401], path);
        assert.equal(new Set(bodies).size, 1, path);
        assert.equal(answers[0]!.json.error, 'unauthorized');
        assert.match(answers[0]!.headers.get('www-authenticate')!, /^Bearer/);
      }
    });

    it('answers 403 to an external key on any operator endpoint, and 401 to none', async () => {
      for (const path of ['/admin/keys', '/admin/sources', '/admin/nothing-of-the-kind']) {
        assert.equal((await service().call('GET', path)).status, 403, path);
        assert.equal((await service().call('GET', path, { key: null })).status, 401, path);
      }
    });

    it('gives every answer an X-Request-Id of its own, whatever its status', async () => {
      const answers = await Promise.all([
        service().call('GET', '/health', { key: null }),
        service().find({ type: 'contacts' }),
        service().find({}),
        service().call('GET', '/v1/find'),
        service().call('GET', '/nowhere'),
        service().call('OPTIONS', '/v1/find'),
        service().find({ type: 'contacts' }, { key: null }),
        service().find('x'.repeat(1_048_577)),
        service().find({ type: 'contacts' }, { headers: { 'x-request-id': 'mine' } }),
      ]);
      const ids = answers.map(({ headers }) => headers.get('x-request-id'));
      for (const id of ids) assert.match(id ?? '', /^[A-Za-z0-9_-]{1,64}$/);
      assert.equal(new Set(ids).size, ids.length);
      assert.ok(!ids.includes('mine'));
      for (const answer of answers.slice(2)) if (answer.status >= 400) assert.equal(answer.json.request_id, answer.headers.get('x-request-id'));
    });

    it('answers an unknown path 404, also one that only looks like a known one', async () => {
      for (const path of ['/', '/v1', '/v1/', '/v1/find/', '/v1/Find', '/v1//find', '/v1/%66ind', '/v1/find%00', '/v1/x/../find%2f', '/%zz', '/v2/find', '/admin']) {
        const answer = await service().call('POST', path);
        assert.ok([404, 403].includes(answer.status) || path === '/', `${path}: ${answer.status}`);
        assert.notEqual(answer.json?.results !== undefined, true, path);
      }
      assert.equal((await service().call('GET', '/nowhere')).json.error, 'not_found');
    });

    it('answers a wrong verb 405 with Allow, before it looks at the key', async () => {
      const answer = await service().call('DELETE', '/v1/find', { key: null });
      assert.equal(answer.status, 405);
      assert.equal(answer.json.error, 'method_not_allowed');
      assert.match(answer.headers.get('allow')!, /POST/);
    });

    it('serves HEAD where it serves GET, with the same headers and no body', async () => {
      const [head, get] = await Promise.all([service().call('HEAD', '/v1/sources'), service().call('GET', '/v1/sources')]);
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
      assert.equal((await service().call('HEAD', '/v1/find')).status, 405);
    });

    it('reads a body of 1,048,576 bytes and answers one more with 413', async () => {
      const pad = (bytes: number): string => {
        const start = '{"type":"contacts","limit":1';
        return `${start}${' '.repeat(bytes - start.length - 1)}}`;
      };
      const [fits, over] = await Promise.all([service().find(pad(1_048_576)), service().find(pad(1_048_577))]);
      assert.equal(fits.status, 200);
      assert.equal(over.status, 413);
      assert.equal(over.json.error, 'payload_too_large');
    });

    it('answers a body announced as 10 GB with 413 at once', async () => {
      const socket = connect(service().port, '127.0.0.1');
      socket.write(`POST /v1/find HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service().key}\r\nContent-Length: 10737418240\r\n\r\n`);
      const [first] = await once(socket, 'data') as [Buffer];
      socket.destroy();
      assert.match(first.toString(), /^HTTP\/1\.1 413 /);
    });

    it('answers a compressed body 415', async () => {
      const answer = await service().find('whatever', { headers: { 'content-encoding': 'gzip' } });
      assert.equal(answer.status, 415);
      assert.equal(answer.json.error, 'unsupported_encoding');
    });

    it('reads the body as JSON whatever its Content-Type says', async () => {
      assert.equal((await service().find({ type: 'contacts', limit: 1 }, { headers: { 'content-type': 'text/plain' } })).status, 200);
    });

    it('answers 406 where no offered form is accepted', async () => {
      const answer = await service().find({ type: 'contacts' }, { headers: { accept: 'image/png' } });
      assert.equal(answer.status, 406);
      assert.equal(answer.json.error, 'not_acceptable');
    });

    it('limits a preview key to 30 requests a minute, and says which cap tripped, the wait, and when to come back', async () => {
      const key = await service().createKey('burst@localhost', 'preview');
      const answers = await Promise.all(Array.from({ length: 64 }, () => service().call('GET', '/v1/schema', { key })));
      const granted = answers.filter(({ status }) => status === 200);
      const denied = answers.filter(({ status }) => status === 429);
      assert.ok(granted.length <= 30 && granted.length >= 8, `${granted.length} were granted`);
      assert.equal(granted.length + denied.length, 64);
      for (const answer of denied) {
        assert.equal(answer.json.error, 'rate_limited');
        assert.equal(answer.json.retry_after, Number(answer.headers.get('retry-after')));
        assert.ok(Number.isInteger(answer.json.retry_after) && answer.json.retry_after >= 1);
        assert.match(answer.json.detail, /burst|minute|umbrella|concurren|at once/i);
      }
      for (const answer of denied.slice(0, 3)) assert.match(answer.json.detail, new RegExp(String((await service().lineOf(answer)).cap)));
      assert.ok(!('cap' in await service().lineOf(granted[0]!)));
      assert.ok(answers[0]!.headers.get('ratelimit-policy') !== null && answers[0]!.headers.get('ratelimit') !== null);
    });

    it('charges a find one unit and one more for each started 100 rows beyond the first, and nothing for a refusal', async () => {
      const charged = async (body: unknown): Promise<string | null> => (await service().find(body)).headers.get('x-units-charged');
      assert.equal(await charged({ type: 'contacts', limit: 25 }), '1');
      assert.equal(await charged({ type: 'contacts', limit: 100 }), '1');
      assert.equal(await charged({ type: 'contacts', limit: 101 }), '2');
      assert.equal(await charged({ type: 'contacts', limit: 1000 }), '10');
      assert.ok([null, '0'].includes(await charged({ type: 'nonsense' })));
    });

    it('times the stages of a find in Server-Timing', async () => {
      const timing = (await service().find({ type: 'contacts' })).headers.get('server-timing')!;
      assert.match(timing, /^plan;dur=[\d.]+, scan;dur=[\d.]+, merge;dur=[\d.]+, encode;dur=[\d.]+$/);
    });

    it('answers CORS preflights for the origins the operator allowed, and no other', async () => {
      const preflight = (origin: string) => service().call('OPTIONS', '/v1/find', { key: null, headers: { origin, 'access-control-request-method': 'POST' } });
      const [allowed, other] = await Promise.all([preflight('https://app.example'), preflight('https://evil.example')]);
      assert.deepEqual([allowed.status, other.status], [204, 204]);
      assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example');
      assert.equal(other.headers.get('access-control-allow-origin'), null);
      assert.equal((await service().find({ type: 'contacts' }, { headers: { origin: 'https://app.example' } })).headers.get('access-control-allow-origin'), 'https://app.example');
    });

    it('logs the caller\'s own X-Request-Id as client_request_id, if it is fit for a log', async () => {
      const told = async (sent: string): Promise<unknown> => (await service().lineOf(await service().call('GET', '/v1/schema', { headers: { 'x-request-id': sent } }))).client_request_id;
      assert.equal(await told('abc.DEF_1-2'), 'abc.DEF_1-2');
      assert.equal(await told('not fit'), undefined);
      assert.equal(await told('x'.repeat(65)), undefined);
    });

    it('runs and logs no verb that is none: where a body is longer than it said, its rest may stand there', async () => {
      const socket = connect(service().port, '127.0.0.1');
      socket.end('["canary@mail.example"]POST /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
      // One of the two parsers knows the verbs, and refuses it itself; of the other the connection is cut.
      let answer = '';
      for await (const bytes of socket) answer += String(bytes);
      assert.match(answer, /^(?:HTTP\/1\.1 400 |$)/);
      assert.ok(!service().logged.includes('canary'));
    });

    it('logs a verb that HTTP has not as another, where its parser lets that through', async () => {
      const socket = connect(service().port, '127.0.0.1');
      socket.write('CANARY /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
      const [answer] = await once(socket, 'data') as [Buffer];
      socket.destroy();
      if (!String(answer).startsWith('HTTP/1.1 400')) assert.equal((await service().lineUnder(/x-request-id: (\S+)/i.exec(String(answer))![1]!)).method, 'other');
      assert.ok(!service().logged.includes('CANARY'));
    });

    it('writes the line of a request whose headers are too large, too, which no handler ever sees', async () => {
      const socket = connect(service().port, '127.0.0.1');
      socket.write(`GET /health HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(LIMITS.headersBytesMax)}\r\n\r\n`);
      const [answer] = await once(socket, 'data') as [Buffer];
      socket.destroy();
      assert.match(String(answer), /^HTTP\/1.1 431 /);
      // The builds of uws for Node 22 and newer answer this in their parser, which can do neither.
      if (Number(process.versions.modules) >= 127 && String(answer).includes('<i>uWebSockets/')) return;
      const id = /x-request-id: (\S+)/i.exec(String(answer))![1]!;
      await until(() => service().logged.includes(id));
      assert.match(service().logged.split('\n').find((line) => line.includes(id)) ?? '', /"status":431/);
    });

    it('writes one log line a request under its id, and no key, query or filter value in it', async () => {
      const answer = await service().find({ type: 'contacts', query: 'canaryword', filters: { city: ['canaryville'], country: ['US'] } });
      const id = answer.headers.get('x-request-id')!;
      await until(() => service().logged.includes(id));
      const lines = service().logged.split('\n').filter((line) => line.includes(id));
      assert.equal(lines.length, 1);
      const line = JSON.parse(lines[0]!) as Record<string, unknown>;
      assert.equal(line['status'], 200);
      assert.equal(line['route'], '/v1/find');
      assert.ok(!service().logged.includes('canary'));
      assert.ok(!service().logged.includes(service().key));
    });
  });
}
