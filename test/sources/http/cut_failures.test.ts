import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerResponse } from 'node:http';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openHttp } from '../../../src/sources/http/open.ts';
import { SourceFailure } from '../../../src/sources/source.ts';
import { serveHttp } from '../../support/servers/find_api.ts';

/** The failure of a search that is answered so, and that nothing but its answer ends. */
async function failureOf(answer: (response: ServerResponse) => void): Promise<SourceFailure> {
  const server = await serveHttp((request, _, response) => (request.method === 'GET' ? response.writeHead(404).end() : answer(response)));
  const config = { name: 'partner', dataset: 'contacts', kind: 'http', url: `http://127.0.0.1:${server.port}/v1/find`, headers: {}, columns: {} } as const;
  const source = openHttp({ vocabulary: vocabulary('contacts'), config });
  try {
    for await (const _ of source.rows({ filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: 10 }, new AbortController().signal));
    throw new Error('it did not fail');
  } catch (error) {
    assert.ok(error instanceof SourceFailure, String(error));
    return error;
  } finally {
    await source.close();
    await server.close();
  }
}

test('an answer over http fails by its status also where its words never end or are cut', { timeout: 60_000 }, async () => {
  const ends = [() => {}, (response: ServerResponse): void => { response.destroy(); }];
  for (const end of ends) {
    const { code, message, started } = await failureOf((response) => {
      response.writeHead(503, { 'content-length': '500' }).write('busy', () => end(response));
    });
    assert.deepEqual({ code, status: message.slice(0, 8), started }, { code: 'overloaded', status: 'HTTP 503', started: false });
  }
});
