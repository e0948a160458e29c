import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Check } from '../../src/cli/doctor/check.ts';
import { checkSources } from '../../src/cli/doctor/sources.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';

const BASE = { name: 'registry', dataset: 'contacts', table: 'people', columns: {}, compared: {} } as const;

async function checked(kind: 'postgres' | 'clickhouse', url: string, concurrency?: number): Promise<Check> {
  const [check] = await checkSources({ ...loadConfig({}, () => ''), sources: [{ ...BASE, kind, url, concurrency }] }, true);
  assert.equal(check!.status, 'fail');
  return check!;
}

/** In the words of the protocol: you are let in, and: go on. */
const LET_IN = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

test('of a pooler that lets everybody in and has no session to spare, the doctor tells how many there are to be', async (t) => {
  const pooler = createServer((socket) => {
    socket.once('data', () => socket.write(LET_IN));
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  t.after(() => { pooler.close(); });
  const { detail, advice } = await checked('postgres', `postgres://jo@127.0.0.1:${(pooler.address() as AddressInfo).port}/leads`, 16);
  assert.match(detail, /Query read timeout/);
  assert.match(advice!, /a pooler is to have sessions to spare, up to 32 for each gateway/);
});

test('of a user of ClickHouse who may change no setting the doctor tells what he is to be', { skip: NO_CLICKHOUSE }, async (t) => {
  const server = await ClickhouseServer.start({ profile: '<readonly>1</readonly>' });
  t.after(() => server.stop());
  const { detail, advice } = await checked('clickhouse', server.url);
  assert.match(detail, /Code: 164.*readonly mode/);
  assert.match(advice!, /readonly 0 or 2/);
});
