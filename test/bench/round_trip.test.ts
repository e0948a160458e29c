import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { FarEnd, makeTripMemory, NearEnd, TRIPS_MAX } from '../../bench/support/round_trip.ts';
import { startRoundTrip, type PostTarget } from '../../bench/support/targets.ts';
import { folderOf } from '../support/folder.ts';
import { WITHOUT_NATIVE } from '../support/http_kinds.ts';
import { until } from '../support/until.ts';

describe('the ends of a round trip', () => {
  test('no more are under way than there are trays, and each comes back with its own page', () => {
    const memory = makeTripMemory(8);
    const { port1, port2 } = new MessageChannel();
    const back: [number, string][] = [];
    const near = new NearEnd<number>(memory, (traveller, page) => { back.push([traveller, page.toString()]); });
    const far = new FarEnd(memory, port2);
    for (let round = 0; round < 3; round++) {
      for (let one = 0; one < TRIPS_MAX; one++) assert.equal(near.send(one), true);
      assert.equal(near.send(TRIPS_MAX), false);
      for (let one = 0; one < TRIPS_MAX; one++) {
        far.next().write(String(one).padEnd(8));
        far.done();
      }
      near.look();
      assert.deepEqual(back.splice(0), Array.from({ length: TRIPS_MAX }, (_, one) => [one, String(one).padEnd(8)]));
    }
    port1.close();
  });

  test('who sleeps is told by a message, and who is awake is not', async () => {
    const memory = makeTripMemory(8);
    const { port1, port2 } = new MessageChannel();
    let [pings, back] = [0, 0];
    const near = new NearEnd<null>(memory, () => { back += 1; });
    const far = new FarEnd(memory, port2);
    port1.on('message', () => { pings += 1; near.look(); });
    const turns = async (): Promise<void> => { for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => { setImmediate(resolve); }); };

    near.send(null);
    await turns();
    assert.equal(back, 0);
    far.next();
    far.done();
    await once(port1, 'message');
    assert.deepEqual([pings, back], [1, 1]);

    for (let one = 0; one < 8; one++) near.send(null);
    for (let one = 0; one < 8; one++) {
      far.next();
      far.done();
    }
    await turns();
    assert.deepEqual([pings, back], [1, 9]);
    port1.close();
  });
});

describe('the server of round trips', { skip: WITHOUT_NATIVE }, () => {
  const PAGE_BYTES = 1_000;
  const PAGE_ROWS = 10;
  const folder = folderOf({ after });
  const contents = ['a', 'b'].map((letter) => Array.from({ length: 10_000 }, (_, at) => `${letter}${String(at).padStart(6, '0')}`).join(''));
  let server: PostTarget;

  before(async () => {
    const files = contents.map((content, at) => {
      const file = join(folder, `${at}.rows`);
      writeFileSync(file, content);
      return file;
    });
    server = await startRoundTrip(PAGE_BYTES, PAGE_ROWS, files);
  });
  after(() => server.stop());

  const post = (body: string): Promise<Response> => fetch(server.find, { method: 'POST', headers: { authorization: 'Bearer key' }, body });

  const statusOf = async (body: string): Promise<number> => {
    const answer = await post(body);
    await answer.arrayBuffer();
    return answer.status;
  };

  test('a page is rows from places in all of the files', async () => {
    const rows: string[] = [];
    for (let page = 0; page < 10; page++) {
      const answer = await post('{"type":"contacts"}');
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json']);
      assert.match(answer.headers.get('x-request-id')!, /^\d+$/);
      const text = await answer.text();
      assert.equal(text.length, PAGE_BYTES);
      for (let at = 0; at < text.length; at += PAGE_BYTES / PAGE_ROWS) rows.push(text.slice(at, at + PAGE_BYTES / PAGE_ROWS));
    }
    const of = contents.map((content) => rows.filter((row) => content.includes(row)).length);
    assert.equal(of[0]! + of[1]!, rows.length);
    assert.ok(of[0]! > 10 && of[1]! > 10, of.join());
    assert.equal(new Set(rows).size, rows.length);
  });

  test('a body may come in pieces, and one that is too long ends its connection', async () => {
    const pieces = await connected();
    pieces.write(headOf(19));
    pieces.write('{"type":');
    await new Promise((resolve) => { setTimeout(resolve, 50); });
    pieces.write('"contacts"}');
    const [answer] = await once(pieces, 'data') as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1.1 200 OK/);
    pieces.destroy();

    const long = await connected();
    long.on('error', () => {});
    long.write(headOf(1_000_000) + ' '.repeat(100_000));
    await once(long, 'close');
  });

  test('callers that go away before their answer leave their trays to others', async () => {
    for (let round = 0; round < 3; round++) {
      const gone = await Promise.all(Array.from({ length: TRIPS_MAX / 2 }, connected));
      for (const socket of gone) {
        socket.write(`${headOf(2)}{}`);
        socket.resetAndDestroy();
      }
      await Promise.all(gone.map((socket) => socket.closed || once(socket, 'close')));
    }
    // Pages come back in the order in which they were asked for: behind one that came all that were asked for before have.
    await until(async () => await statusOf('{}') === 200);
    const statuses = await Promise.all(Array.from({ length: TRIPS_MAX / 2 }, () => statusOf('{}')));
    assert.deepEqual([...new Set(statuses)], [200]);
  });

  const headOf = (bytes: number): string => `POST /v1/find HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer key\r\ncontent-length: ${bytes}\r\n\r\n`;

  async function connected(): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), noDelay: true });
    await once(socket, 'connect');
    return socket;
  }
});
