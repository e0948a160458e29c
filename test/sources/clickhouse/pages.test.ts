import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Row } from '../../../src/model/field.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import type { ForeignSource, RowsRequest } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { rowsOf, walkedOf } from '../../contract/sources/odd_texts.ts';
import { ChdbServer } from '../../support/servers/chdb.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { QUERY_LOG } from '../../support/servers/clickhouse_cluster.ts';
import { until } from '../../support/until.ts';

const ROWS = 40_000;
const HEADLINE_CHARACTERS = 500;
const PAGE_ROWS = 5;
/** How the second statement of a page names its rows. */
const BY_KEYS = 'PREWHERE `id` IN (';

/** A server asked through a door where something happens just before the rows of a page are read by their keys. */
class Door {
  readonly url: string;
  meanwhile: () => Promise<void> = async () => {};
  readonly statements: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://default:secret@127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open({ port }: ClickhouseServer): Promise<Door> {
    let door: Door;
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const statement = Buffer.concat(pieces).toString();
      if (statement.includes('ORDER BY')) door.statements.push(statement);
      if (statement.includes(BY_KEYS)) await door.meanwhile();
      const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, { method: 'POST', body: statement, headers: { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'secret' } });
      const text = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, { 'content-length': text.length }).end(text);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => { server.once('listening', resolve); });
    door = new Door(server);
    return door;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => { this.#server.close(resolve); });
  }
}

