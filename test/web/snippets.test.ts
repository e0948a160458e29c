import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { findSnippets, validateSnippets } from '../../src/web/client/snippets.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const BODY = { type: 'contacts', query: `o'brien "vp sales" $HOME \`id\` \\n`, filters: { country: ['US', 'GB'], has_email: ['true'], company_size: { min: 5 } }, limit: 5 };

/** What a shell hands to curl, argument by argument. */
function argumentsOf(script: string): string[] {
  const { stdout, status } = spawnSync('sh', ['-c', `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${script}`], {
    encoding: 'utf8', env: { LDS_KEY: 'ldx_key', PATH: process.env['PATH'] },
  });
  assert.equal(status, 0);
  return stdout.split('\0').slice(0, -1);
}

test('the curl line sends the very body of the form, whatever is in it', () => {
  const words = argumentsOf(findSnippets(ORIGIN, BODY).curl);
  assert.deepEqual(words.slice(0, 5), ['-sS', `${ORIGIN}/v1/find`, '-H', 'Authorization: Bearer ldx_key', '-d']);
  assert.deepEqual(JSON.parse(words[5]!), BODY);
});

test('the NDJSON line asks for every match as lines', () => {
  const words = argumentsOf(findSnippets(ORIGIN, BODY).ndjson);
  assert.ok(words.includes('Accept: application/x-ndjson') && words.includes('-N'));
  const { limit: _, ...all } = BODY;
  assert.deepEqual(JSON.parse(words.at(-1)!), all);
  assert.deepEqual(JSON.parse(argumentsOf(validateSnippets(ORIGIN, { email: 'a@b.example' }).ndjson).at(-1)!), { emails: ['a@b.example'] });
});

test('the TypeScript makes the same call', async () => {
  const calls: [string, RequestInit][] = [];
  const answer = { ok: true, status: 200, headers: new Headers(), json: async () => ({ results: [1], total: 1, warnings: [] }) };
  const script = `${findSnippets(ORIGIN, BODY).typescript}\nreturn results;`;
  const run = Object.getPrototypeOf(async () => {}).constructor as new (...words: string[]) => (fetch: unknown, process: unknown) => Promise<unknown>;
  const results = await new run('fetch', 'process', script)(async (url: string, init: RequestInit) => { calls.push([url, init]); return answer; }, { env: { LDS_KEY: 'ldx_key' } });
  assert.deepEqual(results, [1]);
  const [[url, init]] = calls as [[string, RequestInit]];
  assert.deepEqual([url, init.method, init.headers], [`${ORIGIN}/v1/find`, 'POST', { authorization: 'Bearer ldx_key' }]);
  assert.deepEqual(JSON.parse(String(init.body)), BODY);
});
