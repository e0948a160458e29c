import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { readAnswer } from './raw_client.ts';
import { echoPath, KINDS, pause, serving } from './serving.ts';

const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: service\r\n\r\n';

/** Headers under which another parser could see a second request in what follows. */
const AMBIGUOUS: Readonly<Record<string, readonly string[]>> = {
  'two different Content-Lengths': ['Content-Length: 0', `Content-Length: ${HIDDEN.length}`],
  'two equal Content-Lengths': ['Content-Length: 0', 'Content-Length: 0'],
  'an empty and a real Content-Length': ['Content-Length:', `Content-Length: ${HIDDEN.length}`],
  'Content-Length and Transfer-Encoding': ['Content-Length: 5', 'Transfer-Encoding: chunked'],
  'Transfer-Encoding and Content-Length': ['Transfer-Encoding: chunked', 'Content-Length: 5'],
  'Transfer-Encoding: chunked, identity': ['Transfer-Encoding: chunked, identity'],
  'Transfer-Encoding: identity': ['Transfer-Encoding: identity'],
  'Transfer-Encoding: xchunked': ['Transfer-Encoding: xchunked'],
  'Transfer-Encoding: chunked, with the sign of a Kelvin for its k': ['Transfer-Encoding: chun\u212aed'],
  'Transfer-Encoding twice': ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
  'a signed Content-Length': ['Content-Length: +5'],
  'a negative Content-Length': ['Content-Length: -5'],
  'a list of Content-Lengths': ['Content-Length: 5, 5'],
  'a hexadecimal Content-Length': ['Content-Length: 0x5'],
  'an empty Content-Length': ['Content-Length:'],
  'a Content-Length of sixteen digits': ['Content-Length: 9999999999999999'],
  'a second Host': ['Host: other'],
  'two Authorizations': ['Authorization: Bearer a', 'Authorization: Bearer b'],
};

/** The build of uws for Node 20 takes a request line that is cut for one of another version; those for newer ones wait for the rest. */
const CUT_LINES_REFUSED = Number(process.versions.modules) < 127;

/** What the parsers take or refuse before any handler: never more than the first request may run, whatever they make of the rest. */
const UNPARSABLE: Readonly<Record<string, string>> = {
  'no path': `GET HTTP/1.1\r\nHost: service\r\n\r\n${HIDDEN}`,
  'HTTP/1.0': `GET /a HTTP/1.0\r\nHost: service\r\n\r\n${HIDDEN}`,
  'HTTP/3.7': `GET /a HTTP/3.7\r\nHost: service\r\n\r\n${HIDDEN}`,
  'no version': `GET /a\r\nHost: service\r\n\r\n${HIDDEN}`,
};

