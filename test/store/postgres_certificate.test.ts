import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { describe, it } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { account } from '../contract/store/store_suite.ts';
import { Authority, NO_OPENSSL } from '../support/certificates.ts';
import { pause } from '../support/runners.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';

describe('a store on PostgreSQL whose url names a certificate', { skip: NO_OPENSSL || NO_POSTGRES }, () => {
  it('outlives that the file is away while its connections are lost, and hears of changes again when it is back', async (t) => {
    const authority = new Authority();
    t.after(() => authority.remove());
    const { cert, key } = authority.certificate('DNS:localhost');
    const server = await PostgresServer.start(['ssl=on', `ssl_cert_file=${cert}`, `ssl_key_file=${key}`]);
    t.after(() => server.stop());
    const databaseUrl = `postgres://tester@localhost:${server.port}/postgres?sslmode=verify-full&sslrootcert=${authority.cert}`;
    const store = await openStore({ dataDir: '/nowhere', databaseUrl });
    t.after(() => store.close());
    let heard = 0;
    store.onChange('keys', () => { heard += 1; });
    await until(() => heard > 0);
    const { id } = account('a');
    await store.addAccount(account('a'));
    await store.changeAccount(id, { plan: 'standard' });
    await until(() => heard > 1);

    renameSync(authority.cert, `${authority.cert}.away`);
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = $1', ['tester']);
    await assert.rejects(async () => { for (;;) await store.revision(); }, { code: 'store_unavailable' });
    // Longer than it waits before it listens again.
    await pause(1_500);
    renameSync(`${authority.cert}.away`, authority.cert);
    const before = heard;
    await until(() => heard > before);
    await store.changeAccount(id, { plan: 'unlimited' });
    await until(() => heard > before + 1);
  });
});
