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
