import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import type { Exchange } from '../../../src/http/exchange.ts';
import { monotonicMs } from '../../../src/lib/clock.ts';
import { inTime } from '../../support/until.ts';
import { readAnswer, request } from './raw_client.ts';
import { KINDS, pause, serving, signal } from './serving.ts';

const CHUNK_BYTES = 256 * 1_024;
/** More than is handed over at once. */
const LENT_BYTES = 2.5 * LIMITS.streamPieceBytes;
/** What the kernel may hold on both sides of a loopback connection, and then some. */
const IN_KERNEL_BYTES_MAX = 24 * 1_024 * 1_024;

/** Streams one reused buffer, filled anew for each chunk, and counts what was taken. Where it is lent it is spoiled as soon as it is handed over. */
async function stream(exchange: Exchange, chunks: number, taken: { bytes: number }, lent = false): Promise<void> {
  const buffer = Buffer.alloc(lent ? LENT_BYTES : CHUNK_BYTES);
  exchange.begin(200, []);
  for (let at = 0; at < chunks && exchange.live; at += 1) {
    const written = lent ? exchange.writeLent(buffer.fill(at % 256)) : exchange.write(buffer.fill(at % 256));
    if (lent) buffer.fill('!');
    await written;
    taken.bytes += buffer.length;
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

const COARSE = Buffer.alloc(15_000, 'c');
const FINE = Buffer.from('f');
const LARGE = Buffer.alloc(100_000, 'L');

type Filling = { coarse: number; fine: number };

/** Writes so many pieces of both sizes, or until a write has to wait for the reader; gives how many that were. */
async function fill(exchange: Exchange, { coarse, fine }: Filling, onFull: () => void): Promise<Filling> {
  exchange.begin(200, []);
  await exchange.write(FINE);
  const written = { coarse: 0, fine: 0 };
  for (const [size, bytes, most] of [['coarse', COARSE, coarse], ['fine', FINE, fine]] as const) {
    for (let waits = false; written[size] < most && !waits;) {
      const write = exchange.write(bytes);
      waits = await Promise.race([write.then(() => false), Promise.resolve().then(() => true)]);
      written[size] += 1;
      if (waits) onFull();
      await write;
      if (waits) return written;
    }
  }
  return written;
}

for (const kind of KINDS) {
  describe(`${kind}: slow readers`, () => {
    for (const lent of [false, true]) test(`a slow reader holds the writer back, and gets every byte once he reads${lent ? ', of bytes that were lent too' : ''}`, async (t) => {
      const taken = { bytes: 0 };
      const [chunkBytes, chunks] = lent ? [LENT_BYTES, 10] : [CHUNK_BYTES, 100];
      const service = await serving(t, kind, (exchange) => stream(exchange, chunks, taken, lent));
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
          if (received > chunks * chunkBytes && bytes.toString('latin1').endsWith('0\r\n\r\n')) resolve();
        });
        client.socket.resume();
      });
      const answer = readAnswer(Buffer.concat(pieces).toString('latin1'));
      const expected = createHash('sha1');
      for (let at = 0; at < chunks; at += 1) expected.update(Buffer.alloc(chunkBytes, at % 256));
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
      assert.ok(received > 0);
      assert.ok(inFlight < atRest + 8 * CHUNK_BYTES + IN_KERNEL_BYTES_MAX / 4, `${inFlight} bytes in flight, ${atRest} at rest`);
    });

    test('a large piece that comes just when the kernel has got full arrives whole, though its frame alone is refused', async (t) => {
      let plan: Filling = { coarse: Infinity, fine: 0 };
      let full = signal();
      let told = signal<Filling>();
      const service = await serving(t, kind, async (exchange) => {
        const written = await fill(exchange, plan, () => { full.resolve(); });
        const write = exchange.write(LARGE);
        full.resolve();
        await write;
        exchange.end();
        told.resolve(written);
      });
      const run = async (next: Filling): Promise<Filling> => {
        plan = next;
        full = signal();
        told = signal();
        const client = await service.client();
        client.socket.pause();
        client.send(request('GET /'));
        await full.promise;
        client.socket.resume();
        const written = await told.promise;
        const expected = `f${COARSE.toString().repeat(written.coarse)}${'f'.repeat(written.fine)}${LARGE.toString()}`;
        // To look at the end of a text that grows means to copy all of it.
        const { body } = readAnswer(await client.until((text) => text.length > expected.length && text.endsWith('\r\n0\r\n\r\n')));
        assert.ok(body === expected, `${body.length} instead of ${expected.length} bytes after ${JSON.stringify(written)}`);
        client.leave();
        return written;
      };
      const { coarse } = await run({ coarse: Infinity, fine: 0 });
      const { fine } = await run({ coarse: coarse - 3, fine: Infinity });
      for (let less = 0; less <= 6; less += 1) await run({ coarse: coarse - 3, fine: fine - less });
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
      assert.ok(waitedMs >= 190 && waitedMs < LIMITS.keepAliveMs, `${waitedMs}`);
      await settled(() => taken.bytes);
      assert.deepEqual(service.faults, []);
    });

    test('a reader who makes no progress is cut as well where the rest of his body comes meanwhile', async (t) => {
      const gone = signal();
      const taken = { bytes: 0 };
      const service = await serving(t, kind, async (exchange) => {
        exchange.onGone(() => { gone.resolve(); });
        void exchange.readBody(10);
        await stream(exchange, 4_000, taken);
      }, { bounds: { streamStallMs: 200 } });
      const client = await service.client();
      client.socket.pause();
      client.send(request('POST /', { 'Content-Length': '2' }, 'a'));
      await settled(() => taken.bytes);
      client.send('b');
      assert.equal(await inTime(gone.promise.then(() => 'cut'), LIMITS.keepAliveMs), 'cut');
    });

    test('a reader who takes nothing of his answer is not waited for where too much is unread', async (t) => {
      const given = signal();
      const service = await serving(t, kind, async (exchange) => {
        await pause(1);
        exchange.answer(200, [], Buffer.alloc(2 * IN_KERNEL_BYTES_MAX));
        given.resolve();
      }, { bounds: { unreadBytesMax: 0 } });
      const client = await service.client();
      client.socket.pause();
      client.send(request('GET /'));
      await given.promise;
      assert.notEqual(await inTime(service.server.drain(), LIMITS.streamStallMs / 2), 'late');
    });

    test('a caller who asks for many answers in one go and takes none has few of them held', async (t) => {
      const requests = 200;
      const bytes = 1_000_000;
      const service = await serving(t, kind, (exchange) => { exchange.answer(200, [], Buffer.alloc(bytes)); }, { bounds: { unreadBytesMax: 2 * bytes } });
      const client = await service.client();
      client.socket.removeAllListeners('data');
      client.socket.pause();
      client.send(request('GET /').repeat(requests));
      await settled(() => service.seen.length);
      let received = 0;
      client.socket.on('data', (piece) => { received += piece.byteLength; });
      client.socket.resume();
      await client.untilClosed();
      assert.ok(received < IN_KERNEL_BYTES_MAX + 3 * bytes, `${received}`);
    });

    const SLOW_BYTES = 2 * IN_KERNEL_BYTES_MAX;
    const SLOWLY_READ: Readonly<Record<string, (exchange: Exchange) => void | Promise<void>>> = {
      stream: async (exchange) => {
        exchange.begin(200, []);
        while (exchange.live) await exchange.write(Buffer.alloc(64 * 1_024));
      },
      answer: async (exchange) => {
        await pause(1);
        exchange.answer(200, [], Buffer.alloc(SLOW_BYTES));
      },
    };
    // Each waits for twice its patience: both at once.
    describe('a reader who', { concurrency: true, skip: kind === 'node' ? 'the platform tells no sooner' : false }, () => {
      for (const [what, handler] of Object.entries(SLOWLY_READ)) {
        test(`takes a large ${what} slowly is not cut, though the kernel tells of no room for longer than the patience`, async (t) => {
          const patienceMs = 2_000;
          const service = await serving(t, kind, handler, { bounds: { streamStallMs: patienceMs } });
          const { socket } = await service.client();
          let received = 0;
          socket.removeAllListeners('data');
          socket.pause();
          socket.on('readable', () => {});
          socket.write(request('GET /'));
          // A few looks' time for the piece that waits; for the third of some megabytes that the kernel wants free first, several times the patience.
          for (const untilMs = monotonicMs() + 2.5 * patienceMs; monotonicMs() < untilMs; await pause(50)) {
            const wanted = Math.min(12_000, socket.readableLength);
            received += (socket.read(wanted) as Buffer | null)?.length ?? 0;
          }
          assert.ok(received > 200_000 && received < 2_000_000, `${received}`);
          // What is on its way when a connection is cut still arrives: only more than that shows that it was not.
          socket.removeAllListeners('readable');
          await new Promise<void>((resolve) => {
            socket.on('close', resolve);
            socket.on('data', (bytes) => {
              received += bytes.byteLength;
              if (received >= SLOW_BYTES) resolve();
            });
          });
          assert.ok(received >= SLOW_BYTES, `${received}`);
        });
      }
    });
  });
}
