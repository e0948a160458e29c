import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Exchange } from '../../../src/http/exchange.ts';
import { monotonicMs } from '../../../src/lib/clock.ts';
import { readAnswer, request } from './raw_client.ts';
import { echoPath, KINDS, pause, serving, signal } from './serving.ts';

const CHUNK_BYTES = 256 * 1_024;
/** What the kernel may hold on both sides of a loopback connection, and then some. */
const IN_KERNEL_BYTES_MAX = 24 * 1_024 * 1_024;

/** Streams one reused buffer, filled anew for each chunk, and counts what was taken. */
async function stream(exchange: Exchange, chunks: number, taken: { bytes: number }): Promise<void> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  exchange.begin(200, []);
  for (let at = 0; at < chunks && exchange.live; at += 1) {
    await exchange.write(buffer.fill(at % 256));
    taken.bytes += CHUNK_BYTES;
  }
  exchange.end();
}

/** Waits until a count has stopped growing. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1; ;) {
    await pause(60);
    if (count() === last) return last;
    last = count();
  }
}

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

    test('a slow reader holds the writer back, and gets every byte once he reads', async (t) => {
      const taken = { bytes: 0 };
      const chunks = 100;
      const service = await serving(t, kind, (exchange) => stream(exchange, chunks, taken));
      const client = await service.client();
      const hash = createHash('sha1');
      let received = 0;
      client.socket.removeAllListeners('data');
      client.socket.pause();
      client.send(request('GET /'));
      const held = await settled(() => taken.bytes);
      assert.ok(held < IN_KERNEL_BYTES_MAX, `${held} bytes were taken from the writer while nobody read`);
      const pieces: Buffer[] = [];
      await new Promise<void>((resolve) => {
        client.socket.on('data', (bytes) => {
          pieces.push(bytes);
          received += bytes.byteLength;
          if (received > chunks * CHUNK_BYTES && bytes.toString('latin1').endsWith('0\r\n\r\n')) resolve();
        });
        client.socket.resume();
      });
      const answer = readAnswer(Buffer.concat(pieces).toString('latin1'));
      const expected = createHash('sha1');
      for (let at = 0; at < chunks; at += 1) expected.update(Buffer.alloc(CHUNK_BYTES, at % 256));
      assert.equal(hash.update(Buffer.from(answer.body, 'latin1')).digest('hex'), expected.digest('hex'));
    });

    test('a trickling reader never makes the server hold more: the backlog does not grow with every time he reads a little', async (t) => {
      const taken = { bytes: 0 };
      let received = 0;
      const service = await serving(t, kind, (exchange) => stream(exchange, 4_000, taken));
      const client = await service.client();
      client.socket.removeAllListeners('data');
      client.socket.on('data', (bytes) => { received += bytes.byteLength; client.socket.pause(); });
      client.socket.pause();
      client.send(request('GET /'));
      const atRest = await settled(() => taken.bytes);
      for (let turn = 0; turn < 150; turn += 1) {
        client.socket.resume();
        await pause(2);
      }
      const inFlight = (await settled(() => taken.bytes)) - received;
      assert.ok(received > 0);      assert.ok(inFlight < atRest + 8 * CHUNK_BYTES + IN_KERNEL_BYTES_MAX / 4, `${inFlight} bytes in flight, ${atRest} at rest`);
    });

    test('a reader who makes no progress is cut after the patience for it, and his handler is told', async (t) => {
      const gone = signal<number>();
      const taken = { bytes: 0 };
      const service = await serving(t, kind, async (exchange) => {
        exchange.onGone(() => { gone.resolve(monotonicMs()); });
        await stream(exchange, 4_000, taken);
      }, { bounds: { streamStallMs: 200 } });
      const client = await service.client();
      client.socket.pause();
      const startMs = monotonicMs();
      client.send(request('GET /'));
      const waitedMs = (await gone.promise) - startMs;
      assert.ok(waitedMs >= 190 && waitedMs < 1_500, `${waitedMs}`);
      await settled(() => taken.bytes);
      assert.deepEqual(service.faults, []);
    });

    test('a reader who reads slowly is not cut, though the kernel tells of no room for longer than the patience', { skip: kind === 'node' ? 'the platform tells no sooner' : false }, async (t) => {
      const patienceMs = 2_000;
      let isGone = false;
      let received = 0;
      const service = await serving(t, kind, async (exchange) => {
        exchange.onGone(() => { isGone = true; });
        exchange.begin(200, []);
        while (exchange.live) await exchange.write(Buffer.alloc(64 * 1_024));
      }, { bounds: { streamStallMs: patienceMs } });
      const { socket } = await service.client();
      socket.removeAllListeners('data');
      socket.pause();
      socket.on('readable', () => {});
      socket.write(request('GET /'));
      // A few looks' time for the piece that waits; for the third of some megabytes that the kernel wants free first, several times the patience.
      for (const untilMs = monotonicMs() + 2.5 * patienceMs; monotonicMs() < untilMs; await pause(50)) {
        const wanted = Math.min(12_000, socket.readableLength);
        received += (socket.read(wanted) as Buffer | null)?.length ?? 0;
      }
      assert.equal(isGone, false, `cut after ${received} bytes`);
      assert.ok(received > 200_000 && received < 2_000_000, `${received}`);
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
          assert.ok(noticedMs < 100, `noticed after ${noticedMs} ms`);
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
