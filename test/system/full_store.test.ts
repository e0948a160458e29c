import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { mintKey } from '../../src/accounts/key.ts';
import { noSmallDisk, smallDisk, type SmallDisk } from '../support/small_disk.ts';
import { until } from '../support/until.ts';
import { RunningService, type Json } from './service.ts';

const ADMIN_KEY = mintKey('admin');
const ALL = { type: 'contacts', limit: 5 };

describe('a gateway over a SQLite store', { skip: noSmallDisk() ?? false }, () => {
  let disk: SmallDisk;
  let service: RunningService;

  before(async () => {
    disk = smallDisk(16)!;
    service = await RunningService.start({ LDS_DEMO: '0', LDS_ADMIN_KEY: ADMIN_KEY }, disk.folder);
    await writeFile(join(disk.folder, 'crm.csv'), 'id,email,full_name,country\n1,p1@x.org,Ann One,US\n');
    await service.ingest('crm', join(disk.folder, 'crm.csv'));
    await until(async () => (await service.find(ALL)).json?.total === 1, 10_000);
  });
  after(async () => {
    await service?.stop(true);
    disk.close();
  });

  const admin = (method: string, path: string, body?: unknown) => service.call(method, path, { body, key: ADMIN_KEY });
  const store = async (): Promise<Json> => (await service.call('GET', '/health', { key: null })).json.components.store;
  const lines = (message: string): Json[] => service.logged.trim().split('\n').map((line) => JSON.parse(line) as Json).filter(({ msg }) => msg === message);
  const logged = (message: string, times: number) => until(async () => lines(message).length === times, 5_000);

  it('on a disk that is full searches on, says of what each path failed and what it still does, and heals', async () => {
    disk.fillUpTo(0);
    const refused = await admin('POST', '/admin/suppressions', { email: ['p1@x.org'] });
    assert.deepEqual([refused.status, refused.json.error], [503, 'store_unavailable']);
    assert.equal((await admin('POST', '/admin/keys', { account: 'jo@example.com' })).status, 503);
    assert.equal((await admin('POST', '/admin/keys', { account: 'jo@example.com' })).status, 503);
    await until(async () => {
      assert.equal((await service.find(ALL)).json.total, 1);
      return (await store()).status === 'degraded';
    }, 5_000);
    assert.equal((await store()).detail, 'it is read, but takes no changes');
    await logged('a request failed', 2);
    const [suppression, key] = lines('a request failed');
    assert.equal(suppression.request_id, refused.json.request_id);
    for (const { error } of [suppression, key]) assert.match(error.cause.message, /database or disk is full/);
    disk.empty();
    await until(async () => (await store()).status === 'ok', 5_000);
    await logged('the store works again', 1);
    assert.equal((await admin('POST', '/admin/suppressions', { email: ['p1@x.org'] })).status, 200);
    await until(async () => (await service.find(ALL)).json.total === 0, 5_000);
  });

  it('whose data folder was moved acknowledges nothing that would be lost, says so, and goes on when it is back', async () => {
    const folder = join(disk.folder, 'data');
    await rename(folder, `${folder}-elsewhere`);
    try {
      assert.equal((await admin('POST', '/admin/suppressions', { domain: ['x.org'] })).status, 503);
      await until(async () => (await store()).status === 'down' && (await service.find(ALL)).status === 503, 5_000);
      await until(async () => lines('the store failed').some(({ error }) => /store\.sqlite was moved, removed or replaced/.test(error.cause.message)), 5_000);
    } finally {
      await rename(`${folder}-elsewhere`, folder);
    }
    await until(async () => (await store()).status === 'ok' && (await service.find(ALL)).status === 200, 5_000);
    assert.equal((await admin('POST', '/admin/suppressions', { domain: ['x.org'] })).status, 200);
  });
});
