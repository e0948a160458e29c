import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import type { Exchange } from '../../../src/http/exchange.ts';
import { monotonicMs } from '../../../src/lib/clock.ts';
import { readAnswer, request, type RawClient } from './raw_client.ts';
import { KINDS, pause, serving, signal } from './serving.ts';

/** Answers what it read: the bytes' count, or why there are none. */
async function measure(exchange: Exchange): Promise<void> {
  const body = await exchange.readBody(LIMITS.bodyBytesMax);
  if (body === 'too_large') exchange.answer(413, [], '{"error":"payload_too_large"}');
  else if (body !== 'gone') exchange.answer(200, [], String(body.byteLength));
}

async function upload(client: RawClient, bytes: number, chunked: boolean): Promise<void> {
  const data = Buffer.alloc(bytes, 'x');
  if (!chunked) {
    client.send(request('POST /', { 'Content-Length': String(bytes) }));
    client.send(data);
    return;
  }
  client.send(request('POST /', { 'Transfer-Encoding': 'chunked' }));
  for (let at = 0; at < bytes; at += 100_000) {
    const piece = data.subarray(at, at + 100_000);
    client.send(`${piece.byteLength.toString(16)}\r\n`);
    client.send(piece);
    client.send('\r\n');
  }
  client.send('0\r\n\r\n');
}

const NEVER_MS = 3_600_000;

const whole = (text: string): boolean => text.includes('\r\n\r\n') && readAnswer(text).complete;

