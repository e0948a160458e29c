import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { streamPlaces } from '../../src/federation/gate.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { RunningService } from './service.ts';

const PLACES = 4;
const STREAMS = PLACES + 1;
/** So many and so wide that a stream of them fits in no buffer on its way. */
const ROWS = 10_000;
const ALL = { type: 'contacts', sources: { only: ['registry'] } };

describe('a source all of whose places streams would take', { skip: NO_POSTGRES, timeout: 300_000 }, () => {
  let server: PostgresServer;
  let service: RunningService;
  before(async () => {
    server = await PostgresServer.start();
    await server.query('CREATE TABLE people (id bigint PRIMARY KEY, email text, country text, headline text)');
    await server.query(`INSERT INTO people SELECT i, 'p' || i || '@x.org', 'US', repeat('word ', 800) FROM generate_series(1, ${ROWS}) i`);
    const folder = await mkdtemp(join(tmpdir(), 'lds-held-'));
    const config = join(folder, 'config.yaml');
    await writeFile(config, `sources:\n  - { name: registry, dataset: contacts, kind: postgres, url: "${server.url}", table: people, concurrency: ${PLACES} }\n`);
    service = await RunningService.start({ LDS_CONFIG: config, LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn' }, folder);
    await until(async () => (await service.find({ ...ALL, limit: 1 })).json.returned === 1, 20_000);
  });
  after(async () => {
    await service.stop();
    await server.stop();
  });

  it('answers pages whole while readers hold more streams than there are places, and ends every stream once they read', async () => {
    const begun: boolean[] = Array.from({ length: STREAMS }, () => false);
    let letRead = (): void => {};
    const reading = new Promise<void>((resolve) => { letRead = resolve; });
    const streams = begun.map(async (_, at) => {
      const answer = await fetch(`${service.url}/v1/find`, {
        method: 'POST', headers: { authorization: `Bearer ${service.key}`, accept: 'application/x-ndjson' }, body: JSON.stringify({ ...ALL, count: 'none' }),
      });
      const reader = answer.body!.getReader();
      let lines = 0;
      let tail: Buffer = Buffer.alloc(0);
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const piece = Buffer.from(next.value);
        for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', end + 1)) lines += 1;
        tail = Buffer.concat([tail, piece]).subarray(-4_000);
        if (!piece.includes('word')) continue;
        begun[at] = true;
        await reading;
      }
      return { lines, end: tail.toString().trimEnd().split('\n').at(-1)! };
    });

    await until(() => begun.filter(Boolean).length >= streamPlaces(PLACES), 20_000, 'that the streams begin');
    for (let page = 0; page < 5; page += 1) {
      const { status, json } = await service.find({ ...ALL, limit: 5, filters: { id: ['registry:7', `registry:${page + 100}`] }, timeout_ms: 5_000 });
      assert.deepEqual([status, json.returned, json.total, json.partial], [200, 2, 2, false]);
    }
    assert.equal(begun.filter(Boolean).length, streamPlaces(PLACES), 'a stream took a place that is kept for pages');

    letRead();
    for (const { lines, end } of await Promise.all(streams)) {
      assert.match(end, /^\{"@end":/);
      assert.ok(lines > ROWS);
      assert.deepEqual([JSON.parse(end)['@end'].returned, JSON.parse(end)['@end'].partial], [ROWS, false]);
    }
  });
});
