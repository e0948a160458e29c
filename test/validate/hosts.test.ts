import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs } from '../../src/lib/clock.ts';
import { MailHosts } from '../../src/validate/smtp/hosts.ts';

test('a session that fails by a fault of ours fails those who wait for it, and no others', async () => {
  const hosts = new MailHosts({ port: 70_000, ownName: 'probe.example.net', now: Date.now });
  const ask = (): Promise<unknown> => hosts.ask({
    host: 'mx.acme.com', addresses: ['127.0.0.1'], provider: null, recipient: { address: 'jane@acme.com', domain: 'acme.com', utf8: false },
    interest: { abandoned: false }, routeTtlMs: 60_000, endsMs: monotonicMs() + 20_000, connectMs: 1_000,
  });
  const all = await Promise.allSettled([ask(), ask()]);
  assert.deepEqual(all.map(({ status }) => status), ['rejected', 'rejected']);
  // And the host is served again.
  await assert.rejects(ask(), { code: 'ERR_SOCKET_BAD_PORT' });
});
