import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listenHttp } from '../../../src/http/listen.ts';
import { RawClient, readAnswer, request } from './raw_client.ts';
import { echoPath, KINDS, pause, serving, signal } from './serving.ts';

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

    test('draining takes no new connection, and closes those that are idle', async (t) => {
      const service = await serving(t, kind, echoPath);
      const idle = await service.client();
      const silent = await service.client();
      idle.send(request('GET /'));
      await idle.untilText('\r\n\r\n/');
      const drained = service.server.drain();
      await assert.rejects(RawClient.connect(service.port), { code: 'ECONNREFUSED' });
      await drained;
      await idle.untilClosed();
      await silent.untilClosed();
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
