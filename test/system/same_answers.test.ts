import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { FILTERS } from '../../src/model/filter.ts';
import { KINDS } from '../support/http_kinds.ts';
import { RunningService, type Answer } from './service.ts';

const OF_THE_REQUEST = new Set(['x-request-id', 'server-timing', 'date', 'keep-alive', 'connection', 'transfer-encoding', 'uwebsockets', 'ratelimit']);

/** An answer less what differs from one request to the next. */
function comparable({ status, headers, text }: Answer): unknown {
  const kept = [...headers].filter(([name]) => !OF_THE_REQUEST.has(name)).sort();
  const body = text
    .replace(/"request_id":"[^"]*"/g, '"request_id":""')
    .replace(/"took_ms":[\d.]+/g, '"took_ms":0')
    .replace(/"uptime_s":\d+/g, '"uptime_s":0')
    .replace(/"timing":\{[^}]*\}/g, '"timing":{}');
  // Sources are read side by side: behind which row of which of them a stream says a cursor is for the threads to settle, and whether
  // a busy machine is silent for so long that a heartbeat comes.
  const lines = body.includes('"@end"') ? body.split('\n').filter((line) => !/^\{"@(?:cursor|heartbeat)":/.test(line)).sort() : body;
  return { status, headers: kept.filter(([name]) => name !== 'content-length'), body: lines };
}

const VALUE = fc.oneof(
  fc.constantFrom('US', 'DE', 'vp', 'manager', 'Berlin', 'true', '1-10', 'Ünïcode', "' OR 1=1--", '%', '', ' ', '2024-01-01'),
  fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const NAMES = [...new Set([...FILTERS.contacts, ...FILTERS.companies].map(({ name }) => name)), 'nonsense', '__proto__'];
const FILTER = fc.oneof(
  VALUE, fc.array(VALUE, { maxLength: 4 }),
  fc.record({ include: fc.array(VALUE, { maxLength: 3 }), exclude: fc.array(VALUE, { maxLength: 3 }) }, { requiredKeys: [] }),
  fc.record({ min: VALUE, max: VALUE }, { requiredKeys: [] }));
const BODY = fc.record({
  type: fc.constantFrom('contacts', 'companies', 'people'),
  filters: fc.dictionary(fc.constantFrom(...NAMES), FILTER, { maxKeys: 3 }),
  query: fc.constantFrom('manager', 'sal*', '"sales manager"', '-intern director', '', 'é', '***', '"'),
  limit: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.string({ maxLength: 3 })),
  facets: fc.array(fc.constantFrom(...NAMES), { maxLength: 6 }),
  fields: fc.array(fc.constantFrom('id', 'email', 'country', 'name', 'shoe'), { maxLength: 3 }),
  timeout_ms: fc.constant(LIMITS.pageTimeoutMsMax),
  dedupe: fc.boolean(), strict: fc.boolean(), count: fc.constantFrom('exact', 'none', 'some'),
}, { requiredKeys: ['type', 'timeout_ms'] });

describe('any search', () => {
  let uws: RunningService;
  let node: RunningService;
  before(async () => {
    uws = await RunningService.overDemo({ LDS_HTTP: KINDS[0]! });
    writeFileSync(join(uws.folder, 'disk.yaml'), 'map_files: false\nrows_memory_mb: 0\n');
    // The two share one data folder, and so its snapshots, keys and cursor secret. One holds the rows in memory, the other reads them from disk.
    node = await RunningService.start({ LDS_HTTP: 'node', LDS_DATA_DIR: join(uws.folder, 'data'), LDS_CONFIG: join(uws.folder, 'disk.yaml') });
    node.key = uws.key;
  }, { timeout: 300_000 });
  after(async () => {
    await node.stop();
    await uws.stop();
  });

  const MEDIA = ['application/json', 'application/x-ndjson', 'text/csv', 'application/vnd.msgpack'];

  it('gives the same status, headers and body through either server, from memory or from disk, but for ids and timings, and never a 5xx', async () => {
    await fc.assert(fc.asyncProperty(BODY, fc.constantFrom(...MEDIA), async (body, accept) => {
      const [one, other] = await Promise.all([uws.find(body, { headers: { accept } }), node.find(body, { headers: { accept } })]);
      assert.ok(one.status < 500, one.text);
      if (accept !== 'application/vnd.msgpack' || one.status !== 200) assert.deepEqual(comparable(one), comparable(other));
      else assert.equal(one.status, other.status);
      if (one.status === 400) assert.equal((await uws.find(one.json.example)).status, 200);
    }), { numRuns: 400 });
  });

  it('answers any bytes as a body with a 200 or a 400', async () => {
    await fc.assert(fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map((text) => Buffer.from(text))), async (bytes) => {
      const { status } = await uws.find(bytes);
      assert.ok(status === 200 || status === 400);
    }), { numRuns: 300 });
  });

  it('gives the same answers to everything that is no search', async () => {
    const asks: [string, string, { key?: string | null; headers?: Record<string, string> }?][] = [
      ['GET', '/v1/sources'], ['GET', '/v1/schema'], ['HEAD', '/v1/schema'], ['GET', '/openapi.json'], ['GET', '/health', { key: null }], ['GET', '/nowhere'], ['DELETE', '/v1/find'],
      ['OPTIONS', '/v1/find'], ['GET', '/admin/keys'], ['GET', '/v1/sources', { key: null }], ['GET', '/v1/sources', { headers: { 'if-none-match': '*' } }],
    ];
    for (const [method, path, options] of asks) {
      const [one, other] = await Promise.all([uws.call(method, path, options), node.call(method, path, options)]);
      assert.deepEqual(comparable(one), comparable(other), `${method} ${path}`);
    }
  });
});