for (const kind of KINDS) {
  describe(`${kind}: bodies`, () => {
    for (const chunked of [false, true]) {
      const how = chunked ? 'without Content-Length' : 'with Content-Length';

      test(`1,048,576 bytes ${how} are read`, async (t) => {
        const service = await serving(t, kind, measure);
        const client = await service.client();
        await upload(client, 1_048_576, chunked);
        assert.equal(readAnswer(await client.until(whole)).body, '1048576');
      });

      test(`1,048,577 bytes ${how} are too large, and the caller who sends them all gets to read it`, async (t) => {
        const service = await serving(t, kind, measure);
        const client = await service.client();
        await upload(client, 1_048_577, chunked);
        const answer = readAnswer(await client.until(whole));
        assert.equal(answer.status, 413);
        assert.deepEqual(JSON.parse(answer.body), { error: 'payload_too_large' });
        await client.untilClosed();
      });

      test(`a body sent byte by byte ${how} is read whole`, async (t) => {
        const service = await serving(t, kind, async (exchange) => { exchange.answer(200, [], Buffer.from(await exchange.readBody(100))); });
        const client = await service.client();
        // The request line goes in one piece: cut in two, the build of uws for Node 20 answers 505 by itself.
        client.send('POST / HTTP/1.1\r\n');
        const length = chunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 12';
        const body = chunked ? '7\r\nHello, \r\n5\r\nworld\r\n0\r\n\r\n' : 'Hello, world';
        for (const byte of `Host: service\r\n${length}\r\n\r\n${body}`) {
          client.send(byte);
          await pause(1);
        }
        assert.equal(readAnswer(await client.until(whole)).body, 'Hello, world');
      });
    }

    test('chunked is the same word in capitals', async (t) => {
      const service = await serving(t, kind, measure);
      for (const word of ['Chunked', 'CHUNKED']) {
        const client = await service.client();
        client.send(request('POST /', { 'Transfer-Encoding': word }, '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'));
        assert.equal(readAnswer(await client.until(whole)).body, '5', word);
      }
    });

    test('a declared length over the bound is answered at once, before any of it is sent', async (t) => {
      for (const bodyDropMsMax of [NEVER_MS, 150]) {
        const service = await serving(t, kind, measure, { bounds: { bodyDropMsMax } });
        const client = await service.client();
        client.send(request('POST /', { 'Content-Length': '9999999999' }));
        const answer = readAnswer(await client.until(whole));
        assert.equal(answer.status, 413);
        assert.equal(answer.headers.get('connection'), 'close');
        if (bodyDropMsMax !== NEVER_MS) await client.untilClosed();
        assert.equal(client.text.length, answer.body.length + client.text.indexOf('\r\n\r\n') + 4, 'nothing may follow the answer');
      }
    });

    test('what is dropped of a body that is too large is bounded in bytes', async (t) => {
      const service = await serving(t, kind, measure, { bounds: { bodyDropBytesMax: 200_000, bodyDropMsMax: NEVER_MS } });
      const client = await service.client();
      client.send(request('POST /', { 'Content-Length': '9999999' }));
      await client.until(whole);
      for (let sent = 0; sent < 3_000_000 && !client.closed; sent += 100_000) {
        client.send(Buffer.alloc(100_000));
        await pause(2);
      }
      await client.untilClosed();
    });

    test('a request that follows a body that is too large never runs', async (t) => {
      const service = await serving(t, kind, measure);
      const client = await service.client();
      client.send(request('POST /', { 'Content-Length': '1048577' }));
      client.send(Buffer.alloc(1_048_577, 'x'));
      client.send(request('GET /next'));
      await client.untilClosed();
      assert.deepEqual(service.seen, ['POST /']);
    });

    test('an answer that comes before a body of unknown length is read bounds what is still taken', async (t) => {
      const service = await serving(t, kind, (exchange) => { exchange.answer(401, [], 'no'); }, { bounds: { bodyDropMsMax: 100 } });
      const client = await service.client();
      client.send(request('POST /', { 'Transfer-Encoding': 'chunked' }, '3\r\nabc\r\n'));
      assert.equal(readAnswer(await client.until(whole)).body.trim(), 'no');
      await client.untilClosed();
    });

    test('so does one that has no body itself', async (t) => {
      const service = await serving(t, kind, (exchange) => { exchange.answer(204, [['Allow', 'POST']], ''); }, { bounds: { bodyDropMsMax: 100 } });
      const client = await service.client();
      client.send(request('OPTIONS /', { 'Transfer-Encoding': 'chunked' }, '3\r\nabc\r\n'));
      const text = await client.untilClosed();
      assert.match(text, /^HTTP\/1\.1 204 No Content\r\n/);
      assert.ok(text.endsWith('\r\n\r\n') && !/content-length/i.test(text), text);
    });

    test('a body that arrived while the handler waited for something else is not lost', async (t) => {
      const service = await serving(t, kind, async (exchange) => { await pause(50); await measure(exchange); });
      const client = await service.client();
      client.send(request('POST /', { 'Content-Length': '5' }, 'abcde'));
      assert.equal(readAnswer(await client.until(whole)).body, '5');
    });

    test('an earlier body is not overwritten by a later one', async (t) => {
      const kept: Uint8Array[] = [];
      const service = await serving(t, kind, async (exchange) => {
        const body = await exchange.readBody(100);
        if (typeof body !== 'string') kept.push(body);
        exchange.answer(200, [], 'ok');
      });
      for (const text of ['first body', 'other body']) {
        const client = await service.client();
        client.send(request('POST /', { 'Content-Length': '10' }, text));
        await client.until(whole);
      }
      assert.deepEqual(kept.map((body) => Buffer.from(body).toString()), ['first body', 'other body']);
    });

    test('a body that is asked for after its answer is gone, and holds nothing up', async (t) => {
      const read = signal<unknown>();
      const service = await serving(t, kind, async (exchange) => {
        exchange.answer(200, [], 'early');
        read.resolve(await exchange.readBody(100));
      });
      const client = await service.client();
      client.send(request('POST /', { 'Content-Length': '5' }));
      await client.until(whole);
      assert.equal(await read.promise, 'gone');
    });

    test('no body at all is an empty one', async (t) => {
      const service = await serving(t, kind, measure);
      const client = await service.client();
      client.send(request('POST /'));
      assert.equal(readAnswer(await client.until(whole)).body, '0');
    });

    test('a body that makes no progress is cut, and its handler is told', async (t) => {
      const told = signal<string>();
      const service = await serving(t, kind, async (exchange) => {
        const body = await exchange.readBody(100);
        told.resolve(typeof body === 'string' ? body : 'read');
      }, { bounds: { bodyStallMs: 120 } });
      const client = await service.client();
      const startMs = monotonicMs();
      client.send(request('POST /', { 'Content-Length': '10' }, 'abc'));
      await client.untilClosed();
      assert.ok(monotonicMs() - startMs >= 110, 'cut before its time');
      assert.equal(await told.promise, 'gone');
      assert.deepEqual(service.faults, []);
    });

    for (const [how, header, drop] of [['with', { 'Content-Length': '99999' }, 'x'], ['without', { 'Transfer-Encoding': 'chunked' }, '1\r\nx\r\n']] as const) {
      test(`a body ${how} Content-Length that drips is cut like one that makes no progress, and its handler is told`, async (t) => {
        const told = signal<string>();
        const service = await serving(t, kind, async (exchange) => {
          const body = await exchange.readBody(100_000);
          told.resolve(typeof body === 'string' ? body : 'read');
        }, { bounds: { bodyStallMs: 120 } });
        const client = await service.client();
        client.send(request('POST /', header));
        for (let drops = 0; drops < 200 && !client.closed; drops += 1) {
          client.send(drop);
          await pause(10);
        }
        assert.ok(client.closed, 'it dripped for longer than its time');
        assert.equal(await told.promise, 'gone');
        assert.deepEqual(service.faults, []);
      });
    }

    // Where nobody waits for the body, uws has a patience of its own: some 10 s.
    if (kind === 'node') {
      test('what is left of a small body is not read for ever for the sake of the next request', async (t) => {
        const service = await serving(t, kind, (exchange) => { exchange.answer(401, [], 'no'); }, { bounds: { bodyStallMs: 120 } });
        const client = await service.client();
        client.send(request('POST /', { 'Content-Length': '99999' }));
        for (let drops = 0; drops < 200 && !client.closed; drops += 1) {
          client.send('x');
          await pause(10);
        }
        assert.ok(client.closed, 'it dripped for longer than its time');
        assert.equal(readAnswer(client.text).body, 'no');
      });
    }

    test('a slow body that makes progress is read', async (t) => {
      const service = await serving(t, kind, measure, { bounds: { bodyStallMs: 1_200, bodyPaceBytes: 1 } });
      const client = await service.client();
      client.send(request('POST /', { 'Content-Length': '8' }));
      // The patience is longer than a busy machine holds either side up, and over before the last has come.
      for (let at = 0; at < 8; at += 1) {
        await pause(200);
        client.send('x');
      }
      assert.equal(readAnswer(await client.until(whole)).body, '8');
    });

    test('a caller who waits for 100 Continue is told to go on', async (t) => {
      const service = await serving(t, kind, measure);
      const client = await service.client();
      client.send(request('POST /', { 'Content-Length': '3', 'Expect': '100-continue' }));
      await client.untilText('HTTP/1.1 100 Continue\r\n\r\n');
      client.send('abc');
      await client.until((text) => text.includes(' 200 ') && text.endsWith('\r\n\r\n3'));
    });
  });
}
