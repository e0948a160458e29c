import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { mintKey } from '../../src/accounts/key.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { RunningService } from './service.ts';

const ADMIN_KEY = mintKey('admin');

describe('a gateway that is told to stop while its PostgreSQL', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  let first: RunningService;
  const gateway = (folder?: string) => RunningService.start({ LDS_DATABASE_URL: server.url, LDS_ADMIN_KEY: ADMIN_KEY, LDS_LOG_LEVEL: 'error', LDS_DEMO: '0' }, folder);

  before(async () => {
    server = await PostgresServer.start();
    first = await gateway();
  });
  after(async () => {
    await first.stop();
    await server.stop();
  });

  for (const [loss, lose, restore] of [
    ['hangs', () => server.signal('SIGSTOP'), () => server.signal('SIGCONT')],
    ['is away', () => server.crash(), () => server.resume()],
  ] as const) {
    it(`${loss} ends with 0 within ten seconds, writes its last lines, and tells what is not in the store`, async () => {
      const service = await gateway(first.folder);
      await lose();
      try {
        assert.equal((await service.call('GET', '/v1/sources', { key: ADMIN_KEY })).status, 200);
        const ended = once(service.child, 'exit', { signal: AbortSignal.timeout(10_000) });
        service.child.kill('SIGTERM');
        assert.deepEqual(await ended, [0, null], service.printed);
        assert.match(service.logged, /"route":"\/v1\/sources"/);
        assert.match(service.logged, /the store did not take what was counted last/);
      } finally {
        service.child.kill('SIGKILL');
        await restore();
      }
    });
  }
});
