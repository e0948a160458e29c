import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Answer, Call } from '../../../src/http/call.ts';
import { descriptionHandler, documentHandler } from '../../../src/http/handlers/describe.ts';

test('a description is put together once for each version of the data, and known again by its ETag', () => {
  let version = 1;
  let made = 0;
  const handle = descriptionHandler(() => version, () => ({ made: (made += 1) }));
  const ask = (known?: string): Answer => {
    const answers: Answer[] = [];
    handle({ exchange: { head: { headers: { get: (name: string) => (name === 'if-none-match' ? known : undefined) } } }, answer: (answer: Answer) => { answers.push(answer); } } as unknown as Call);
    return answers[0]!;
  };
  const etagOf = ({ headers }: Answer): string => (headers as readonly (readonly [string, string])[])[0]![1];
  const first = ask();
  assert.equal(Buffer.from(first.body).toString(), '{"made":1}');
  assert.equal(ask().body, first.body, 'the very same bytes, hashed before');
  assert.deepEqual([ask(etagOf(first)).status, ask('*').status, ask(`W/${etagOf(first)}, "x"`).status, ask('"x"').status], [304, 304, 304, 200]);
  version = 2;
  assert.equal(Buffer.from(ask(etagOf(first)).body).toString(), '{"made":2}');
  assert.equal(made, 2);
});

test('a description that never changes is packed for whoever takes it so, and known again in either form', () => {
  const handle = documentHandler({ long: 'x'.repeat(1_000) });
  const ask = (headers: Record<string, string>): { status: number; headers: Map<string, string>; body: Buffer } => {
    const answers: Answer[] = [];
    handle({ exchange: { head: { headers: new Map(Object.entries(headers)) } }, answer: (answer: Answer) => { answers.push(answer); } } as unknown as Call);
    const { status, headers: given, body } = answers[0]!;
    return { status, headers: new Map(given as readonly (readonly [string, string])[]), body: Buffer.from(body) };
  };
  const plain = ask({});
  const packed = ask({ 'accept-encoding': 'gzip, deflate, br' });
  assert.deepEqual([plain.headers.get('Content-Encoding'), packed.headers.get('Content-Encoding')], [undefined, 'gzip']);
  assert.deepEqual(gunzipSync(packed.body), plain.body);
  assert.notEqual(packed.headers.get('ETag'), plain.headers.get('ETag'), 'other bytes');
  for (const accepted of ['identity', 'gzip;q=0', 'gzip;q=0.5, identity', 'br']) assert.deepEqual(ask({ 'accept-encoding': accepted }).body, plain.body, accepted);
  for (const [accepted, { headers }] of [['gzip', packed], ['identity', plain]] as const) {
    const known = ask({ 'accept-encoding': accepted, 'if-none-match': headers.get('ETag')! });
    assert.deepEqual([known.status, known.headers.get('Vary'), known.headers.get('Content-Encoding'), known.body.length], [304, 'Accept-Encoding', undefined, 0]);
  }
});
