import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { PageAnswer } from '../../src/model/page.ts';
import { Assets } from '../../src/web/assets.ts';

const assets = new Assets();

function ask(name: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
  const [, , version = '', file = ''] = assets.url(name).split('/');
  const request = {
    requestId: 'r', parameters: new Map([['version', version], ['name', file]]), query: '', headers: new Map(Object.entries(headers)),
    client: { network: '203.0.113.9', secure: false }, identify: () => {}, body: () => Promise.resolve(null),
  };
  return Promise.resolve(assets.route.handle(request));
}
const headerOf = ({ headers = [] }: PageAnswer, name: string): string | undefined => headers.find(([each]) => each === name)?.[1];

test('a file is packed only for whoever takes it so, and what is small for whoever takes nothing else', async () => {
  const cases: readonly (readonly [name: string, accepted: string, packed: boolean])[] = [
    ['site.css', 'gzip', true], ['site.css', 'gzip;q=0', false], ['site.css', 'gzip;q=0, *', false], ['site.css', 'gzip;q=0.5, identity', false],
    ['site.css', 'identity;q=0, *', true], ['site.css', 'br', false], ['site.css', '*', true], ['icon.svg', 'gzip', false], ['icon.svg', 'gzip, identity;q=0', true],
  ];
  for (const [name, accepted, packed] of cases) {
    const answer = await ask(name, { 'accept-encoding': accepted });
    assert.deepEqual([answer.status, headerOf(answer, 'Content-Encoding'), headerOf(answer, 'Vary')], [200, packed ? 'gzip' : undefined, 'Accept-Encoding'], `${name} ${accepted}`);
    const plain = (await ask(name)).body;
    assert.deepEqual(packed ? gunzipSync(answer.body) : answer.body, plain);
  }
});

test('whoever takes a file neither packed nor as it is is told so', async () => {
  for (const refused of ['*;q=0', 'identity;q=0', 'identity;q=0, gzip;q=0']) await assert.rejects(ask('site.css', { 'accept-encoding': refused }), { code: 'not_acceptable' }, refused);
});

test('a file that is known by one tag of several is not sent again', async () => {
  const etag = headerOf(await ask('site.css'), 'ETag')!;
  for (const known of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) assert.equal((await ask('site.css', { 'if-none-match': known })).status, 304, known);
  assert.equal((await ask('site.css', { 'if-none-match': '"other"' })).status, 200);
});
