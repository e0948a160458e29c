import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../../src/config/limits.ts';
import { nextTurn } from '../../../src/lib/turns.ts';
import type { FailureCode, FoundRow, Place, Search } from '../../../src/sources/source.ts';
import { serveFindApi, serveHttp } from '../../support/servers/find_api.ts';
import { freePort } from '../../support/ports.ts';
import { ANN, BOB, END, facing, ids, lines, NDJSON, ORDERED, outcomeOf, sourceAt, WORDS } from './partner.ts';

describe('what answers over http', () => {
  it('gives its rows under the public name, in order, as this gateway writes them, though a mark of its encoding begins them', async () => {
    const found = await facing((response) => { response.writeHead(200, NDJSON).end(lines(BOB, { '@heartbeat': {} }, ANN, { '@source': {} }, '', END)); });
    assert.deepEqual([found.code, ids(found), found.rows[0]!['country'], found.rows[0]!['sources']], [null, ['partner:1', 'partner:2'], 'US', ['partner']]);
    assert.deepEqual(Object.keys(found.rows[0]!), WORDS.fields.map(({ name }) => name));
    const marked = await facing((response) => { response.writeHead(200, NDJSON).end(`\ufeff${lines(BOB, ANN, END).replaceAll('\n', '\r\n')}`); });
    assert.deepEqual([marked.code, ids(marked)], [null, ['partner:1', 'partner:2']]);
  });

  it('has failed where it ends without its last line, or with fewer rows than that tells, or says so; what came is given', async () => {
    const cut = await facing((response) => { response.writeHead(200, ORDERED).end(lines(ANN)); });
    assert.deepEqual([cut.code, ids(cut)], ['broken', ['partner:1']]);
    const short = await facing((response) => { response.writeHead(200, ORDERED).end(lines(ANN, { '@end': { returned: 2, next_cursor: null } })); });
    assert.deepEqual([short.code, ids(short)], ['broken', ['partner:1']]);
    const torn = await facing((response) => { response.writeHead(200, ORDERED); response.write(lines(ANN)); setTimeout(() => response.destroy(), 30); });
    assert.deepEqual([torn.code, ids(torn)], ['broken', ['partner:1']]);
    const textless = { toString: 1, valueOf: 1 };
    for (const [told, code, message] of [
      [{ error: 'internal', detail: 'x' }, 'broken', 'internal: x'], [{ error: textless, detail: textless }, 'refused', `${JSON.stringify(textless)}: ${JSON.stringify(textless)}`], ['gone', 'refused', 'nothing: nothing'],
      [{ error: 'constructor' }, 'refused', 'constructor: nothing'],
    ] as const) {
      const said = await facing((response) => { response.writeHead(200, ORDERED).end(lines(ANN, { '@error': told })); });
      assert.deepEqual([said.code, said.message], [code, message]);
    }
    const partial = await facing((response) => { response.writeHead(200, ORDERED).end(lines(ANN, { '@end': { returned: 1, partial: true, next_cursor: 'c' } })); });
    assert.deepEqual([partial.code, ids(partial)], ['partial', ['partner:1']]);
    for (const [told, code] of [['true', 'partial'], [1, 'partial'], [['shard 2'], 'partial'], ['false', null], [0, null], [null, null]] as const) {
      const end = { '@end': { returned: 1, partial: told, next_cursor: null } };
      assert.equal((await facing((response) => { response.writeHead(200, ORDERED).end(lines(ANN, end)); })).code, code, JSON.stringify(told));
    }
    const behind = await facing((response) => { response.writeHead(200, ORDERED).end(lines(ANN, END, BOB)); });
    assert.equal(behind.code, 'malformed');
  });

  it('loses the rows that are junk, and they are counted; too many of them, and nothing else is read', async () => {
    const found = await facing((response) => {
      const junk = [
        '{"id":', '[]', '7', { id: 'x', email: 7 }, { id: 'x', skills: 'a' },
        { id: {} }, { id: 'x', full_name: '\u0000' }, { id: 'x', full_name: '\ud800' }, { id: 'x'.repeat(300) }, { id: 'x', email: `${'x'.repeat(400)}@x.org` },
      ];
      response.writeHead(200, NDJSON).end(lines(ANN, ...junk, BOB, END));
    });
    assert.deepEqual([found.code, ids(found), found.dropped], [null, ['partner:1', 'partner:2'], 10]);
    const flood = await facing((response) => { response.writeHead(200, NDJSON).end(lines(ANN, ...Array.from({ length: 200 }, () => 'junk'), END)); });
    assert.equal(flood.code, 'malformed');
  });

  it('is malformed where it is no NDJSON, no UTF-8, compressed, or not in the order that it says', async () => {
    assert.equal((await facing((response) => { response.writeHead(200, { 'content-type': 'text/html' }).end('<html>\n</html>\n'); })).code, 'malformed');
    assert.equal((await facing((response) => { response.writeHead(200, NDJSON).end(Buffer.from([0x7b, 0xff, 0x7d, 0x0a])); })).code, 'malformed');
    assert.match((await facing((response) => { response.writeHead(200, { ...NDJSON, 'content-encoding': 'gzip' }).end(gzipSync(lines(ANN, END))); })).message, /compressed/);
    assert.equal((await facing((response) => { response.writeHead(200, ORDERED).end(lines(BOB, ANN, END)); })).code, 'malformed');
  });

  it('has given no row where it is one object and no stream, whatever that holds', async () => {
    const { rows, code, dropped } = await facing((response) => response.end(JSON.stringify({ results: [ANN, BOB], total: 2, warnings: [], errors: [] })));
    assert.deepEqual([rows, code, dropped], [[], 'broken', 1]);
  });

  it('is malformed where its cursors lead back, after however many pages, and asked no further', async () => {
    for (const type of [NDJSON, ORDERED]) {
      for (const [before, round] of [[0, 1], [0, 2], [5, 3]] as const) {
        let asked = 0;
        const { code, message } = await facing((response, _, body) => {
          asked += 1;
          const at = Number((JSON.parse(body) as { cursor?: string }).cursor ?? 0) + 1;
          response.writeHead(200, type).end(lines({ '@end': { returned: 0, partial: false, next_cursor: String(at > before + round ? at - round : at) } }));
        });
        assert.deepEqual([code, message], ['malformed', 'the cursor does not move on']);
        assert.ok(asked <= 3 * (before + round) + 2, `${asked} requests`);
      }
    }
  });

  it('is malformed where its cursors are new each time and lead to nothing new, and asked no further than through pages that might be passed over', async () => {
    const { httpRepeatedPagesMax: repeated, httpEmptyPagesMax: empty } = LIMITS;
    const cases = [[NDJSON, [BOB, ANN], repeated], [ORDERED, [ANN], repeated], [NDJSON, [], empty], [ORDERED, [], empty]] as const;
    for (const [type, page, most] of cases) {
      let asked = 0;
      const { code, message } = await facing((response) => {
        asked += 1;
        response.writeHead(200, type).end(lines(...page, { '@end': { returned: page.length, next_cursor: `page ${asked}` } }));
      });
      assert.deepEqual([code, message], ['malformed', 'its cursors lead to nothing new']);
      assert.ok(asked <= most + 3, `${asked} requests`);
    }
    const seldom = await facing((response, _, body) => {
      const page = Number((JSON.parse(body) as { cursor?: string }).cursor ?? 0);
      const rows = page % 15 === 0 ? [{ ...ANN, id: String(page) }] : page % 2 === 0 ? [{ ...ANN, id: '0' }] : [];
      response.writeHead(200, NDJSON).end(lines(...rows, { '@end': { returned: rows.length, next_cursor: page < 75 ? String(page + 1) : null } }));
    });
    assert.deepEqual([seldom.code, new Set(ids(seldom)).size], [null, 6]);
  });

  it('is malformed where what is to lead on is neither a cursor nor nothing: the rows behind it are missing, and it must not look whole', async () => {
    for (const type of [NDJSON, ORDERED]) {
      for (const next of [2, 0, true, { page: 2 }]) {
        const { code, message } = await facing((response) => { response.writeHead(200, type).end(lines(ANN, BOB, { '@end': { total: 6, returned: 2, next_cursor: next } })); });
        assert.deepEqual([code, message.startsWith('next_cursor is neither null nor a text')], ['malformed', true], JSON.stringify(next));
      }
      for (const next of [null, '', false]) {
        const { code } = await facing((response) => { response.writeHead(200, type).end(lines(ANN, BOB, { '@end': { total: 2, returned: 2, next_cursor: next } })); });
        assert.equal(code, null, JSON.stringify(next));
      }
    }
  });

  it('is read no further where a line does not end, or nothing does', async () => {
    const endless = async (piece: string, bytesMax: number): Promise<unknown> => {
      let sent = 0;
      const found = await facing((response) => {
        response.writeHead(200, NDJSON);
        const more = (): void => {
          while (!response.destroyed && sent < 1_000 * 1_048_576) {
            sent += piece.length;
            if (!response.write(piece)) return;
          }
        };
        response.on('drain', more).on('close', () => response.removeListener('drain', more));
        more();
      }, undefined, 26, AbortSignal.timeout(60_000));
      assert.ok(sent < bytesMax, `${sent} bytes were taken`);
      return found.code;
    };
    assert.equal(await endless('x'.repeat(65_536), LIMITS.httpPageBytesMax), 'malformed');
    assert.equal(await endless(lines({ '@heartbeat': { of: 'x'.repeat(65_536) } }), 2 * LIMITS.httpPageBytesMax), 'too_many');
  });

  it('is tested against every filter again, and its totals are no longer believed once it has sent what does not match', async () => {
    const search: Search = { filters: [{ kind: 'terms', name: 'country', include: ['DE'], exclude: [] }], terms: [] };
    const server = await serveHttp((request, _, response) => {
      if (request.method === 'GET') response.writeHead(404).end();
      else response.writeHead(200, NDJSON).end(lines(ANN, BOB, END));
    });
    const source = sourceAt(`http://127.0.0.1:${server.port}/v1/find`);
    try {
      const signal = AbortSignal.timeout(60_000);
      assert.deepEqual(ids(await outcomeOf(source, search, 26)), ['partner:2']);
      assert.deepEqual(await source.count(search, signal), { sure: 2, unsure: [], relation: 'lte' });
      assert.match((await source.describe(signal)).trouble!, /do not match/);
    } finally {
      await source.close();
      await server.close();
    }
  });

  it('is read from the start where a cursor of its own is stale or of what is yet to come, by its status or as the first line of a stream', async () => {
    for (const [status, code, isBegun] of [[400, 'stale_cursor', false], [400, 'stale_cursor', true], [503, 'starting', false]] as const) {
      const problem = { error: code, detail: 'gone' };
      const server = await serveHttp((request, body, response) => {
        const { cursor } = request.method === 'GET' ? { cursor: undefined } : JSON.parse(body) as { cursor?: string };
        if (request.method === 'GET') response.writeHead(200, { 'content-type': 'application/json' }).end('{"sources":[]}');
        else if (cursor === undefined) response.writeHead(200, ORDERED).end(lines(ANN, { '@cursor': 'behind ann' }, BOB, { '@end': { returned: 2, next_cursor: null } }));
        else if (isBegun) response.writeHead(200, ORDERED).end(lines({ '@error': problem }));
        else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(problem));
      });
      const source = sourceAt(`http://127.0.0.1:${server.port}/v1/find`);
      try {
        const all = { filters: [], terms: [], order: 'identity', fields: null, rowsWanted: 10 } as const;
        const read = async (from: Place | null): Promise<FoundRow[]> => {
          const rows: FoundRow[] = [];
          for await (const batch of source.rows({ ...all, from }, AbortSignal.timeout(60_000))) rows.push(...batch);
          return rows;
        };
        const [, bob] = await read(null);
        assert.deepEqual((await read({ phase: bob!.phase, key: bob!.key, seen: 0 })).map(({ key }) => key), [bob!.key]);
      } finally {
        await source.close();
        await server.close();
      }
    }
  });

  it('finds rows that come without an id by the one that they are given here, and takes the API for none that sends what it was not asked for', async () => {
    const api = await serveFindApi([{ email: 'ann@x.org' }, { email: 'bob@x.org' }]);
    const source = sourceAt(api.url);
    const NOW = AbortSignal.timeout(60_000);
    const byId = (change: object): Search => ({ filters: [{ kind: 'terms', name: 'id', include: null, exclude: [], ...change }], terms: [] });
    const found = async (search: Search): Promise<unknown[]> => (await outcomeOf(source, search, null, NOW)).rows.map(({ email }) => email);
    try {
      const [ann] = (await outcomeOf(source, { filters: [], terms: [] }, null, NOW)).rows;
      assert.deepEqual(await found(byId({ include: [ann!['id']] })), ['ann@x.org']);
      assert.deepEqual(await found(byId({ exclude: [ann!['id']] })), ['bob@x.org']);
      assert.equal((await source.count(byId({ exclude: [ann!['id']] }), NOW)).sure, 1);
      const { filters, trouble } = await source.describe(NOW);
      assert.deepEqual([filters['id'], trouble], ['residual', null]);
    } finally {
      await source.close();
      await api.close();
    }
  });

  it('fails by its status, in a way that the log can tell and the answer need not', async () => {
    const table: readonly (readonly [number, FailureCode])[] = [[301, 'refused'], [302, 'refused'], [307, 'refused'], [400, 'refused'], [401, 'unreachable'], [403, 'refused'], [404, 'refused'],
      [413, 'refused'], [429, 'overloaded'], [500, 'broken'], [502, 'unreachable'], [503, 'overloaded'], [504, 'broken'], [508, 'looped'], [204, 'malformed']];
    for (const [status, code] of table) {
      let asked = 0;
      const found = await facing((response) => {
        asked += 1;
        response.writeHead(status, { location: '/elsewhere' }).end(status === 204 ? '' : '{"error":"x"}');
      });
      assert.deepEqual([found.code, asked], [code, 1], String(status));
      assert.match(found.message, new RegExp(`^HTTP ${status}`));
    }
  });

  it('is unreachable where nobody listens and where its certificate is not to be trusted', async () => {
    const gone = sourceAt(`http://127.0.0.1:${await freePort()}/v1/find`);
    assert.equal((await outcomeOf(gone, { filters: [], terms: [] }, null)).code, 'unreachable');
    await gone.close();
    // Without a certificate no handshake comes about.
    const tls = createTlsServer({}, (_, response) => response.end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => { tls.once('listening', resolve); });
    const secret = sourceAt(`https://127.0.0.1:${(tls.address() as AddressInfo).port}/v1/find`);
    assert.equal((await outcomeOf(secret, { filters: [], terms: [] }, null)).code, 'unreachable');
    await secret.close();
    tls.close();
  });

  it('is told who asks, and by whom the search has come; its connection is closed when nobody waits any more', async () => {
    let closed = (): void => {};
    const over = new Promise<void>((resolve) => { closed = resolve; });
    const heard: IncomingMessage['headers'][] = [];
    const controller = new AbortController();
    const server = await serveHttp((request, _, response) => {
      if (request.method === 'GET') response.writeHead(404).end();
      else if (heard.push(request.headers) === 1) response.writeHead(200, NDJSON).end(lines(ANN, END));
      else {
        response.on('close', closed);
        // What has left is read in one of the next turns.
        response.writeHead(200, ORDERED).write(lines(ANN), async () => {
          for (let turn = 0; turn < 200; turn += 1) await nextTurn();
          controller.abort();
        });
      }
    });
    const source = sourceAt(`http://127.0.0.1:${server.port}/v1/find`);
    try {
      const found = await outcomeOf(source, { filters: [], terms: [], hops: ['a', 'b'] }, 26, controller.signal);
      assert.deepEqual([found.code, ids(found)], ['broken', ['partner:1']]);
      await over;
      assert.deepEqual([heard[1]!['authorization'], heard[1]!['x-lds-hops'], heard[1]!['accept-encoding']], ['Bearer secret-9', 'a,b', 'identity']);
    } finally {
      await source.close();
      await server.close();
    }
  });
});
