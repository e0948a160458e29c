import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openHttp } from '../../../src/sources/http/open.ts';
import { openSource } from '../../../src/sources/open.ts';
import { serveHttp } from '../../support/servers/find_api.ts';
import { failsAs } from '../fails_as.ts';

/** What is heard of an API that answers so where a gateway lists its sources, and finds somebody unless it refuses that too. */
async function described(status: number, finds: number): Promise<readonly string[]> {
  const server = await serveHttp((request, _, response) => {
    if (request.method === 'GET') response.writeHead(status, { location: '/login' }).end('{"message":"Missing Authentication Token"}');
    else response.writeHead(finds, { 'content-type': 'application/x-ndjson' }).end('{"id":"1","email":"ann@x.org"}\n{"@end":{"returned":1}}\n');
  });
  const url = `http://127.0.0.1:${server.port}/people/find`;
  const config = { name: 'api', dataset: 'contacts', kind: 'http', url, headers: {}, columns: {}, connect_timeout_ms: 5_000, concurrency: 8 } as const;
  const source = openHttp({ vocabulary: vocabulary('contacts'), config });
  try {
    return (await source.describe(AbortSignal.timeout(60_000))).fields;
  } finally {
    await source.close();
    await server.close();
  }
}

test('an API is known by its rows where whatever stands before it refuses, or leads elsewhere, what only a gateway has', async () => {
  for (const status of [302, 400, 401, 403, 404, 405, 410]) assert.ok((await described(status, 200)).includes('email'), String(status));
});

test('one that refuses the search as well has failed, and so has a gateway that is in trouble', async () => {
  await assert.rejects(described(401, 401), failsAs('unreachable'));
  await assert.rejects(described(403, 403), failsAs('refused'));
  await assert.rejects(described(429, 200), failsAs('overloaded'));
  await assert.rejects(described(500, 200), failsAs('broken'));
});

test('another server is asked where one knows the key no more', async () => {
  let knows = true;
  const found = '{"id":"1","email":"ann@x.org"}\n{"@end":{"returned":1,"total":1,"total_relation":"eq"}}\n';
  const servers = await Promise.all([() => knows, () => true].map((isKnown) => serveHttp((request, _, response) => {
    if (request.method === 'GET') response.writeHead(404).end();
    else if (isKnown()) response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(found);
    else response.writeHead(401).end('{"error":"unauthorized"}');
  })));
  const [url, ...replicas] = servers.map(({ port }) => `http://127.0.0.1:${port}/v1/find`);
  const config = { name: 'api', dataset: 'contacts', kind: 'http', url: url!, replicas, headers: {}, columns: {}, connect_timeout_ms: 5_000, concurrency: 8 } as const;
  const source = openSource({ vocabulary: vocabulary('contacts'), config });
  try {
    await source.describe(AbortSignal.timeout(5_000));
    knows = false;
    const rows = [];
    for await (const batch of source.rows({ filters: [], terms: [], order: 'identity', from: null, fields: null, rowsWanted: 10 }, AbortSignal.timeout(5_000))) rows.push(...batch);
    assert.deepEqual(rows.map(({ key }) => key), ['ann@x.org']);
  } finally {
    await source.close();
    await Promise.all(servers.map((server) => server.close()));
  }
});
