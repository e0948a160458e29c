import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openHttp } from '../../../src/sources/http/open.ts';
import type { ForeignSource, FoundRow, Place } from '../../../src/sources/source.ts';
import { serveHttp } from '../../support/servers/find_api.ts';

const ORDERED = { 'content-type': 'application/x-ndjson', 'X-Lds-Order': 'identity' };
const OLD = 'acegikmoqsuwy';
const NEW = 'abcdfghijklmnpqrstuvxyz';

/** A gateway whose rows change, and whose cursors go on in the rows that there were. Gives them by their letters. */
async function changing(rows: string[], use: (source: ForeignSource, asked: string[]) => Promise<void>): Promise<void> {
  const snapshots: string[][] = [];
  const asked: string[] = [];
  const server = await serveHttp((request, body, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ sources: [] }));
      return;
    }
    const { limit, cursor } = JSON.parse(body) as { readonly limit: number; readonly cursor?: string };
    asked.push(cursor ?? 'start');
    const [snapshot, first] = cursor === undefined ? [snapshots.push([...rows]) - 1, 0] : cursor.split(':').map(Number) as [number, number];
    const end = first + limit;
    const people = snapshots[snapshot]!.slice(first, end).map((letter) => ({ id: letter, email: `${letter}@x.org` }));
    const last = { '@end': { returned: people.length, partial: false, next_cursor: end < snapshots[snapshot]!.length ? `${snapshot}:${end}` : null } };
    response.writeHead(200, ORDERED).end([...people, last].map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  const url = `http://127.0.0.1:${server.port}/v1/find`;
  const config = { name: 'partner', dataset: 'contacts', kind: 'http', url, headers: {}, columns: {}, connect_timeout_ms: 5_000, concurrency: 8 } as const;
  const source = openHttp({ vocabulary: vocabulary('contacts'), config });
  try {
    await use(source, asked);
  } finally {
    await source.close();
    await server.close();
  }
}

/** The next rows of a walk, as a page takes them, and where it goes on. */
async function page(source: ForeignSource, from: Place | null, size: number): Promise<{ readonly letters: string; readonly next: Place | null }> {
  const request = { filters: [], terms: [], order: 'identity', from, fields: null, rowsWanted: size + 1 } as const;
  const rows: FoundRow[] = [];
  for await (const batch of source.rows(request, AbortSignal.timeout(60_000))) {
    rows.push(...batch.filter(({ phase, key }) => from === null || phase !== from.phase || key !== from.key));
    if (rows.length > size) break;
  }
  const given = rows.slice(0, size);
  const last = given.at(-1);
  return { letters: given.map(({ key }) => key[0]).join(''), next: last === undefined || rows.length <= size ? null : { phase: last.phase, key: last.key, seen: 1 } };
}

async function walked(source: ForeignSource, from: Place | null, size: number): Promise<string> {
  let all = '';
  for (let place = from; ;) {
    const { letters, next } = await page(source, place, size);
    all += letters;
    if (next === null) return all;
    place = next;
  }
}

describe('a walk over another gateway whose rows change', () => {
  it('has what was there when it began, though an earlier walk of the same search left its cursors', async () => {
    const rows = [...OLD];
    await changing(rows, async (source) => {
      assert.equal(await walked(source, null, 1), OLD);
      rows.splice(0, rows.length, ...NEW);
      await pause(20);
      assert.equal(await walked(source, null, 5), NEW, 'nothing new is left out, and nothing comes that is gone');
    });
  });

  it('goes on, where it began earlier, in what was there then or is now', async () => {
    const rows = [...OLD];
    await changing(rows, async (source) => {
      const { letters, next } = await page(source, null, 4);
      assert.equal(letters, 'aceg');
      rows.splice(0, rows.length, ...NEW);
      await pause(20);
      assert.equal(await walked(source, null, 1), NEW);
      const rest = await walked(source, next, 3);
      assert.ok([OLD, NEW].some((all) => rest === [...all].filter((letter) => letter > 'g').join('')), rest);
    });
  });

  it('is taken up near where it stood, once that is behind the rows of one answer', async () => {
    await changing([...'abcdefghijklmnopqrstuvwxyz'], async (source, asked) => {
      assert.equal(await walked(source, null, 3), 'abcdefghijklmnopqrstuvwxyz');
      assert.ok(asked.length > 9 && asked.slice(3).every((cursor) => cursor !== 'start'), asked.join());
    });
  });
});
