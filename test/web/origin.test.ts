import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownOrigin } from '../../src/web/origin.ts';

test('a command names the gateway as its visitor reached it, and never what a shell would run', () => {
  const shown = (host: string | undefined, secure = false): string => shownOrigin({ headers: { get: () => host }, client: { network: 'x', secure } });
  assert.equal(shown('127.0.0.1:8080'), 'http://127.0.0.1:8080');
  assert.equal(shown('leads.example', true), 'https://leads.example');
  assert.equal(shown('[::1]:8080'), 'http://[::1]:8080');
  for (const host of [undefined, '', 'a;id', '$(id)', '`id`', 'a b', "a'", 'a&b', 'a\n']) assert.equal(shown(host), '$GATEWAY');
});
