import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { a, mx, scriptDns, soa, type ScriptedDns } from '../validate/support/dns_script.ts';
import { KINDS } from '../support/http_kinds.ts';
import { pause } from '../support/runners.ts';
import { until } from '../support/until.ts';
import { RunningService, type Answer, type Json } from './service.ts';

const OFFLINE = ['syntax', 'domain', 'lists'];

for (const http of KINDS) {
  describe(`POST /v1/email/validate through ${http}`, () => {
    let dns: ScriptedDns;
    let service: RunningService;
    before(async () => {
      dns = await scriptDns(({ name, type }) => {
        if (/(?:^|\.)silent\.com$/.test(name)) return null;
        if (name === 'gone.com') return { rcode: 3, authorities: [soa('com')] };
        if (type === 'MX' && name === 'inside.com') return { answers: [mx(name, 'mx.inside.com')] };
        if (type === 'A' && name === 'mx.inside.com') return { answers: [a(name, '127.0.0.1')] };
        if (type === 'MX' && name === 'long.com') return { answers: Array.from({ length: 20 }, (_, at) => mx(name, `mx${at}.silent.com`, 60, at)) };
        if (type === 'MX') return { answers: [mx(name, `mx.${name}`)] };
        return type === 'A' ? { answers: [a(name, '8.8.8.8')] } : { authorities: [soa('com')] };
      });
      service = await RunningService.start({ LDS_DEMO: '0', LDS_HTTP: http, LDS_DNS_SERVERS: dns.address });
    });
    after(async () => {
      await service.stop();
      await dns.close();
    });
    const validate = (body: unknown, options: { headers?: Record<string, string>; key?: string | null } = {}): Promise<Answer> =>
      service.call('POST', '/v1/email/validate', { ...options, body });
    const assertRefused = ({ status, json, headers }: Answer, expected: number, code: string): void => {
      assert.deepEqual([status, json.data, json.meta, json.error.code, json.error.status], [expected, null, {}, code, expected]);
      assert.ok(json.error.message.length > 5);
      assert.ok(headers.get('x-request-id'));
      if (expected === 400) assert.ok(json.error.example !== undefined);
    };

    it('answers one address with its result, and many with results in their order and a summary', async () => {
      const one = await validate({ email: 'Jane@Acme.com' });
      assert.equal(one.status, 200);
      assert.deepEqual([one.json.data.status, one.json.data.level, one.json.data.reason, one.json.data.domain_accepts_mail], ['unknown', 'domain', 'DNS_MX_OK', true]);
      assert.equal(one.json.meta.request_id, one.headers.get('x-request-id'));
      const many = await validate({ emails: ['a@gone.com', 'nonsense', 7, 'b@acme.com'] });
      assert.deepEqual(many.json.data.results.map(({ reason }: Json) => reason), ['DNS_NXDOMAIN', 'SYNTAX_NO_AT', 'SYNTAX_NOT_STRING', 'DNS_MX_OK']);
      assert.deepEqual(many.json.data.summary, { deliverable: 0, risky: 0, undeliverable: 3, unknown: 1 });
      assert.equal(many.json.meta.unique_domains, 2);
      assert.equal(many.headers.get('x-units-charged'), '4');
    });

    it('says of what it keeps that it was kept', async () => {
      await validate({ email: 'a@kept.com' });
      const { json } = await validate({ email: 'b@kept.com' });
      assert.equal(json.data.stages.find(({ name }: Json) => name === 'dns').cache, 'hit');
      assert.deepEqual(json.meta.cache, { hits: 1, misses: 0, stale: 0 });
    });

    it('streams the results of many as lines, each with its index, and one last @end', async () => {
      const answer = await validate({ emails: ['a@acme.com', 'x', 'b@gone.com'] }, { headers: { accept: 'application/x-ndjson' } });
      const lines = answer.text.trimEnd().split('\n').map((line) => JSON.parse(line) as Json);
      assert.deepEqual(lines.slice(0, -1).map(({ index }) => index as number).toSorted(), [0, 1, 2]);
      const { summary, meta, units_charged: charged, units_remaining: remaining } = lines.at(-1)['@end'];
      assert.deepEqual([summary, charged, remaining], [{ deliverable: 0, risky: 0, undeliverable: 2, unknown: 1 }, 3, null]);
      assert.equal(meta.request_id, answer.headers.get('x-request-id'));
      const capped = await validate({ emails: ['x', 'y'] }, { headers: { accept: 'application/x-ndjson' }, key: await service.createKey(`lines-${http}@localhost`, 'preview') });
      const end = (JSON.parse(capped.text.trimEnd().split('\n').at(-1)!) as Json)['@end'];
      assert.deepEqual([end.units_charged, end.units_remaining], [2, 9_998]);
    });

    it('says the same of a batch each time, in their order or as lines, whatever of it is known by then', async () => {
      const emails = ['a@often.com', 'info@often.com', 'b+c@often.com', 'x', 'a@gone.com', 'B@OFTEN.com', 7, 'a@b\u00fccher.de', 'a@often.com'];
      const told = ({ input, reason, canonical, tag, flags, mx }: Json): unknown => [input, reason, canonical, tag, flags, mx];
      const first = (await validate({ emails })).json.data;
      for (let again = 0; again < 3; again++) {
        const { results, summary } = (await validate({ emails })).json.data;
        assert.deepEqual([results.map(told), summary], [first.results.map(told), first.summary]);
        const lines = (await validate({ emails }, { headers: { accept: 'application/x-ndjson' } })).text.trimEnd().split('\n').map((line) => JSON.parse(line) as Json);
        assert.deepEqual(lines.slice(0, -1).toSorted((one, other) => one.index - other.index).map(told), first.results.map(told));
        assert.deepEqual(lines.at(-1)['@end'].summary, first.summary);
      }
    });

    it('takes a mail host that is not public for none, and connects to nothing', async () => {
      const { json } = await validate({ email: 'a@inside.com' });
      assert.deepEqual([json.data.status, json.data.reason, json.data.smtp], ['undeliverable', 'DNS_MX_NOT_PUBLIC', null]);
    });

    it('answers malformed JSON as INVALID_JSON, whose message states both accepted shapes', async () => {
      for (const body of ['{"email":', '', '[]', 'null', '{"email":"a@b.co","email":"c@d.co"}', new Uint8Array([0xff])]) {
        const answer = await validate(body);
        assertRefused(answer, 400, 'INVALID_JSON');
        assert.match(answer.json.error.message, /\{"email":.*\{"emails":\[/);
        assert.equal((await validate({ ...answer.json.error.example, stages: OFFLINE })).status, 200);
      }
    });

    it('answers every other failure in its envelope too', async () => {
      assertRefused(await validate({}), 400, 'INVALID_REQUEST');
      assertRefused(await validate({ email: 'a@b.co', emails: ['c@d.co'] }), 400, 'INVALID_REQUEST');
      assertRefused(await validate({ email: 'a@b.co', extra: 1 }), 400, 'INVALID_REQUEST');
      assertRefused(await validate({ email: 'a@b.co', timeout_ms: 99 }), 400, 'INVALID_REQUEST');
      assertRefused(await validate({ emails: Array.from({ length: 1_001 }, () => 'a@b.co') }), 400, 'TOO_MANY_EMAILS');
      assertRefused(await validate({ email: 'a@b.co' }, { key: null }), 401, 'UNAUTHORIZED');
      assertRefused(await service.call('DELETE', '/v1/email/validate'), 405, 'METHOD_NOT_ALLOWED');
      assertRefused(await validate({ email: 'a@b.co' }, { headers: { accept: 'text/csv' } }), 406, 'NOT_ACCEPTABLE');
      assertRefused(await validate('x'.repeat(1_048_577)), 413, 'PAYLOAD_TOO_LARGE');
    });

    it('answers a tripped cap with the envelope and, beside it, detail and retry_after', async () => {
      const key = await service.createKey(`caps-${http}@localhost`, 'preview');
      const answers: Answer[] = [];
      for (let i = 0; i < 31; i += 1) answers.push(await validate({ email: 'a@b.co', stages: OFFLINE }, { key }));
      const last = answers.at(-1)!;
      assertRefused(last, 429, 'RATE_LIMITED');
      assert.ok(last.json.detail.length > 5);
      assert.equal(last.json.retry_after, Number(last.headers.get('retry-after')));
      assert.ok(answers.slice(0, 30).every(({ status }) => status === 200));
    });

    it('costs a caller who leaves what he was there to get: of a stream the lines until then, of one answer nothing', async () => {
      const key = await service.createKey(`leaves-${http}@localhost`, 'standard');
      const caps = async (): Promise<Json> => (await service.call('GET', '/v1/usage', { key })).json.caps;
      for (const [accept, emails, units] of [['application/json', ['x', 'a@silent.com', 'b@silent.com'], 0], ['application/x-ndjson', ['y', 'c@silent.com', 'd@silent.com'], 1]] as const) {
        const leaving = new AbortController();
        const answer = fetch(`${service.url}/v1/email/validate`, {
          method: 'POST', headers: { authorization: `Bearer ${key}`, accept }, body: JSON.stringify({ emails, timeout_ms: 20_000 }), signal: leaving.signal,
        });
        if (units > 0) await (await answer).body!.getReader().read();
        while ((await caps()).umbrella.used < 2) await pause(5);
        leaving.abort();
        await answer.catch(() => {});
        while ((await caps()).umbrella.used > 1) await pause(5);
        assert.equal((await caps()).daily.used, units, accept);
      }
    });

    it('ends with its key, which gets no further result: a stream by @error behind the lines until then, one answer as a refusal', async () => {
      const operator = await service.createKey('operator@localhost', 'unlimited', 'admin');
      const attempt = async (nth: number): Promise<readonly [Answer, Answer]> => {
        const made = await service.call('POST', '/admin/keys', { key: operator, body: { account: `ends-${http}-${nth}@localhost`, plan: 'standard' } });
        let isOver = false;
        const answers = ['application/json', 'application/x-ndjson'].map((accept) => validate(
          { emails: ['y', 'e@long.com'], timeout_ms: 60_000 }, { key: made.json.key, headers: { accept } },
        ).finally(() => { isOver = true; }));
        await until(async () => isOver || (await service.call('GET', '/v1/usage', { key: made.json.key })).json.caps.umbrella.used === 3);
        await service.call('DELETE', `/admin/keys/${made.json.id}`, { key: operator });
        return [await answers[0]!, await answers[1]!];
      };
      let [one, stream] = await attempt(0);
      // A resolver that gets no turn of a busy machine is taken for one that is gone: then the calls are over before their key is.
      for (let nth = 1; nth < 3 && /VALIDATOR_UNREACHABLE/.test(one.text + stream.text); nth += 1) [one, stream] = await attempt(nth);
      assertRefused(one, 401, 'UNAUTHORIZED');
      const lines = stream.text.trimEnd().split('\n').map((line) => JSON.parse(line) as Json);
      assert.deepEqual(lines.map((line) => line.input ?? line['@error']?.error), ['y', 'UNAUTHORIZED']);
    });

    it('keeps its deadline when the resolver is silent about a domain: unknown, with the stages that were reached', async () => {
      // A machine that is busy with other tests may hold any one call up, but not each of many.
      let [tookMs, waitedMs] = [Infinity, Infinity];
      for (let tries = 0; tries < 40 && (tookMs > 325 || waitedMs >= 400); tries += 1) {
        const begunMs = performance.now();
        const { json, status } = await validate({ email: 'a@silent.com', timeout_ms: 300 });
        assert.deepEqual([status, json.data.status, json.data.reason], [200, 'unknown', 'DNS_TIMEOUT']);
        assert.equal(json.data.stages[0].status, 'pass');
        [tookMs, waitedMs] = [Math.min(tookMs, json.meta.took_ms), Math.min(waitedMs, performance.now() - begunMs)];
      }
      assert.ok(tookMs <= 325 && waitedMs < 400, `${tookMs} ms, ${waitedMs} ms`);
    });

    it('lists every reason code in the schema', async () => {
      const { json } = await service.call('GET', '/v1/schema');
      const codes = new Set(json.email.codes.map(({ code }: Json) => code as string));
      for (const code of ['SYNTAX_LOCAL_TOO_LONG', 'DNS_NULL_MX', 'DNS_TIMEOUT', 'SMTP_GREYLISTED', 'LIST_DISPOSABLE']) assert.ok(codes.has(code), code);
    });

    it('tells the health of what it asks', async () => {
      const health = async (): Promise<Json> => (await service.call('GET', '/health', { key: null })).json;
      // One that got no turn of a busy machine is asked anew.
      await until(async () => (await health()).status === 'ok');
      assert.deepEqual((await health()).components.validator, { status: 'ok', detail: '1 of 1 resolvers' });
    });

    it('writes no address into the log', () => {
      for (const word of ['acme.com', 'gone.com', 'Jane', 'a@b.co']) assert.ok(!service.logged.includes(word), word);
    });
  });
}

describe('a resolver that is gone', () => {
  it('is 502 VALIDATOR_UNREACHABLE, in the envelope, and costs nothing', async () => {
    const dns = await scriptDns(() => null);
    await dns.close();
    const service = await RunningService.start({ LDS_DEMO: '0', LDS_DNS_SERVERS: dns.address });
    const answer = await service.call('POST', '/v1/email/validate', { body: { email: 'a@acme.com' } });
    assert.deepEqual([answer.status, answer.json.data, answer.json.error.code], [502, null, 'VALIDATOR_UNREACHABLE']);
    assert.equal(answer.headers.get('x-units-charged'), null);
    const lines = async (...emails: string[]): Promise<Answer> => service.call('POST', '/v1/email/validate', { headers: { accept: 'application/x-ndjson' }, body: { emails } });
    assert.equal((await lines('a@acme.com')).status, 502);
    const begun = await lines('a@acme.com', 'x');
    const [first, last] = begun.text.trimEnd().split('\n').map((line) => JSON.parse(line) as Json);
    assert.deepEqual([begun.status, first.index, last['@error'].error], [200, 1, 'VALIDATOR_UNREACHABLE']);
    const { status, json } = await service.call('GET', '/health', { key: null });
    assert.deepEqual([status, json.status, json.components.validator], [200, 'degraded', { status: 'down', detail: '0 of 1 resolvers' }]);
    await service.stop();
  });
});

describe('a gateway that ends', () => {
  it('says so to validations that last longer than it does: 503, or the last line of those that stream', async (t) => {
    const dns = await scriptDns(({ name, type }) => {
      if (/(?:^|\.)silent\.com$/.test(name)) return null;
      if (type === 'MX') return { answers: [mx(name, `mx.${name}`)] };
      return type === 'A' ? { answers: [a(name, '8.8.8.8')] } : { authorities: [soa('com')] };
    });
    t.after(() => dns.close());
    const service = await RunningService.start({ LDS_DEMO: '0', LDS_DNS_SERVERS: dns.address });
    const validate = (call: string, headers: Record<string, string> = {}): Promise<Answer> => {
      // More than are looked up at once, and each is waited for.
      const emails = ['a@acme.com', ...Array.from({ length: 999 }, (_, at) => `a@${call}${at}.silent.com`)];
      return service.call('POST', '/v1/email/validate', { body: { emails, timeout_ms: 60_000 }, headers });
    };
    const answers = Promise.allSettled([validate('page'), validate('stream', { accept: 'application/x-ndjson' })]);
    while (!['page', 'stream'].every((call) => dns.asked.some(({ name }) => name.startsWith(call)))) await pause(5);
    const code = await service.stop();
    const [page, stream] = (await answers).map((ended) => (ended.status === 'fulfilled' ? ended.value : assert.fail(String(ended.reason)))) as [Answer, Answer];
    assert.deepEqual([page.status, page.json.data, page.json.error.code, page.headers.get('retry-after')], [503, null, 'SHUTTING_DOWN', '1']);
    const lines = stream.text.trimEnd().split('\n').map((line) => JSON.parse(line) as Json);
    assert.deepEqual([stream.status, lines[0].index, lines.at(-1)['@error'].error, code], [200, 0, 'SHUTTING_DOWN', 0]);
  });
});
