import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { AnswerReader } from '../../../src/sources/http/answer.ts';
import { openHttp } from '../../../src/sources/http/open.ts';
import { serveHttp } from '../../support/servers/find_api.ts';
import { failsAs } from '../fails_as.ts';

function relationOf(end: object): string | null {
  const item = new AnswerReader().read(JSON.stringify({ '@end': { total: 7, next_cursor: null, ...end } }));
  return item?.kind === 'end' ? item.end.relation : null;
}

test('a total is exact where nothing is said of it, and what it is said to be where that is known', () => {
  assert.equal(relationOf({}), 'eq');
  assert.equal(relationOf({ total_relation: null }), 'eq');
  for (const known of ['eq', 'gte', 'lte', 'approx']) assert.equal(relationOf({ total_relation: known }), known);
});

test('a total that is said to be something else is never taken for an exact one', () => {
  for (const unknown of ['estimated', 'EQ+', '', 7, {}]) assert.equal(relationOf({ total_relation: unknown }), 'approx');
});

test('where a part was counted there is no total', async (t) => {
  const server = await serveHttp((request, _, response) => {
    if (request.method === 'GET') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('{"id":"1"}\n{"@end":{"total":7,"total_relation":"gte","partial":true,"next_cursor":null}}\n');
  });
  const config = { name: 'api', dataset: 'contacts', kind: 'http', url: `http://127.0.0.1:${server.port}/v1/find`, headers: {}, columns: {}, connect_timeout_ms: 5_000, concurrency: 8 } as const;
  const source = openHttp({ vocabulary: vocabulary('contacts'), config });
  t.after(async () => {
    await source.close();
    await server.close();
  });
  await assert.rejects(source.count({ filters: [], terms: [] }, AbortSignal.timeout(60_000)), failsAs('partial'));
});
