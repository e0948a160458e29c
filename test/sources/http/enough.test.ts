import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openHttp } from '../../../src/sources/http/open.ts';
import type { ForeignSource } from '../../../src/sources/source.ts';
import { failsAs } from '../fails_as.ts';
import { serveHttp } from '../../support/servers/find_api.ts';

type Page = { readonly limit?: number; readonly cursor?: string; readonly facets?: readonly string[]; readonly count?: string };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const ORDERED = { ...NDJSON, 'X-Lds-Order': 'identity' };
const PEOPLE = Array.from({ length: 9 }, (_, at) => ({ id: `${at}`, email: `p${at}@x.org` }));
const ALL = { filters: [], terms: [], order: 'identity', from: null, fields: null } as const;
const lines = (...all: readonly unknown[]): string => all.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A gateway that answers each search with those lines, and is asked as `use` does. */
async function asking(
  headers: Record<string, string>, answer: (page: Page) => readonly unknown[], use: (source: ForeignSource) => Promise<void>, gateway = { sources: [] as unknown[] },
): Promise<void> {
  const server = await serveHttp((request, body, response) => {
    if (request.method === 'GET') response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(gateway));
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
        for await (const rows of source.rows({ ...ALL, rowsWanted: 2, incomplete: () => { told += 1; } }, AbortSignal.timeout(60_000))) {
          assert.deepEqual([rows.length, told], [2, 1]);
          break;
        }
      });
    }
  });

  it('are known to lack those of a source of the other side as soon as it says that it lost one, since its end may come too late', async () => {
    const [ann, bob] = PEOPLE;
    for (const [status, times] of [['failed', 1], ['partial', 1], ['skipped', 1], ['complete', 0]] as const) {
      await asking(ORDERED, () => [ann, { '@source': { source: 'far', status } }, bob], async (source) => {
        let told = 0;
        for await (const rows of source.rows({ ...ALL, rowsWanted: null, incomplete: () => { told += 1; } }, AbortSignal.timeout(60_000))) {
          assert.deepEqual([rows.length, told], [2, times], status);
          break;
        }
      });
    }
  });

  it('are all that is asked for of a stream, and more behind them only where it is wanted', async () => {
    const asked: Page[] = [];
    const answer = ({ limit = 9, cursor }: Page): readonly unknown[] => {
      asked.push({ limit, ...(cursor !== undefined && { cursor }) });
      const first = Number(cursor ?? 0);
      const end = Math.min(9, first + limit);
      return [...PEOPLE.slice(first, end), { '@end': { returned: end - first, partial: end === 9, next_cursor: end === 9 ? null : String(end) } }];
    };
    await asking(ORDERED, answer, async (source) => {
      let told = 0;
      const rows: string[] = [];
      const seen: [rows: number, requests: number, told: number][] = [];
      const stream = { ...ALL, rowsWanted: null, rowsEnough: 3, incomplete: () => { told += 1; } };
      await assert.rejects(async () => {
        for await (const batch of source.rows(stream, AbortSignal.timeout(60_000))) {
          rows.push(...batch.map(({ key }) => key));
          if (rows.length === 3 || rows.length === 9) seen.push([rows.length, asked.length, told]);
        }
      }, failsAs('partial'));
      assert.deepEqual(rows, PEOPLE.map(({ email }) => email));
      assert.deepEqual(asked, [{ limit: 3 }, { limit: 6, cursor: '3' }]);
      assert.deepEqual(seen, [[3, 1, 0], [9, 2, 1]]);
    });
  });

  it('are none for a facet of more values than the other side tells, where more match than are counted here', async () => {
    const gateway = { sources: [{ name: 'crm', type: 'contacts', filters: { city: 'pushed' }, fields: ['city'] }] };
    const values = Array.from({ length: LIMITS.facetValuesMax }, (_, at) => ({ value: `City ${at}`, count: 1 }));
    for (const [total, pages] of [[LIMITS.unsureRowsMax, 3], [LIMITS.unsureRowsMax + 1, 2]] as const) {
      const asked: Page[] = [];
      const answer = (page: Page): readonly unknown[] => {
        asked.push(page);
        const facets = page.facets === undefined ? {} : { facets: { city: values } };
        return [{ '@end': { total, total_relation: 'eq', partial: false, next_cursor: null, ...facets } }];
      };
      await asking(NDJSON, answer, async (source) => {
        const counts = await source.facet('city', { filters: [], terms: [] }, AbortSignal.timeout(60_000));
        assert.deepEqual([counts === null, asked.length], [total > LIMITS.unsureRowsMax, pages]);
      }, gateway);
    }
  });
});
