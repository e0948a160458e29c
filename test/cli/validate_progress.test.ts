import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { dispatch } from '../../src/cli/dispatch.ts';
import { validateCommand } from '../../src/cli/validate.ts';
import { folderOf } from '../support/folder.ts';
import { until } from '../support/until.ts';

test('the bar tells how much of the file has its results, not how much of it is read', async (t) => {
  let notes = '';
  const told = (): number[] => Array.from(notes.matchAll(/(\d+) %/g), ([, share]) => Number(share));
  const before: number[] = [];
  const server = createServer(async (request, response) => {
    let sent = '';
    for await (const chunk of request) sent += String(chunk);
    const { emails } = JSON.parse(sent) as { readonly emails: readonly string[] };
    const from = told().length;
    await until(() => told().length > from + 1);
    before.push(told().at(-1)!);
    response.end(JSON.stringify({ data: { results: emails.map((input) => ({ input, status: 'unknown' })) } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const [path, url] = [folderOf(t), `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
  const count = 2_500;
  const files = { 'a.txt': (at: number) => `${10_000 + at}@acme.com\n`, 'a.csv': (at: number) => (at === 0 ? 'email,name\n' : `${10_000 + at}@acme.com,x\n`) };
  for (const [name, line] of Object.entries(files)) {
    writeFileSync(join(path, name), Array.from({ length: count }, (_, at) => line(at)).join(''));
    await dispatch(['validate', join(path, name), '--url', url, '--key', 'k', '--out', join(path, `${name}.out`)], {
      commands: [{ name: 'validate', summary: '', load: async () => validateCommand }], config: () => assert.fail('no configuration is needed'),
      terminal: { out: () => {}, note: (text) => { notes += text; }, interactive: true, signal: new AbortController().signal },
    });
    const shares = before.splice(0);
    assert.equal(shares.length, 3);
    for (const [index, share] of shares.entries()) assert.ok(Math.abs(share - index * 40) <= 1, `${name}: ${shares.join()}`);
  }
});
