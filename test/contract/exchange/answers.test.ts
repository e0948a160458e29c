import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import type { Headers } from '../../../src/http/exchange.ts';
import { readAnswer, request } from './raw_client.ts';
import { echoPath, KINDS, pause, serving } from './serving.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));
const whole = (text: string): boolean => text.includes('\r\n\r\n') && readAnswer(text).complete;

for (const kind of KINDS) {
  describe(`${kind}: answers`, () => {
    test('a request arrives as it was sent, its path undecoded', async (t) => {
      const told: unknown[] = [];
      const echo = await serving(t, kind, (exchange) => {
        const { method, path, query, headers, remoteAddress } = exchange.head;
        told.push({ method, path, query, remoteAddress, custom: headers.get('x-custom'), host: headers.get('host') });
        exchange.answer(200, [], 'ok');
      });
      const client = await echo.client();
      client.send(request('PATCH //a/../%2e%00%zz?x=1&y=%20', { 'X-Custom': 'one', 'x-custom': 'two' }));
      await client.until(whole);
      assert.deepEqual(told, [{ method: 'PATCH', path: '//a/../%2e%00%zz', query: 'x=1&y=%20', remoteAddress: '127.0.0.1', custom: 'one, two', host: 'service' }]);
    });

    for (const method of ['OPTIONS', 'DELETE', 'TRACE', 'PROPFIND']) {
      test(`${method} and a path that nobody knows reach the handler like any other`, async (t) => {
        const service = await serving(t, kind, echoPath);
        const client = await service.client();
        client.send(request(`${method} /nowhere`));
        assert.equal(readAnswer(await client.until(whole)).body, '/nowhere');
        assert.deepEqual(service.seen, [`${method} /nowhere`]);
      });
    }

    const shared = new Uint8Array(new SharedArrayBuffer(32), 4, 5);
    shared.set(Buffer.from('hello'));
    const forms: Readonly<Record<string, string | Uint8Array>> = { 'a text': 'hello', 'bytes': Buffer.from('hello'), 'a view of shared memory': shared };
    for (const [title, body] of Object.entries(forms)) {
      test(`${title} is sent with its status, headers and length`, async (t) => {
        const service = await serving(t, kind, (exchange) => { exchange.answer(418, [['X-One', 'a'], ['X-Two', 'b\u00e9\t']], body); });
        const client = await service.client();
        client.send(request('GET /'));
        const answer = readAnswer(await client.until(whole));
        assert.deepEqual([answer.status, answer.headers.get('x-one'), answer.headers.get('content-length'), answer.body], [418, 'a', '5', 'hello']);
      });
    }

    test('the bytes of an answer may be reused as soon as it is given', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        await pause(5);
        const bytes = Buffer.alloc(3_000_000, 'a');
        exchange.answer(200, [], bytes);
        bytes.fill('b');
      });
      const client = await service.client();
      client.socket.pause();
      client.send(request('GET /'));
      await pause(30);
      client.socket.resume();
      const { body } = readAnswer(await client.until((text) => text.length > 3_000_000 && whole(text)));
      assert.equal(body.includes('b'), false);
    });

    test('the bytes of an answer may be reused as soon as it is given, while the body is still to come too', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        await pause(5);
        const bytes = Buffer.from('answered');
        exchange.answer(200, [], bytes);
        bytes.fill('b');
      });
      const client = await service.client();
      client.send(request('POST /', { 'Content-Length': '5' }, 'abc'));
      assert.equal(readAnswer(await client.until(whole)).body.slice(0, 8), 'answered');
    });

    test('HEAD gets the headers and the length of GET, no body, and the connection lives on', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send(request('HEAD /long'));
      const text = await client.untilText('\r\n\r\n');
      assert.match(text, /content-length: 5\r\n/i);
      assert.match(text, /x-path: \/long\r\n/i);
      await pause(20);
      assert.ok(client.text.endsWith('\r\n\r\n'));
      client.send(request('GET /next'));
      await client.until((text) => text.endsWith('\r\n\r\n/next'));
    });

    for (const status of [204, 304]) {
      test(`${status} has neither body nor length, and the connection lives on`, async (t) => {
        const service = await serving(t, kind, (exchange) => { exchange.answer(exchange.head.path === '/' ? status : 200, [], 'x'); });
        const client = await service.client();
        client.send(request('GET /'));
        assert.doesNotMatch(await client.untilText('\r\n\r\n'), /content-length|transfer-encoding/i);
        client.send(request('GET /next'));
        await client.until((text) => text.endsWith('\r\n\r\nx'));
      });
    }

    const splitting: Readonly<Record<string, Headers>> = {
      'CR LF in a value': [['X-A', 'b\r\nX-Evil: 1']],
      'LF in a value': [['X-A', 'b\nX-Evil: 1']],
      'NUL in a value': [['X-A', 'b\0X-Evil']],
      'CR LF in a name': [['X-A\r\nX-Evil', '1']],
      'a character beyond latin1': [['X-A', 'X-Evil\u{10a}']],
    };
    for (const [title, headers] of Object.entries(splitting)) {
      test(`${title} of a header is refused before anything is sent`, async (t) => {
        const service = await serving(t, kind, (exchange) => {
          if (exchange.head.path === '/begin') exchange.begin(200, headers);
          else exchange.answer(200, headers, 'ok');
        });
        for (const path of ['/answer', '/begin']) {
          const client = await service.client();
          client.send(request(`GET ${path}`));
          const text = await client.until(whole);
          assert.equal(readAnswer(text).status, 500);
          assert.equal(text.includes('X-Evil'), false);
        }
      });
    }

    for (const when of ['before', 'after'] as const) {
      test(`a handler that throws ${when} its first wait is answered for, and the server lives on`, async (t) => {
        const broken = new Error('broken');
        const service = await serving(t, kind, when === 'before' ? () => { throw broken; } : async () => { await pause(1); throw broken; });
        const client = await service.client();
        client.send(request('GET /1'));
        await client.until((text) => text.includes(' 500 ') && text.endsWith('fault'));
        client.send(request('GET /2'));
        await client.until((text) => text.split(' 500 ').length === 3);
        assert.deepEqual(service.faults, [broken, broken]);
      });
    }

    test('a handler that throws in the middle of its answer is cut, for it cannot be answered twice', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        exchange.begin(200, []);
        await exchange.write(Buffer.from('half'));
        await pause(20);
        throw new Error('broken');
      });
      const client = await service.client();
      client.send(request('GET /'));
      const answer = readAnswer(await client.untilClosed());
      assert.deepEqual([answer.body, answer.complete], ['half', false]);
    });

    test('where the answer to a fault fails as well, or none is supplied, the connection closes and the server lives on', async (t) => {
      for (const onFault of [undefined, () => { throw new Error('broken twice'); }]) {
        const service = await serving(t, kind, async (exchange) => {
          if (exchange.head.path === '/throw') throw new Error('broken');
          echoPath(exchange);
        }, { onFault });
        const client = await service.client();
        client.send(request('GET /throw'));
        assert.equal(await client.untilClosed(), '');
        const next = await service.client();
        next.send(request('GET /next'));
        await next.until(whole);
      }
    });

    test('a handler that ends without an answer is a fault, not a silence', async (t) => {
      const service = await serving(t, kind, async () => { await pause(1); });
      const client = await service.client();
      client.send(request('GET /'));
      await client.untilText('fault');
      assert.equal(service.faults.length, 1);
    });

    test('only the first answer counts', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        exchange.answer(200, [], 'first');
        assert.deepEqual([exchange.live, exchange.begun], [false, true]);
        exchange.answer(500, [], 'second');
        exchange.begin(500, []);
        await exchange.write(Buffer.from('third'));
        exchange.end();
        exchange.cut();
      });
      const client = await service.client();
      client.send(request('GET /'));
      await client.until(whole);
      await pause(20);
      assert.equal(readAnswer(client.text).rest, '');
      assert.deepEqual([client.closed, service.faults], [false, []]);
    });

    test('a caller on IPv6 is named in short text, and one on IPv4 by his IPv4 address although the socket is dual-stack', { skip: hasIPv6 ? false : 'no IPv6 here' }, async (t) => {
      for (const [host, expected] of [['::1', '::1'], ['::', '127.0.0.1']] as const) {
        const service = await serving(t, kind, (exchange) => { exchange.answer(200, [], exchange.head.remoteAddress); }, { host });
        const client = await service.client();
        client.send(request('GET /'));
        assert.equal(readAnswer(await client.until(whole)).body, expected);
      }
    });
  });
}
