import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAnswer, request } from './raw_client.ts';
import { echoPath, KINDS, pause, serving, signal } from './serving.ts';

function bodies(text: string): string[] {
  const found: string[] = [];
  for (let rest = text; rest !== '';) {
    const answer = readAnswer(rest);
    found.push(answer.body);
    rest = answer.rest;
  }
  return found;
}

for (const kind of KINDS) {
  describe(`${kind}: pipelining`, () => {
    test('requests that are answered at once are answered in order', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send(request('GET /1') + request('POST /2', { 'Content-Length': '3' }, 'abc') + request('GET /3'));
      const text = await client.until((text) => text.endsWith('/3'));
      assert.deepEqual(bodies(text), ['/1', '/2', '/3']);
    });

    test('requests that are answered after their body was read, without further waiting, are answered in order', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        const body = await exchange.readBody(10);
        exchange.answer(200, [], `${exchange.head.path}=${Buffer.from(body).toString()}`);
      });
      const client = await service.client();
      client.send(request('POST /1', { 'Content-Length': '1' }, 'a') + request('POST /2', { 'Transfer-Encoding': 'chunked' }, '1\r\nb\r\n0\r\n\r\n') + request('GET /3'));
      const text = await client.until((text) => text.endsWith('/3='));
      assert.deepEqual(bodies(text), ['/1=a', '/2=b', '/3=']);
    });

    for (const [title, apartMs] of [['in one packet', 0], ['in two packets', 30]] as const) {
      test(`${title}, while an answer is under way: answered in order or the connection closes, never left silent`, async (t) => {
        const left: string[] = [];
        const service = await serving(t, kind, async (exchange) => {
          exchange.onGone(() => { left.push(exchange.head.path); });
          await pause(exchange.head.path === '/1' ? 120 : 10);
          echoPath(exchange);
        });
        const client = await service.client();
        client.send(apartMs === 0 ? request('GET /1') + request('GET /2') : request('GET /1'));
        if (apartMs > 0) {
          await pause(apartMs);
          client.send(request('GET /2'));
        }
        const text = await client.until((text, closed) => closed || text.endsWith('/2'));
        if (client.closed) {
          // uws closes by itself before the second one runs; the handler of the first is told at once.
          assert.equal(kind, 'uws');
          assert.deepEqual([text, service.seen, left], ['', ['GET /1'], ['/1']]);
        } else assert.deepEqual(bodies(text), ['/1', '/2']);
      });
    }

    test('an answer that takes longer than the patience with readers is not cut behind another', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        if (exchange.head.path === '/2') await pause(500);
        echoPath(exchange);
      }, { bounds: { streamStallMs: 100 } });
      const client = await service.client();
      client.send(request('GET /1') + request('GET /2'));
      assert.deepEqual(bodies(await client.until((text, closed) => closed || text.endsWith('/2'))), ['/1', '/2']);
    });

    test('many requests one after the other reuse one connection', async (t) => {
      const service = await serving(t, kind, async (exchange) => { await pause(1); echoPath(exchange); });
      const client = await service.client();
      for (let at = 0; at < 20; at += 1) {
        client.send(request(`GET /${at}`));
        await client.until((text) => text.endsWith(`\r\n\r\n/${at}`));
      }
      assert.equal(service.seen.length, 20);
      assert.equal(client.closed, false);
    });

    test('a caller who asks for the connection to close gets his answer and then the close', async (t) => {
      const service = await serving(t, kind, async (exchange) => { await pause(5); echoPath(exchange); });
      const client = await service.client();
      client.send(request('GET /last', { Connection: 'close' }));
      assert.equal(readAnswer(await client.untilClosed()).body, '/last');
    });

    test('a handler that has read nothing of a small body leaves the connection fit for the next request', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send(request('POST /1', { 'Content-Length': '5' }));
      await client.untilText('\r\n\r\n/1');
      client.send('abcde');
      client.send(request('GET /2'));
      assert.deepEqual(bodies(await client.until((text) => text.endsWith('/2'))), ['/1', '/2']);
    });

    test('a request that waits behind a large answer which is not taken yet does not mix into it, and holds up no drain', async (t) => {
      const large = 'x'.repeat(10_000_000);
      const given = signal();
      const service = await serving(t, kind, async (exchange) => {
        if (exchange.head.path !== '/large') return echoPath(exchange);
        await pause(1);
        exchange.answer(200, [], large);
        return given.resolve();
      });
      const client = await service.client();
      client.socket.pause();
      client.send(request('GET /large'));
      await given.promise;
      client.send(request('GET /2'));
      await pause(30);
      client.socket.resume();
      const text = await client.until((text, closed) => closed || (text.length > large.length && text.endsWith('/2')));
      // uws cuts the answer, visibly; node answers in order.
      if (kind === 'uws') {
        const { body, complete } = readAnswer(text);
        assert.deepEqual([complete, large.startsWith(body), service.seen], [false, true, ['GET /large']]);
      } else assert.ok(bodies(text).join() === `${large},/2`, `${text.length}`);
      await service.server.drain();
      assert.deepEqual(service.faults, []);
    });

    test('a request that waits behind a stream does not mix into it', async (t) => {
      const opened = signal();
      const cut = signal();
      const service = await serving(t, kind, async (exchange) => {
        if (exchange.head.path !== '/stream') return echoPath(exchange);
        exchange.onGone(() => { cut.resolve(); });
        exchange.begin(200, []);
        await exchange.write(Buffer.from('one '));
        opened.resolve();
        await (kind === 'uws' ? cut.promise : pause(80));
        await exchange.write(Buffer.from('two'));
        return exchange.end();
      });
      const client = await service.client();
      client.send(request('GET /stream'));
      await opened.promise;
      client.send(request('GET /2'));
      const text = await client.until((text, closed) => closed || text.endsWith('/2'));
      // uws cuts the stream, visibly; node answers in order.
      if (kind === 'uws') assert.equal(readAnswer(text).complete, false);
      else assert.deepEqual(bodies(text), ['one two', '/2']);
    });

    test('a request behind one that asks for another protocol is answered as well, or the connection closes', async (t) => {
      for (const body of ['', 'ab']) {
        const service = await serving(t, kind, echoPath);
        const client = await service.client();
        client.send(request('POST /1', { 'Content-Length': String(body.length), 'Connection': 'Upgrade', 'Upgrade': 'h2c' }, body) + request('GET /2'));
        const text = await client.until((text, closed) => closed || text.endsWith('/2'));
        // The parser of node drops what it has read of the second.
        assert.deepEqual(bodies(text), kind === 'uws' ? ['/1', '/2'] : ['/1']);
        assert.equal(client.closed, kind === 'node');
      }
    });

    test('a request that asks for 100 Continue behind another is answered behind it, and nothing stands within an answer', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        const body = await exchange.readBody(10);
        exchange.answer(200, [], `${exchange.head.path}=${Buffer.from(body).toString()}`);
      });
      const client = await service.client();
      client.send(request('GET /1') + request('POST /2', { 'Content-Length': '3', 'Expect': '100-continue' }, 'abc') + request('GET /3', { Expect: '100-continue' }));
      const text = await client.until((text) => text.endsWith('/3='));
      assert.deepEqual(bodies(text.replaceAll('HTTP/1.1 100 Continue\r\n\r\n', '')), ['/1=', '/2=abc', '/3=']);
      for (const [, before] of text.matchAll(/([^]{4})HTTP\/1\.1 100 Continue/g)) assert.notEqual(before, '\r\n\r\n', 'in place of a body');
    });

    test('he who waits for 100 Continue behind an answer that is under way is told when it is given, or the connection closes', async (t) => {
      const given = signal();
      const service = await serving(t, kind, async (exchange) => {
        if (exchange.head.path === '/1') await given.promise;
        const body = await exchange.readBody(10);
        exchange.answer(200, [], `${exchange.head.path}=${Buffer.from(body).toString()}`);
      });
      const client = await service.client();
      client.send(request('GET /1') + request('POST /2', { 'Content-Length': '3', 'Expect': '100-continue' }));
      await pause(20);
      assert.equal(client.text, '');
      given.resolve();
      await client.until((text, closed) => closed || text.includes('100 Continue'));
      client.send('abc');
      const text = await client.until((text, closed) => closed || text.endsWith('/2=abc'));
      // uws closes by itself before the second one runs.
      if (kind === 'uws') assert.equal(text, '');
      else assert.deepEqual(bodies(text.replace('HTTP/1.1 100 Continue\r\n\r\n', '')), ['/1=', '/2=abc']);
    });
  });
}
