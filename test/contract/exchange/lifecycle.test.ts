import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import type { ExchangeBounds } from '../../../src/http/exchange.ts';
import { listenHttp } from '../../../src/http/listen.ts';
import { monotonicMs } from '../../../src/lib/clock.ts';
import { within } from '../../../src/lib/within.ts';
import { RawClient, readAnswer, request } from './raw_client.ts';
import { echoPath, KINDS, pause, serving, signal, type Serving } from './serving.ts';

for (const kind of KINDS) {
  describe(`${kind}: lifecycle`, () => {
    for (const taker of KINDS) {
      test(`a port that ${taker} already listens on is refused with an error that names it`, async (t) => {
        const first = await serving(t, taker, echoPath);
        await assert.rejects(listenHttp(kind, { host: '127.0.0.1', port: first.port }, echoPath), (error: Error) => error.message.includes(`127.0.0.1:${first.port}`));
        const client = await first.client();
        client.send(request('GET /still'));
        await client.untilText('\r\n\r\n/still');
      });
    }

    test('an address of another machine is refused with an error that names it', async () => {
      await assert.rejects(listenHttp(kind, { host: '192.0.2.1', port: 0 }, echoPath), /192\.0\.2\.1/);
    });

    test('draining lets a running answer finish, says that the connection closes, and closes it', async (t) => {
      const started = signal();
      const finish = signal();
      const service = await serving(t, kind, async (exchange) => { started.resolve(); await finish.promise; echoPath(exchange); });
      const client = await service.client();
      client.send(request('GET /running'));
      await started.promise;
      const drained = service.server.drain();
      await pause(20);
      finish.resolve();
      const answer = readAnswer(await client.untilClosed());
      assert.deepEqual([answer.status, answer.body, answer.headers.get('connection')], [200, '/running', 'close']);
      await drained;
    });

    for (const method of ['HEAD', 'GET']) {
      test(`while draining the answer to ${method} says that the connection closes, also where it has no body`, async (t) => {
        const started = signal();
        const service = await serving(t, kind, async (exchange) => {
          started.resolve();
          await pause(50);
          exchange.answer(method === 'HEAD' ? 200 : 204, [], 'x');
        });
        const client = await service.client();
        client.send(request(`${method} /`));
        await started.promise;
        const drained = service.server.drain();
        assert.match(await client.untilText('\r\n\r\n'), /\r\nConnection: close\r\n/i);
        await drained;
        await client.untilClosed();
      });
    }

    test('beyond so many connections others are closed and told of, until one of those ends', async (t) => {
      let crowded = 0;
      const service = await serving(t, kind, echoPath, { connectionsMax: 2, onCrowded: () => { crowded += 1; } });
      const [first, second, third] = [await service.client(), await service.client(), await service.client()];
      assert.equal(await third.untilClosed(), '');
      assert.equal(crowded, 1);
      for (const client of [first, second]) {
        client.send(request('GET /inside'));
        await client.untilText('\r\n\r\n/inside');
      }
      first.leave();
      for (;;) {
        const next = await service.client();
        next.send(request('GET /next'));
        if ((await next.until((text, closed) => closed || text.includes('\r\n\r\n/next'))) !== '') break;
      }
      assert.deepEqual(service.seen, ['GET /inside', 'GET /inside', 'GET /next']);
    });

    for (const [what, sent] of [['no request', 'nonsense\r\n\r\n'], ['a request of another version', 'GET / HTTP/1.0\r\n\r\n'], ['a request without a Host', 'GET / HTTP/1.1\r\n\r\n']]) {
      test(`who sends ${what}, and leaves his side open when he is answered, keeps nobody else out`, async (t) => {
        const service = await serving(t, kind, echoPath, { connectionsMax: 1, bounds: { bodyDropMsMax: 50 } });
        const stays = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
        t.after(() => { stays.destroy(); });
        stays.on('error', () => {});
        stays.write(sent!);
        stays.resume();
        await once(stays, 'end');
        for (const untilMs = monotonicMs() + LIMITS.streamStallMs; ; await pause(10)) {
          assert.ok(monotonicMs() < untilMs, 'his connection still counts');
          const next = await service.client();
          next.send(request('GET /next'));
          if ((await next.until((text, closed) => closed || text.includes('\r\n\r\n/next'))) !== '') break;
        }
      });
    }

    test('draining takes no new connection, also while an answer is waited for, and closes those that are idle', async (t) => {
      const finish = signal();
      const service = await serving(t, kind, async (exchange) => {
        if (exchange.head.path === '/held') await finish.promise;
        echoPath(exchange);
      });
      const [idle, silent, held] = [await service.client(), await service.client(), await service.client()];
      idle.send(request('GET /'));
      await idle.untilText('\r\n\r\n/');
      held.send(request('GET /held'));
      while (service.seen.length < 2) await pause(5);
      const drained = service.server.drain();
      const untilMs = monotonicMs() + 5 * LIMITS.drainTakeMs;
      await assert.rejects(async () => {
        for (; monotonicMs() < untilMs; await pause(20)) (await RawClient.connect(service.port)).leave();
      }, { code: 'ECONNREFUSED' });
      finish.resolve();
      assert.equal(readAnswer(await held.untilClosed()).body, '/held');
      await drained;
      await idle.untilClosed();
      await silent.untilClosed();
    });

    test('a connection on which nothing more is asked is closed, also where its body was not waited for', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        const { path } = exchange.head;
        if (path === '/soon') await Promise.resolve();
        if (path === '/later') await pause(50);
        exchange.answer(401, [], path);
      });
      const bodies = await Promise.all(['/at-once', '/soon', '/later'].flatMap((path) => [0, 150].map(async (apartMs) => {
        const client = await service.client();
        client.send(request(`POST ${path}`, { 'Content-Length': '3' }, apartMs === 0 ? 'abc' : ''));
        await pause(apartMs);
        if (apartMs > 0) client.send('abc');
        const answer = readAnswer(await client.until((_, closed) => closed, 3 * LIMITS.keepAliveMs));
        return answer.body.trimEnd();
      })));
      assert.deepEqual(bodies, ['/at-once', '/at-once', '/soon', '/soon', '/later', '/later']);
    });

    test('draining waits for a stream to its honest end', async (t) => {
      const started = signal();
      const service = await serving(t, kind, async (exchange) => {
        exchange.begin(200, []);
        await exchange.write(Buffer.from('one '));
        started.resolve();
        await pause(100);
        await exchange.write(Buffer.from('two'));
        exchange.end();
      });
      const client = await service.client();
      client.send(request('GET /'));
      await started.promise;
      await service.server.drain();
      const answer = readAnswer(await client.untilClosed());
      assert.deepEqual([answer.body, answer.complete], ['one two', true]);
    });

    test('a large answer given while draining arrives whole', async (t) => {
      const started = signal();
      const service = await serving(t, kind, async (exchange) => {
        started.resolve();
        await pause(30);
        exchange.answer(200, [], Buffer.alloc(8_000_000, 'x'));
      });
      const client = await service.client();
      client.send(request('GET /'));
      await started.promise;
      await service.server.drain();
      const answer = readAnswer(await client.untilClosed());
      assert.equal(answer.body.length, 8_000_000);
    });

    const LARGE_BYTES = 30_000_000;

    /** A client that was given a large answer and has not read it. */
    async function unread(t: TestContext, bounds: Partial<ExchangeBounds> = {}): Promise<{ service: Serving; client: RawClient }> {
      const given = signal();
      const service = await serving(t, kind, async (exchange) => {
        await pause(1);
        exchange.answer(200, [], Buffer.alloc(LARGE_BYTES, 'x'));
        assert.equal(exchange.live, false);
        given.resolve();
      }, { bounds });
      const client = await service.client();
      client.socket.pause();
      client.send(request('GET /'));
      await given.promise;
      return { service, client };
    }

    test('draining waits for a reader who is late with a large answer, and he gets all of it', async (t) => {
      const { service, client } = await unread(t);
      const drained = service.server.drain();
      await pause(2 * LIMITS.drainLingerMs);
      client.socket.resume();
      const text = await client.until((text, closed) => closed || text.length > LARGE_BYTES);
      assert.ok(readAnswer(text).complete, `${text.length}`);
      await drained;
    });

    test('draining does not wait for a reader who leaves in the middle of a large answer', async (t) => {
      const { service, client } = await unread(t);
      const drained = service.server.drain();
      await pause(20);
      client.leave();
      await drained;
      assert.deepEqual(service.faults, []);
    });

    test('who left in the middle of a large answer before the drain is not taken for one who is still there', async (t) => {
      const started = signal();
      const finish = signal();
      const service = await serving(t, kind, async (exchange) => {
        if (exchange.head.path === '/large') {
          exchange.answer(200, [], Buffer.alloc(LARGE_BYTES, 'x'));
          return;
        }
        started.resolve();
        await finish.promise;
        echoPath(exchange);
      });
      const leaves = await service.client();
      leaves.socket.pause();
      leaves.send(request('GET /large'));
      await pause(50);
      leaves.leave();
      const stays = await service.client();
      await pause(100);
      stays.send(request('GET /stays'));
      await started.promise;
      const drained = service.server.drain();
      await pause(2 * LIMITS.drainLingerMs);
      finish.resolve();
      const answer = readAnswer(await stays.untilClosed());
      assert.deepEqual([answer.body, answer.complete], ['/stays', true]);
      await drained;
    });

    test('draining does not wait for a reader who had left in the middle of a large answer', async (t) => {
      const { service, client } = await unread(t);
      client.leave();
      await pause(100);
      assert.ok(await within(service.server.drain(), LIMITS.drainMs));
    });

    test('draining waits for a reader who is late with a large answer that was given meanwhile', async (t) => {
      const started = signal();
      const draining = signal();
      const service = await serving(t, kind, async (exchange) => {
        started.resolve();
        await draining.promise;
        exchange.answer(200, [], Buffer.alloc(LARGE_BYTES, 'x'));
      });
      const client = await service.client();
      client.socket.pause();
      client.send(request('GET /'));
      await started.promise;
      const drained = service.server.drain();
      draining.resolve();
      await pause(2 * LIMITS.drainLingerMs);
      client.socket.resume();
      const answer = readAnswer(await client.untilClosed());
      assert.deepEqual([answer.complete, answer.headers.get('connection')], [true, 'close'], `${answer.body.length}`);
      await drained;
    });

    test('draining does not wait for an answer that queued behind another when its reader left', async (t) => {
      const second = signal();
      const service = await serving(t, kind, async (exchange) => {
        if (exchange.head.path === '/1') await new Promise<void>((resolve) => { exchange.onGone(resolve); });
        else {
          echoPath(exchange);
          second.resolve();
        }
      });
      const client = await service.client();
      client.send(request('GET /1') + request('GET /2'));
      // uws closes the connection instead.
      await Promise.race([second.promise, client.untilClosed()]);
      client.leave();
      await service.server.drain();
    });

    test('a reader who makes no progress with a large answer is cut after the patience for it', async (t) => {
      const { service } = await unread(t, { streamStallMs: 300 });
      const startMs = monotonicMs();
      await service.server.drain();
      const tookMs = monotonicMs() - startMs;
      // The platform counts anew from the last time that the kernel took some.
      assert.ok(tookMs > 200 && tookMs < LIMITS.drainMs, `${tookMs}`);
    });

    test('closing ends every connection, tells the handlers, and may be asked twice', async (t) => {
      const started = signal();
      const gone = signal();
      const service = await serving(t, kind, async (exchange) => {
        exchange.onGone(() => { gone.resolve(); });
        started.resolve();
        await gone.promise;
      });
      const client = await service.client();
      const silent = await service.client();
      client.send(request('GET /'));
      await started.promise;
      await service.server.close();
      await gone.promise;
      await client.untilClosed();
      await silent.untilClosed();
      await service.server.close();
      assert.deepEqual(service.faults, []);
    });
  });
}
