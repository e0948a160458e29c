import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openHttp } from '../../../src/sources/http/open.ts';
import type { ForeignSource } from '../../../src/sources/source.ts';
import { serveHttp } from '../../support/servers/find_api.ts';

type Page = { readonly limit?: number; readonly cursor?: string; readonly facets?: readonly string[]; readonly count?: string };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const ORDERED = { ...NDJSON, 'X-Lds-Order': 'identity' };
const PEOPLE = Array.from({ length: 9 }, (_, at) => ({ id: `${at}`, email: `p${at}@x.org` }));
const ALL = { filters: [], terms: [], order: 'identity', from: null, fields: null } as const;
const lines = (...all: readonly unknown[]): string => all.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A gateway that answers each search with those lines, and is asked as `use` does. */
async function asking(headers: Record<string, string>, answer: (page: Page) => readonly unknown[], use: (source: ForeignSource) => Promise<void>): Promise<void> {
  const server = await serveHttp((request, body, response) => {
    if (request.method === 'GET') response.writeHead(200, { 'content-type': 'application/json' }).end('{"sources":[]}');
    else {
      response.writeHead(200, headers);
      for (const line of answer(JSON.parse(body) as Page)) response.write(lines(line));
      response.end();
    }
  });
  const url = `http://127.0.0.1:${server.port}/v1/find`;
  const config = { name: 'partner', dataset: 'contacts', kind: 'http', url, headers: {}, columns: {}, connect_timeout_ms: 5_000, concurrency: 8 } as const;
  const source = openHttp({ vocabulary: vocabulary('contacts'), config });
  try {
    await use(source);
  } finally {
    await source.close();
    await server.close();
  }
}

describe('rows over http that are enough for whoever reads them', () => {
  it('are known to lack some before they are given, where the other side says so', async () => {
    const [ann, bob] = PEOPLE;
    for (const headers of [NDJSON, ORDERED]) {
      await asking(headers, () => [ann, bob, { '@end': { returned: 2, partial: true, next_cursor: 'behind bob' } }], async (source) => {
        let told = 0;
        for await (const rows of source.rows({ ...ALL, rowsWanted: 2, incomplete: () => { told += 1; } }, AbortSignal.timeout(5_000))) {
          assert.deepEqual([rows.length, told], [2, 1]);
          break;
        }
      });
    }
  });
});
