import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { IncomingBody } from '../../src/http/incoming_body.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('a body that came before it was asked for, and one that came after, read alike', async () => {
  for (const early of [true, false]) {
    const body = new IncomingBody(null);
    const before = early ? null : body.read(10);
    body.push(bytes('ab'), false);
    body.push(bytes('cd'), true);
    assert.deepEqual(Buffer.from((await (before ?? body.read(10))) as Uint8Array).toString(), 'abcd');
  }
});

test('a smaller bound than the common one holds, for what came before as well', async () => {
  const body = new IncomingBody(null);
  body.push(bytes('abcde'), false);
  assert.equal(await body.read(4), 'too_large');
});

test('an announced length over the bound is too large before a byte has come', async () => {
  assert.equal(await new IncomingBody(11).read(10), 'too_large');
});

test('a body nobody has asked for yet is not gathered beyond the common bound', async () => {
  const body = new IncomingBody(null);
  const megabyte = new Uint8Array(LIMITS.bodyBytesMax);
  for (let at = 0; at < 3; at += 1) body.push(megabyte, false);
  assert.equal(await body.read(Infinity), 'too_large');
});

test('the rest of a body is bounded where its length is announced and short, or has all come', () => {
  const chunked = new IncomingBody(null);
  assert.equal(chunked.restIsUnbounded, true);
  chunked.push(bytes('x'), true);
  assert.equal(chunked.restIsUnbounded, false);
  assert.equal(new IncomingBody(LIMITS.bodyBytesMax).restIsUnbounded, false);
  assert.equal(new IncomingBody(LIMITS.bodyBytesMax + 1).restIsUnbounded, true);
  assert.equal(new IncomingBody(0).restIsUnbounded, false);
});

test('a body that ended is read although its caller has left since; one that did not is gone', async () => {
  const whole = new IncomingBody(1);
  whole.push(bytes('x'), true);
  whole.gone();
  assert.deepEqual(Buffer.from((await whole.read(1)) as Uint8Array).toString(), 'x');
  const half = new IncomingBody(2);
  half.push(bytes('x'), false);
  half.gone();
  assert.equal(await half.read(2), 'gone');
});

test('what is pushed may be reused at once, however long it is and however it comes', async () => {
  for (const length of [1, 4_096, 4_097, 100_000]) {
    const body = new IncomingBody(null);
    for (const letter of ['a', 'b', 'c']) {
      const chunk = Buffer.alloc(length, letter);
      body.push(chunk, letter === 'c');
      chunk.fill('x');
    }
    const whole = (await body.read(LIMITS.bodyBytesMax)) as Uint8Array;
    assert.equal(Buffer.from(whole).toString(), 'a'.repeat(length) + 'b'.repeat(length) + 'c'.repeat(length));
  }
});

test('bodies that come by turns keep apart', async () => {
  const bodies = Array.from({ length: 20 }, () => new IncomingBody(null));
  for (let piece = 0; piece < 300; piece += 1) bodies.forEach((body, nth) => { body.push(bytes(`${nth}.${piece};`.repeat(piece % 7)), piece === 299); });
  for (const [nth, body] of bodies.entries()) {
    const wanted = Array.from({ length: 300 }, (_, piece) => `${nth}.${piece};`.repeat(piece % 7)).join('');
    assert.equal(Buffer.from((await body.read(LIMITS.bodyBytesMax)) as Uint8Array).toString(), wanted);
  }
});

test('a body that comes byte by byte takes no more than a few times its length', async () => {
  const body = new IncomingBody(null);
  const one = bytes('x');
  const before = process.memoryUsage();
  for (let at = 1; at < LIMITS.bodyBytesMax; at += 1) body.push(one, false);
  const after = process.memoryUsage();
  const held = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  assert.ok(held < 16 * LIMITS.bodyBytesMax, `${held} bytes`);
  body.push(one, true);
  assert.equal(((await body.read(LIMITS.bodyBytesMax)) as Uint8Array).byteLength, LIMITS.bodyBytesMax);
});
