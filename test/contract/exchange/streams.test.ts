import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import type { Exchange } from '../../../src/http/exchange.ts';
import { monotonicMs } from '../../../src/lib/clock.ts';
import { readAnswer, request } from './raw_client.ts';
import { echoPath, KINDS, pause, serving, signal } from './serving.ts';

const CHUNK_BYTES = 256 * 1_024;

for (const kind of KINDS) {
  describe(`${kind}: streams`, () => {
    test('what is written arrives as it is written, and the end is marked', async (t) => {
      const next = signal();
      const service = await serving(t, kind, async (exchange) => {
        exchange.begin(200, [['Content-Type', 'application/x-ndjson']]);
        await exchange.write(Buffer.from('{"a":1}\n'));
        await next.promise;
        await exchange.write(Buffer.from('{"b":2}\n'));
        exchange.end();
      });
      const client = await service.client();
      client.send(request('GET /'));
      await client.untilText('{"a":1}\n');
      next.resolve();
      const answer = readAnswer(await client.until((text) => readAnswer(text).complete && text.includes('{"b"')));
      assert.deepEqual([answer.status, answer.headers.get('content-type'), answer.body], [200, 'application/x-ndjson', '{"a":1}\n{"b":2}\n']);
      client.send(request('GET /'));
      await client.until((text) => text.split('HTTP/1.1 200').length === 3);
    });

    test('the head leaves before the first byte of the body is known', async (t) => {
      const service = await serving(t, kind, (exchange) => { exchange.begin(200, [['X-Early', 'yes']]); });
      const client = await service.client();
      client.send(request('GET /'));
      await client.untilText('X-Early: yes');
    });

    test('HEAD of a stream gets the headers and no body, and the connection lives on', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        if (exchange.head.method !== 'HEAD') return echoPath(exchange);
        exchange.begin(200, [['X-Kind', 'stream']]);
        await exchange.write(Buffer.from('nobody sees this'));
        return exchange.end();
      });
      const client = await service.client();
      client.send(request('HEAD /'));
      await client.until((text) => text.includes('X-Kind: stream') && text.endsWith('\r\n\r\n'));
      client.send(request('GET /next'));
      const text = await client.until((text) => text.endsWith('\r\n\r\n/next'));
      assert.equal(text.includes('nobody'), false);
    });

    test('a stream that is silent for longer than that patience is not cut while its reader keeps up', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        exchange.begin(200, []);
        await exchange.write(Buffer.from('one '));
        await pause(300);
        await exchange.write(Buffer.from('two'));
        exchange.end();
      }, { bounds: { streamStallMs: 100 } });
      const client = await service.client();
      client.send(request('GET /'));
      assert.equal(readAnswer(await client.untilText('0\r\n\r\n')).body, 'one two');
    });

    const LEAVING: Readonly<Record<string, (exchange: Exchange, reached: () => void) => void | Promise<void>>> = {
      'before his body': async (exchange, reached) => { reached(); await exchange.readBody(10); },
      'before the answer': (_, reached) => { reached(); },
      'in the middle of a stream': async (exchange, reached) => { exchange.begin(200, []); await exchange.write(Buffer.from('x')); reached(); },
      'while a write waits for him': async (exchange, reached) => {
        exchange.begin(200, []);
        setTimeout(reached, 100);
        while (exchange.live) await exchange.write(Buffer.alloc(CHUNK_BYTES));
      },
    };
    for (const [title, handler] of Object.entries(LEAVING)) {
      for (const how of ['closing', 'resetting'] as const) {
        test(`a caller who leaves by ${how} ${title} is noticed at once, and nothing written after that matters`, async (t) => {
          const reached = signal();
          const gone = signal<number>();
          const done = signal();
          let told = 0;
          const service = await serving(t, kind, async (exchange) => {
            exchange.onGone(() => { told += 1; gone.resolve(monotonicMs()); });
            await handler(exchange, () => { reached.resolve(); });
            await gone.promise;
            assert.equal(exchange.live, false);
            exchange.onGone(() => { told += 1; });
            exchange.answer(200, [], 'late');
            exchange.begin(200, []);
            await exchange.write(Buffer.from('late'));
            exchange.end();
            exchange.cut();
            assert.equal(await exchange.readBody(10), 'gone');
            done.resolve();
          });
          const client = await service.client();
          client.socket.pause();
          client.send(request('POST /', { 'Content-Length': '5' }, 'abc'));
          await reached.promise;
          const leftMs = monotonicMs();
          if (how === 'resetting') client.socket.resetAndDestroy();
          else client.socket.destroy();
          const noticedMs = (await gone.promise) - leftMs;
          assert.ok(noticedMs < LIMITS.keepAliveMs, `noticed after ${noticedMs} ms, as one who says nothing`);
          await done.promise;
          assert.equal(told, 2);
          assert.deepEqual(service.faults, []);
        });
      }
    }

    test('a second write while one waits is a mistake that is told, not a loss of bytes', async (t) => {
      const tried = signal();
      const service = await serving(t, kind, async (exchange) => {
        exchange.begin(200, []);
        const first = exchange.write(Buffer.alloc(40_000_000));
        assert.throws(() => exchange.write(Buffer.from('second')), /still waiting/);
        assert.throws(() => { exchange.end(); }, /still waiting/);
        tried.resolve();
        await first;
      });
      const client = await service.client();
      client.socket.pause();
      client.send(request('GET /'));
      await tried.promise;
      assert.deepEqual(service.faults, []);
    });

    test('a listener that throws when the caller leaves is a fault of this exchange, and the others are told all the same', async (t) => {
      const reached = signal();
      const told = signal();
      const broken = new Error('broken');
      const service = await serving(t, kind, (exchange) => {
        exchange.onGone(() => { throw broken; });
        exchange.onGone(() => { told.resolve(); });
        reached.resolve();
      });
      const client = await service.client();
      client.send(request('GET /'));
      await reached.promise;
      client.leave();
      await told.promise;
      assert.deepEqual(service.faults, [broken]);
    });

    test('a cut is visible: the end mark is missing', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        exchange.begin(200, []);
        await exchange.write(Buffer.from('row\n'));
        await pause(20);
        exchange.cut();
      });
      const client = await service.client();
      client.send(request('GET /'));
      const answer = readAnswer(await client.untilClosed());
      assert.deepEqual([answer.body, answer.complete], ['row\n', false]);
    });
  });
}