describe('a page of a clickhouse table', { skip: NO_CLICKHOUSE }, () => {
  let server: ClickhouseServer;
  let door: Door;
  before(async () => {
    server = await ClickhouseServer.start({ config: QUERY_LOG, profile: '<log_queries>1</log_queries>' });
    door = await Door.open(server);
  }, { timeout: 180_000 });
  after(async () => {
    await door.close();
    await server.stop();
  });

  function opened(table: string): ForeignSource {
    door.statements.length = 0;
    return openClickhouse({
      vocabulary: vocabulary('contacts'),
      config: { name: 'crm', dataset: 'contacts', kind: 'clickhouse', url: door.url, table: `default.${table}`, columns: {}, compared: {}, connect_timeout_ms: 10_000 },
    });
  }

  /** The first page of a table, which is let go once it is full. */
  async function pageOf(source: ForeignSource, order: RowsRequest['order'] = 'stored'): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const batch of source.rows({ filters: [], terms: [], order, from: null, fields: null, rowsWanted: PAGE_ROWS }, new AbortController().signal)) {
      rows.push(...batch.map(({ json }) => readRow(json)));
      if (rows.length >= PAGE_ROWS) break;
    }
    return rows.slice(0, PAGE_ROWS);
  }

  for (const [type, id] of [['UInt64', 'number'], ['String', "concat('p', toString(number + 1000000))"]] as const) {
    it(`has all else than the keys read of its own rows alone, by a key of ${type}`, async () => {
      const table = `wide_${type}`;
      await server.query(`CREATE TABLE ${table} (id ${type}, headline String) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 64`);
      await server.query(`INSERT INTO ${table} SELECT ${id}, '${'x'.repeat(HEADLINE_CHARACTERS)}' FROM system.numbers LIMIT ${ROWS}`);
      const source = opened(table);
      try {
        const rows = await pageOf(source);
        assert.deepEqual(rows.map((row) => String(row['headline']).length), Array.from({ length: PAGE_ROWS }, () => HEADLINE_CHARACTERS));
        const read = `SELECT read_bytes FROM system.query_log WHERE type = 2 AND position(query, 'f:headline') > 0 AND position(query, '\`${table}\`') > 0 AND position(query, 'query_log') = 0`;
        let bytes: number[] = [];
        await until(async () => {
          bytes = (await server.query(read).catch(() => '')).split('\n').filter((line) => line !== '').map(Number);
          return bytes.length > 0;
        });
        assert.equal(bytes.length, 1);
        assert.ok(bytes[0]! < ROWS * HEADLINE_CHARACTERS / 10, `${bytes[0]} bytes were read of ${ROWS * HEADLINE_CHARACTERS}`);
      } finally {
        await source.close();
      }
    });
  }

  async function refill(rows: string): Promise<void> {
    await server.query('DROP TABLE IF EXISTS moving');
    await server.query('CREATE TABLE moving (id UInt64, email String, headline String) ENGINE = MergeTree ORDER BY id');
    await server.query(`INSERT INTO moving VALUES ${rows}`);
  }

  const people = (change: (id: number) => string | null): string => Array.from({ length: 12 }, (_, id) => change(id)).filter((row) => row !== null).join(', ');
  const asBefore = (id: number): string => `(${id}, 'p${String(id).padStart(2, '0')}@x.org', 'before')`;
  const isEarly = (id: number): boolean => id >= 1 && id <= 3;
  const CHANGES: Readonly<Record<string, (id: number) => string | null>> = {
    'rows went': (id) => (isEarly(id) ? null : asBefore(id)),
    'rows moved behind the page': (id) => (isEarly(id) ? `(${id}, 'z${id}@x.org', 'after')` : asBefore(id)),
    'all rows went': () => null,
    'rows came twice': (id) => (isEarly(id) ? `${asBefore(id)}, ${asBefore(id).replace('before', 'twice')}` : asBefore(id)),
  };

  for (const [what, change] of Object.entries(CHANGES)) {
    for (const order of ['stored', 'identity'] as const) {
      it(`is as the table is now where ${what} once its keys were found, in the order ${order}`, async () => {
        await refill(people(asBefore));
        door.meanwhile = async () => {
          door.meanwhile = async () => {};
          const rows = people(change);
          await refill(rows === '' ? "(99, 'other@x.org', 'other')" : rows);
        };
        const source = opened('moving');
        try {
          const page = await pageOf(source, order);
          const all = (await rowsOf(source, { order })).map(({ json }) => readRow(json));
          assert.deepEqual(page, all.slice(0, PAGE_ROWS));
        } finally {
          await source.close();
        }
      });
    }
  }

  it('takes no row for another whose key is what the bytes of the first are read as', async () => {
    await server.query('CREATE TABLE bytewise (id String, email String) ENGINE = MergeTree ORDER BY id');
    await server.query(`INSERT INTO bytewise SELECT unhex(h), 'p@x.org' FROM (SELECT arrayJoin(['61', '62', '63', '64', 'c328', 'efbfbd28']) AS h)`);
    const source = opened('bytewise');
    try {
      const all = (await rowsOf(source, { order: 'identity' })).map(({ json }) => readRow(json));
      assert.equal(new Set(all.map(({ id }) => id)).size, PAGE_ROWS + 1);
      assert.deepEqual(await pageOf(source, 'identity'), all.slice(0, PAGE_ROWS));
    } finally {
      await source.close();
    }
  });

  it('of a view is one statement, once that has been found out', async () => {
    await refill(people(asBefore));
    await server.query('CREATE VIEW shown AS SELECT * FROM default.moving');
    const source = opened('shown');
    try {
      const first = await pageOf(source);
      assert.deepEqual(door.statements.map((statement) => statement.includes(BY_KEYS)), [false, true, false]);
      door.statements.length = 0;
      assert.deepEqual([await pageOf(source), first.length], [first, PAGE_ROWS]);
      assert.equal(door.statements.length, 1);
    } finally {
      await source.close();
    }
  });

  it('of a table at rest is two statements, and one where nothing matches', async () => {
    await refill(people(asBefore));
    const source = opened('moving');
    try {
      await pageOf(source);
      assert.deepEqual(door.statements.map((statement) => statement.includes(BY_KEYS)), [false, true]);
      door.statements.length = 0;
      assert.deepEqual(await rowsOf(source, { rowsWanted: PAGE_ROWS, filters: [{ kind: 'terms', name: 'id', include: ['crm:77'], exclude: [] }] }), []);
      assert.equal(door.statements.length, 1);
    } finally {
      await source.close();
    }
  });
});

describe('a view of clickhouse 26', () => {
  it('is walked, though no part of it can be read before the rest', async () => {
    const server = await ChdbServer.start();
    const source = openClickhouse({
      vocabulary: vocabulary('contacts'),
      config: { name: 'crm', dataset: 'contacts', kind: 'clickhouse', url: server.url, table: 'default.shown', columns: {}, compared: {}, connect_timeout_ms: 10_000 },
    });
    try {
      server.query("CREATE TABLE people ENGINE = MergeTree ORDER BY id AS SELECT number AS id, concat('p', toString(number % 7), '@x.org') AS email FROM system.numbers LIMIT 20");
      server.query('CREATE VIEW shown AS SELECT * FROM default.people');
      for (const order of ['stored', 'identity'] as const) {
        const walked = await walkedOf(source, order);
        assert.deepEqual([walked.length, walked.map(({ json }) => json)], [20, (await rowsOf(source, { order })).map(({ json }) => json)]);
      }
    } finally {
      await source.close();
      await server.stop();
    }
  });
});