for (const kind of KINDS) {
  describe(`${kind}: framing`, () => {
    for (const [title, headers] of Object.entries(AMBIGUOUS)) {
      test(`${title}: the connection closes, and neither this request nor what follows runs`, async (t) => {
        const service = await serving(t, kind, echoPath);
        const client = await service.client();
        client.send(`POST /a HTTP/1.1\r\nHost: service\r\n${headers.join('\r\n')}\r\n\r\n0\r\n\r\n${HIDDEN}`);
        const text = await client.untilClosed();
        assert.deepEqual(service.seen, []);
        // Some of these the parsers refuse themselves, with a 400; the others are cut off without a word.
        assert.match(text, /^(HTTP\/1\.1 400 [^]*)?$/);
      });
    }

    test('what was refused is told to the operator, in words without the value', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send('GET /a HTTP/1.1\r\nHost: service\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n');
      await client.untilClosed();
      assert.deepEqual(service.refused, ['repeated authorization']);
    });

    test('an answered request before an ambiguous one keeps its answer or loses it to the close; the ambiguous one never runs', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send(`GET /first HTTP/1.1\r\nHost: service\r\n\r\nPOST /a HTTP/1.1\r\nHost: service\r\nContent-Length: 0\r\nContent-Length: 40\r\n\r\n${HIDDEN}`);
      await client.untilClosed();
      assert.deepEqual(service.seen, ['GET /first']);
    });

    for (const trailer of ['GET: /hidden HTTP/1.1', 'ab: GET /hidden HTTP/1.1', 'X-Trailer: /hidden HTTP/1.1']) {
      test(`trailers never run as a request, also where they look like one: ${trailer}`, async (t) => {
        const service = await serving(t, kind, async (exchange) => { await exchange.readBody(10); echoPath(exchange); });
        const client = await service.client();
        client.send(`POST /a HTTP/1.1\r\nHost: service\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`);
        // The parser of uws takes the body for whole here, that of node behind the trailers.
        if (kind === 'uws') await client.untilText('X-Path: /a');
        client.send(`${trailer}\r\nX-Other: service\r\nHost: service\r\n\r\n`);
        if (kind === 'uws') await client.untilClosed();
        else await client.untilText('X-Path: /a');
        assert.deepEqual(service.seen, ['POST /a']);
      });
    }

    for (const [title, bytes] of Object.entries(UNPARSABLE)) {
      test(`a request line with ${title} never runs, and is answered by the parser where it does not wait for more`, async (t) => {
        const service = await serving(t, kind, echoPath);
        const client = await service.client();
        client.send(bytes);
        if (kind === 'uws' && title === 'no version' && !CUT_LINES_REFUSED) {
          await pause(200);
          assert.deepEqual([client.text, service.seen], ['', []]);
          return;
        }
        const { status, headers } = readAnswer(await client.untilClosed());
        assert.deepEqual(service.seen, []);
        assert.ok(status === 400 || status === 505, String(status));
        // The native parser of uws answers by itself, and cannot carry an id.
        if (kind === 'node') assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9_-]{1,64}$/);
      });
    }

    test('a request line that arrives in two pieces runs once, or is answered by the parser and never runs', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send('GET /in-two');
      await pause(20);
      client.send('-pieces HTTP/1.1\r\nHost: service\r\n\r\n');
      const { status } = readAnswer(await client.untilText('\r\n\r\n'));
      assert.deepEqual([status, service.seen], kind === 'uws' && CUT_LINES_REFUSED ? [505, []] : [200, ['GET /in-two-pieces']]);
    });

    test('junk after a request that is still being answered closes the connection instead of being answered in its place', async (t) => {
      const service = await serving(t, kind, async (exchange) => { await pause(100); echoPath(exchange); });
      const client = await service.client();
      client.send(`GET /slow HTTP/1.1\r\nHost: service\r\n\r\n\x01junk\r\n\r\n${HIDDEN}`);
      const text = await client.untilClosed();
      assert.deepEqual(service.seen, ['GET /slow']);
      // The native parser of uws says its 400 or 505 all the same, and closes.
      if (kind === 'node') assert.equal(text, '');
    });

    test('headers beyond their bound never reach a handler as a whole second request', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send('GET /a HTTP/1.1\r\nHost: service\r\nX-Long: ');
      for (let sent = 0; sent < 4 * LIMITS.headersBytesMax; sent += 8_192) {
        client.send('x'.repeat(8_192));
        await pause(2);
      }
      const { status } = readAnswer(await client.untilClosed());
      assert.equal(status, 431);
      assert.deepEqual(service.seen, []);
    });

    test('a request without a Host never reaches a handler', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send('GET /a HTTP/1.1\r\nX-Other: service\r\n\r\n');
      // The native parser of uws takes the request for unfinished, and closes after its own 8 to 12 s.
      if (kind === 'node') {
        const { status, headers } = readAnswer(await client.untilClosed());
        assert.equal(status, 400);
        assert.ok(headers.has('x-request-id'));
      } else await pause(50);
      assert.deepEqual(service.seen, []);
    });

    for (const [target, path] of [['http://host/path?q', '/path'], ['HTTPS://host:443/path', '/path'], ['http://host', '/'], ['http://host?q', '/']] as const) {
      test(`a target in absolute form, ${target}, is its path`, async (t) => {
        const service = await serving(t, kind, echoPath);
        const client = await service.client();
        client.send(`GET ${target} HTTP/1.1\r\nHost: other\r\n\r\n`);
        const { status } = readAnswer(await client.untilText('\r\n\r\n'));
        // The native parser of uws refuses it.
        assert.deepEqual([status, service.seen], kind === 'uws' ? [505, []] : [200, [`GET ${path}`]]);
      });
    }

    test('a target of a form that is for proxies never runs, and is answered', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send('CONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n\r\n');
      const { status, headers } = readAnswer(await client.untilClosed());
      assert.deepEqual([status, headers.has('x-request-id'), service.seen], kind === 'uws' ? [505, false, []] : [400, true, []]);
    });

    test('headers beyond their bound that come in one piece are refused as well, with or without a body', async (t) => {
      const service = await serving(t, kind, echoPath);
      const long = `Host: service\r\nX-Long: ${'x'.repeat(LIMITS.headersBytesMax)}\r\n`;
      const heads = [
        `GET /a HTTP/1.1\r\n${long}\r\n`,
        `POST /b HTTP/1.1\r\n${long}Content-Length: 9\r\n\r\n123456789`,
        `POST /c HTTP/1.1\r\n${long}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
        `GET /d?${'x'.repeat(LIMITS.headersBytesMax)} HTTP/1.1\r\nHost: service\r\n\r\n`,
      ];
      for (const head of heads) {
        const client = await service.client();
        client.send(head);
        await client.untilText('HTTP/1.1 431 ');
      }
      assert.deepEqual(service.seen, []);
    });

    test('headers beyond their bound on a connection that has been used before are told so', async (t) => {
      const service = await serving(t, kind, echoPath);
      const client = await service.client();
      client.send('POST /first HTTP/1.1\r\nHost: service\r\nContent-Length: 3\r\n\r\nabc');
      await client.untilText('X-Path: /first');
      await pause(50);
      client.send(`GET /a HTTP/1.1\r\nHost: service\r\nX-Long: ${'x'.repeat(LIMITS.headersBytesMax)}\r\n\r\n`);
      await client.untilText('HTTP/1.1 431 ');
      assert.deepEqual(service.seen, ['POST /first']);
    });

    test('headers beyond their bound behind a request that is still being answered are not answered in its place', async (t) => {
      const service = await serving(t, kind, async (exchange) => { await pause(100); echoPath(exchange); });
      const client = await service.client();
      client.send('GET /slow HTTP/1.1\r\nHost: service\r\n\r\n');
      await pause(30);
      client.send(`GET /a HTTP/1.1\r\nHost: service\r\nX-Long: ${'x'.repeat(LIMITS.headersBytesMax)}\r\n\r\n`);
      const text = await client.untilClosed();
      assert.deepEqual([text, service.seen], ['', ['GET /slow']]);
    });
  });
}

test('node: no header is dropped unseen, however many there are', async (t) => {
  const service = await serving(t, 'node', (exchange) => { exchange.answer(200, [], exchange.head.headers.get('x-last') ?? 'none'); });
  const client = await service.client();
  client.send(`GET /a HTTP/1.1\r\nHost: service\r\n${'X:\r\n'.repeat(2_500)}X-Last: seen\r\n\r\n`);
  const { body } = readAnswer(await client.untilText('\r\n\r\n'));
  assert.equal(body, 'seen');
});
