import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Call } from '../../../src/http/call.ts';
import { describing } from '../../../src/http/handlers/describe.ts';

test('a description is put together once for each version of the data, and known again by its ETag', () => {
  let version = 1;
  let made = 0;
  const handle = describing(() => version, () => ({ made: (made += 1) }));
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
