import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { MailHosts } from '../../src/validate/smtp/hosts.ts';
import type { ErrandFinding } from '../../src/validate/smtp/job.ts';
import { atATry } from '../support/until.ts';
import { polite, scriptSmtp } from './support/smtp_script.ts';

test('a session that fails by a fault of ours fails those who wait for it, and no others, and leaves no timer', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
  const before = timers();
  const hosts = new MailHosts({ port: 70_000, ownName: 'probe.example.net', now: Date.now });
  const ask = (): Promise<unknown> => hosts.ask({
    caller: hosts, host: 'mx.acme.com', addresses: ['127.0.0.1'], provider: null, recipient: { address: 'jane@acme.com', domain: 'acme.com', utf8: false },
    interest: { abandoned: false }, whole: { abandoned: false }, routeTtlMs: 60_000, endsMs: monotonicMs() + 20_000, connectMs: 1_000,
  });
  const all = await Promise.allSettled([ask(), ask()]);
  assert.deepEqual(all.map(({ status }) => status), ['rejected', 'rejected']);
  // And the host is served again.
  await assert.rejects(ask(), { code: 'ERR_SOCKET_BAD_PORT' });
  assert.equal(timers(), before);
});

test('a single address waits for no list of another call, nor finds its place taken', async (t) => {
  const server = await scriptSmtp(polite(() => '550 5.1.1 user unknown\r\n', ['PIPELINING']));
  t.after(() => server.close());
  const hosts = new MailHosts({ port: server.port, ownName: 'probe.example.net', now: Date.now });
  const [list, single] = [{ abandoned: false }, { abandoned: false }];
  const ask = (address: string, caller: { readonly abandoned: boolean }): Promise<ErrandFinding> => hosts.ask({
    caller, host: 'mx.acme.com', addresses: ['127.0.0.1'], provider: null, recipient: { address, domain: 'acme.com', utf8: false },
    interest: caller, whole: caller, routeTtlMs: 60_000, endsMs: monotonicMs() + 60_000, connectMs: 30_000,
  });
  const others = Array.from({ length: LIMITS.smtpQueueMax + 1 }, (_, index) => ask(`user${index}@acme.com`, list));
  assert.equal((await ask('jane@acme.com', single)).class, 'mailbox_not_found');
  assert.equal(server.connections(), 1);
  list.abandoned = true;
  const asked = 2 * LIMITS.smtpTransactionRefusalsMax - 1;
  assert.deepEqual((await Promise.all(others)).slice(asked - 1).map(({ class: is }) => is), [
    'mailbox_not_found', ...Array.from({ length: LIMITS.smtpQueueMax - asked }, () => 'timeout'), 'rate_limited',
  ]);
});

test('a call that came to wait for a host is asked for, though the time of the call before it is over when the turn comes', async (t) => {
  const elsewhere = await scriptSmtp(() => null);
  t.after(() => elsewhere.close());
  await atATry(async () => {
    const hosts = new MailHosts({ port: elsewhere.port, ownName: 'probe.example.net', now: Date.now });
    const ask = (caller: object, machine: number, waitMs: number): Promise<ErrandFinding> => hosts.ask({
      caller, host: `mx${machine}.acme.com`, addresses: [`127.0.1.${machine}`], provider: 'acme', recipient: { address: 'jane@acme.com', domain: 'acme.com', utf8: false },
      interest: { abandoned: false }, whole: { abandoned: false }, routeTtlMs: 60_000, endsMs: monotonicMs() + waitMs, connectMs: 1_000,
    });
    const [list, hasty, patient] = [{}, {}, {}];
    await Promise.all(Array.from({ length: LIMITS.smtpSessionsBurst }, (_, index) => ask(list, index + 1, 60_000)));
    const next = ask(list, 100, 60_000);
    const first = ask(hasty, 101, LIMITS.smtpSessionEveryMs * 1.5);
    await sleep(LIMITS.smtpSessionEveryMs / 10);
    const joined = ask(patient, 101, 60_000);
    const [before, hurried, waited] = (await Promise.all([next, first, joined])).map(({ class: is }) => is);
    assert.deepEqual([before, waited], ['connect_failed', 'connect_failed']);
    return hurried === 'timeout';
  }, 'the time of the hasty one is over');
});

test('of two calls that wait for a host only the one is refused whose turn at the provider cannot come in time', async (t) => {
  const server = await scriptSmtp(polite(() => '550 5.1.1 user unknown\r\n'));
  t.after(() => server.close());
  const hosts = new MailHosts({ port: server.port, ownName: 'probe.example.net', now: Date.now });
  const waitMs = LIMITS.smtpSessionEveryMs * 8.9;
  const ask = (caller: { readonly abandoned: boolean }, machine: number): Promise<ErrandFinding> => hosts.ask({
    caller, host: `mx${machine}.acme.com`, addresses: [`127.0.0.${machine}`], provider: 'acme', recipient: { address: 'jane@acme.com', domain: 'acme.com', utf8: false },
    interest: caller, whole: caller, routeTtlMs: 60_000, endsMs: monotonicMs() + waitMs, connectMs: 1_000,
  });
  const [list, single] = [{ abandoned: false }, { abandoned: false }];
  const others = Array.from({ length: LIMITS.smtpSessionsBurst + 8 }, (_, index) => ask(list, index + 2));
  const refused = ask(list, 1);
  assert.equal((await ask(single, 1)).class, 'mailbox_not_found');
  assert.equal((await refused).class, 'rate_limited');
  list.abandoned = true;
  await Promise.all(others);
});
