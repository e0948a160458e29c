import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test, type TestContext } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { AppError } from '../../src/model/errors.ts';
import type { Validation } from '../../src/validate/result.ts';
import { TestClock } from '../accounts/setting.ts';
import { inTime, until } from '../support/until.ts';
import { withTime } from '../support/with_time.ts';
import { a, mx } from './support/dns_script.ts';
import { world, type Dns } from './support/world.ts';

const unreachable = (error: unknown): boolean => error instanceof AppError && error.code === 'validator_unreachable';

suite('a Reacher backend', { concurrency: 8 }, () => {
  async function backend(t: TestContext, answer: (email: string) => unknown, status = 200): Promise<string> {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => { body += String(chunk); });
      request.on('end', async () => {
        const said = await answer((JSON.parse(body) as { to_email: string }).to_email);
        response.writeHead(request.url === '/v0/check_email' ? status : 404, { 'content-type': 'application/json' }).end(JSON.stringify(said));
      });
    });
    await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    t.after(() => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); }));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('its report becomes our finding, and its trouble never a dead mailbox', async (t) => {
    const reports: Record<string, unknown> = {
      jane: { can_connect_smtp: true, has_full_inbox: false, is_catch_all: false, is_deliverable: true, is_disabled: false },
      nobody: { can_connect_smtp: true, has_full_inbox: false, is_catch_all: false, is_deliverable: false, is_disabled: false },
      any: { can_connect_smtp: true, has_full_inbox: false, is_catch_all: true, is_deliverable: true, is_disabled: false },
      off: { can_connect_smtp: true, has_full_inbox: false, is_catch_all: false, is_deliverable: false, is_disabled: true },
      blocked: { error: { type: 'SmtpError', message: 'x' }, description: 'IpBlacklisted' },
      late: { error: { type: 'SmtpError', message: 'connection timed out' } },
      deaf: { can_connect_smtp: false, is_deliverable: false },
    };
    const url = await backend(t, (email) => ({ smtp: reports[email.split('@')[0]!] }));
    const { bulk } = await world(t, { validatorUrl: url });
    const { results } = await bulk(Object.keys(reports).map((name) => `${name}@acme.com`));
    assert.deepEqual(results.map(({ reason }) => reason), ['SMTP_ACCEPTED', 'SMTP_MAILBOX_NOT_FOUND', 'SMTP_CATCH_ALL', 'SMTP_MAILBOX_DISABLED', 'SMTP_BLOCKED', 'SMTP_TIMEOUT', 'SMTP_CONNECT_FAILED']);
  });

  test('what it says of trouble holds no longer than trouble does that we met ourselves', async (t) => {
    const url = await backend(t, (email) => ({
      smtp: { can_connect_smtp: !email.startsWith('deaf@'), is_deliverable: email.startsWith('jane@'), error: email.startsWith('blocked@') ? {} : null, description: 'IpBlacklisted' },
    }));
    const lasting: Dns = ({ name, type }) => ({ answers: [type === 'MX' ? mx(name, `mx.${name}`, 86_400) : a(name, '127.0.0.1', 86_400)] });
    const { bulk } = await world(t, { validatorUrl: url, clock: new TestClock() }, lasting);
    const { results } = await bulk(['jane@acme.com', 'nobody@acme.com', 'deaf@acme.com', 'blocked@acme.com']);
    const minutesOf = ({ checked_at: checked, expires_at: expires }: Validation): number => Math.round((Date.parse(expires) - Date.parse(checked)) / 60_000);
    assert.deepEqual(results.map((one) => [one.reason, minutesOf(one)]), [['SMTP_ACCEPTED', 60], ['SMTP_MAILBOX_NOT_FOUND', 60], ['SMTP_CONNECT_FAILED', 1], ['SMTP_BLOCKED', 5]]);
  });

  test('it is asked a few at a time, however many addresses a call has', async (t) => {
    let atOnce = 0;
    let most = 0;
    const url = await backend(t, async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => { setTimeout(resolve, 5); });
      atOnce -= 1;
      return { smtp: { can_connect_smtp: true, is_deliverable: true } };
    });
    const { bulk } = await world(t, { validatorUrl: url });
    const { summary } = await bulk(Array.from({ length: 60 }, (_, index) => `user${index}@acme.com`));
    assert.equal(summary.deliverable, 60);
    assert.ok(most > 1 && most <= LIMITS.backendCallsMax, String(most));
  });

  test('a single address waits for no list of another call', async (t) => {
    let asked = 0;
    const url = await backend(t, async () => {
      asked += 1;
      await new Promise((resolve) => { setTimeout(resolve, 10); });
      return { smtp: { can_connect_smtp: true, is_deliverable: true } };
    });
    const { bulk, one } = await world(t, { validatorUrl: url });
    const list = bulk(Array.from({ length: 500 }, (_, index) => `user${index}@acme.com`));
    await until(() => asked > 0);
    assert.equal((await one('jane@other.com')).reason, 'SMTP_ACCEPTED');
    assert.ok(asked < 250, String(asked));
    assert.equal((await list).summary.deliverable, 500);
  });

  test('whoever leaves is asked for no longer, and takes nobody\'s place', async (t) => {
    let asked = 0;
    const url = await backend(t, (email) => {
      asked += 1;
      return email.startsWith('jane@') ? { smtp: { can_connect_smtp: true, is_deliverable: true } } : new Promise(() => {});
    });
    const { validator, one } = await world(t, { validatorUrl: url });
    const leaving = new AbortController();
    const list = validator.validate(Array.from({ length: 100 }, (_, index) => `user${index}@acme.com`), { stages: null, deadlineMs: monotonicMs() + 120_000, signal: leaving.signal });
    await until(() => asked === LIMITS.backendCallsMax);
    leaving.abort();
    await list;
    const single = await inTime(one('jane@acme.com'), 60_000);
    assert.equal(single === 'late' ? single : single.reason, 'SMTP_ACCEPTED');
    assert.equal(asked, LIMITS.backendCallsMax + 1);
  });

  test('it is told of which addresses it was asked in time', (t) => withTime([1_500, 4_000, 8_000], async (timeoutMs) => {
    let asked = 0;
    const url = await backend(t, () => {
      asked += 1;
      return new Promise(() => {});
    });
    const { bulk, one } = await world(t, { validatorUrl: url });
    await one('jane@acme.com', ['dns']);
    const { results } = await bulk(Array.from({ length: LIMITS.backendCallsMax + 4 }, (_, index) => `user${index}@acme.com`), null, timeoutMs);
    assert.deepEqual([...new Set(results.map(({ reason }) => reason))], ['SMTP_TIMEOUT']);
    assert.deepEqual([results.filter(({ smtp }) => smtp!.attempted).length, asked], [LIMITS.backendCallsMax, LIMITS.backendCallsMax]);
  }));

  test('unreachable it is validator_unreachable, unless other stages decide', async (t) => {
    const { one, validator } = await world(t, { validatorUrl: 'http://127.0.0.1:1' });
    assert.equal(validator.health().status, 'ok');
    for (let call = 0; call < LIMITS.backendFailuresMax; call++) await assert.rejects(one('jane@acme.com'), unreachable);
    assert.deepEqual(validator.health(), { status: 'degraded', detail: '1 of 1 resolvers, the mailbox backend is unreachable' });
    assert.equal((await one('jane@gone.com')).reason, 'DNS_NXDOMAIN');
    assert.equal((await one('jane@acme.com', ['dns'])).reason, 'DNS_MX_OK');
  });

  test('its own throttle is none of the mail host, which was not asked', async (t) => {
    const { one, validator } = await world(t, { validatorUrl: await backend(t, () => ({ error: 'Too many requests' }), 429) });
    const { status, reason, smtp } = await one('jane@acme.com');
    assert.deepEqual([status, reason, smtp], ['unknown', 'SMTP_RATE_LIMITED', { attempted: false, host: null, code: null, enhanced: null, class: 'rate_limited' }]);
    assert.equal(validator.health().status, 'ok');
  });

  test('a server that has nothing at its URL is no mail host in trouble', async (t) => {
    const { one, validator } = await world(t, { validatorUrl: `${await backend(t, () => ({}))}/v0/chekc_email` });
    for (let call = 0; call < LIMITS.backendFailuresMax; call++) await assert.rejects(one('jane@acme.com'), unreachable);
    assert.equal(validator.health().status, 'degraded');
  });
});
