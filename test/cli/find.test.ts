import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { findCommand } from '../../src/cli/find.ts';
import { runCommand } from './run_command.ts';

type Asked = { body: Record<string, unknown>; accept: string | undefined; authorization: string | undefined; path: string | undefined };
/** `cut`: the connection breaks off where more was promised. */
type Answer = { status?: number; body: string; headers?: Record<string, string>; cut?: boolean };

/** Runs `lds find` against a gateway that gives one answer. */
async function run(t: TestContext, args: readonly string[], answer: Answer) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => { text += chunk.toString(); });
    request.on('end', () => {
      const { accept, authorization } = request.headers;
      asked.push({ body: JSON.parse(text) as Record<string, unknown>, accept, authorization, path: request.url });
      response.writeHead(answer.status ?? 200, answer.headers);
      if (answer.cut === true) response.write(answer.body, () => setImmediate(() => response.destroy()));
      else response.end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const where = [['--url', url], ['--key', 'ldx_k']].filter(([name]) => !args.includes(name!)).flat();
  const ran = await runCommand('find', findCommand, [...where, ...args], () => assert.fail('needs no configuration'));
  return { ...ran, asked: asked[0] };
}

const PAGE = {
  type: 'contacts', total: 7, total_relation: 'gte', partial: false, warnings: [], took_ms: 3.2, next_cursor: 'abc',
  results: [
    { id: 'crm:1', full_name: 'Zoë Müller', job_title: 'a title that is much longer than any column of a table should be', email: null, country: 'DE' },
    { id: 'crm:2', full_name: '山田太郎', job_title: 'CTO\u001b[31m', email: 't@y.jp', country: 'JP' },
  ],
};

test('the options become the body of one call with the key', async (t) => {
  const args = ['contacts', '--filter', 'country=US', '--filter', 'country=CA', '--filter', 'job_title=a=b', '--query', 'vp', '--limit', '5',
    '--fields', 'email, phone', '--source', 'crm', '--source', 'web', '--timeout-ms', '900', '--cursor', 'c'];
  const { asked } = await run(t, args, { body: JSON.stringify(PAGE) });
  assert.deepEqual(asked, {
    path: '/v1/find', accept: 'application/json', authorization: 'Bearer ldx_k',
    body: { type: 'contacts', filters: { country: ['US', 'CA'], job_title: ['a=b'] }, query: 'vp', limit: 5, fields: ['email', 'phone'], sources: { only: ['crm', 'web'] }, timeout_ms: 900, cursor: 'c' },
  });
});

test('a gateway is not looked for at the root of a host where its address has a path', async () => {
  for (const url of ['https://leads.example/api', 'https://leads.example/?a=b', 'ftp://leads.example', 'leads.example']) {
    const { code, notes } = await runCommand('find', findCommand, ['contacts', '--url', url, '--key', 'ldx_k'], () => assert.fail('needs no configuration'));
    assert.deepEqual([code, notes.split('\n')[0]], [2, 'lds find: A gateway has a URL such as http://127.0.0.1:8080, without user, password and path: see --url, LDS_URL and LDS_PORT.']);
  }
});

test('values to leave out and bounds stand beside the values of a filter', async (t) => {
  const args = ['companies', '--filter', 'country=DE', '--filter', 'city=Ulm', '--exclude', 'city=Köln', '--exclude', 'city=Bonn', '--exclude', 'industry=a=b',
    '--min', 'founded_year=1990', '--max', 'founded_year=2010', '--max', 'updated_at=2025-01-31'];
  const { asked } = await run(t, args, { body: JSON.stringify(PAGE) });
  assert.deepEqual(asked?.body, {
    type: 'companies',
    filters: {
      country: ['DE'], city: { include: ['Ulm'], exclude: ['Köln', 'Bonn'] }, industry: { exclude: ['a=b'] },
      founded_year: { min: '1990', max: '2010' }, updated_at: { max: '2025-01-31' },
    },
  });
});

test('rows are shown as a table, long cells cut and control characters taken out', async (t) => {
  const { code, out } = await run(t, ['contacts'], { body: JSON.stringify(PAGE) });
  assert.equal(code, 0);
  assert.equal(out, [
    'id     full_name   job_title                         email   country',
    '-----  ----------  --------------------------------  ------  -------',
    'crm:1  Zoë Müller  a title that is much longer tha…  -       DE',
    'crm:2  山田太郎    CTO [31m                          t@y.jp  JP',
    '2 of at least 7 in 3.2 ms',
    'next: --cursor=abc',
    '',
  ].join('\n'));
});

test('the next page is asked for by what the table ends with, also where a cursor begins with a dash', async (t) => {
  const { out } = await run(t, ['contacts'], { body: JSON.stringify({ ...PAGE, next_cursor: '--E_x' }) });
  const [, option] = /^next: (.*)$/m.exec(out)!;
  const { asked } = await run(t, ['contacts', ...option!.split(' ')], { body: JSON.stringify(PAGE) });
  assert.equal(asked!.body['cursor'], '--E_x');
});

test('fields that were asked for are the columns, in the order asked', async (t) => {
  const rows = [{ id: 'crm:1', source: 'crm', skills: ['sql', 'go'], updated_at: '2025-01-31T00:00:00Z' }, { id: 'crm:2', source: 'crm', skills: null, updated_at: null }];
  const { out } = await run(t, ['contacts', '--fields', 'updated_at,skills'], { body: JSON.stringify({ ...PAGE, results: rows }) });
  assert.deepEqual(out.split('\n').slice(0, 4), [
    'id     updated_at            skills',
    '-----  --------------------  -------',
    'crm:1  2025-01-31T00:00:00Z  sql, go',
    'crm:2  -                     -',
  ]);
});

test('an answer with rows missing exits with 1 and shows the warnings', async (t) => {
  const { code, out, notes } = await run(t, ['contacts'], { body: JSON.stringify({ ...PAGE, partial: true, warnings: ['events: timed out'] }) });
  assert.equal(code, 1);
  assert.match(out, /rows may be missing/);
  assert.equal(notes, 'events: timed out\n');
});

test('of a port that fetch does not call it is said, not that nothing is running there', async () => {
  const { code, notes } = await runCommand('find', findCommand, ['contacts', '--url', 'http://127.0.0.1:10080', '--key', 'ldx_k'], () => assert.fail('needs no configuration'));
  assert.equal(code, 1);
  assert.match(notes, /^lds find: No gateway answers at http:\S+: browsers and Node\.js refuse to call this port/);
});

test('--json prints the answer as it came', async (t) => {
  const body = JSON.stringify(PAGE);
  assert.equal((await run(t, ['contacts', '--json'], { body })).out, `${body}\n`);
  const { code, notes, asked } = await run(t, ['contacts', '--json', '--ndjson'], { body });
  assert.deepEqual([code, asked, notes.split('\n')[0]], [2, undefined, 'lds find: --json or --ndjson, not both.']);
});

test('--ndjson prints the lines as they came, and a stream without @end is a failure', async (t) => {
  const whole = '{"id":"crm:1"}\n{"@end":{"partial":false,"warnings":[]}}\n';
  const args = ['companies', '--ndjson'];
  const complete = await run(t, args, { body: whole });
  assert.deepEqual([complete.code, complete.out, complete.asked!.accept], [0, whole, 'application/x-ndjson']);
  for (const body of ['{"id":"crm:1"}\n', '{"@error":{"error":"internal"}}\n', whole.slice(0, -1), '']) {
    const cut = await run(t, args, { body });
    assert.deepEqual([cut.code, cut.out], [1, body]);
    assert.match(cut.notes, /rows are missing/);
  }
  const partial = await run(t, args, { body: '{"@end":{"partial":true,"warnings":["crm: late"]}}\n' });
  assert.deepEqual([partial.code, partial.notes], [1, 'crm: late\n']);
});

test('a connection that breaks off amid the answer is told as such, and in a stream as rows that are missing', async (t) => {
  const stream = await run(t, ['contacts', '--ndjson'], { body: '{"id":"crm:1"}\n', cut: true });
  assert.deepEqual([stream.code, stream.out, stream.notes], [1, '{"id":"crm:1"}\n', 'lds find: The stream was cut or failed; rows are missing.\n']);
  const page = await run(t, ['contacts'], { body: '{"type":"contacts","results":[', cut: true });
  assert.deepEqual([page.code, page.out, page.notes], [1, '', 'lds find: The answer broke off.\n']);
});

test('what is no answer of a gateway is told as such', async (t) => {
  for (const body of ['{}', '[]', 'null', '<html>', '', JSON.stringify({ ...PAGE, type: 'people' }), JSON.stringify({ ...PAGE, results: null })]) for (const form of [[], ['--json']]) {
    const { code, out, notes } = await run(t, ['contacts', ...form], { body });
    assert.deepEqual([code, out, notes], [1, '', 'lds find: What answers there is no gateway: it gave no page of rows.\n'], body);
  }
  assert.deepEqual(await run(t, ['contacts', '--ndjson'], { status: 204, body: '' }).then(({ code, out }) => [code, out]), [1, '']);
  for (const [status, body] of [[502, 'null'], [404, '<html>'], [404, '{"message":"Not Found"}']] as const) {
    assert.equal((await run(t, ['contacts'], { status, body })).notes, `lds find: ${status}: What answers there is no gateway.\n`);
  }
  assert.equal((await run(t, ['contacts'], { status: 503, body: '{"error"', headers: { 'x-request-id': 'r1' } })).notes, 'lds find: 503 [request r1]\n');
});

test('a refusal is told with its code, detail, tip and request id', async (t) => {
  const { code, notes } = await run(t, ['contacts', '--query', 'x'], {
    status: 400, headers: { 'x-request-id': 'r1' }, body: JSON.stringify({ error: 'query_without_narrowing_filter', detail: 'Add one.', tip: 'See sources.' }),
  });
  assert.deepEqual([code, notes], [1, 'lds find: 400 query_without_narrowing_filter: Add one. See sources. [request r1]\n']);
});

test('a mistake in the options exits with 2 before anything is sent', async (t) => {
  const misspelt = [[], ['contacts', 'companies'], ['contacts', '--filter', 'country'], ['contacts', '--exclude', '=US'], ['contacts', '--limit', 'many'],
    ['contacts', '--min', 'updated_at=2024-01-01', '--min', 'updated_at=2025-01-01']];
  for (const args of [...misspelt, ...['nowhere', 'ftp://127.0.0.1', 'http://jo:s3cret@127.0.0.1', ''].map((url) => ['contacts', '--url', url])]) {
    const { code, asked, notes } = await run(t, args, { body: '{}' });
    assert.deepEqual([code, asked, notes.includes('s3cret')], [2, undefined, false], args.join(' '));
  }
});

test('a key that is no header of HTTP is a mistake in the command, and blanks around one are none', async (t) => {
  const { code, notes, asked } = await run(t, ['contacts', '--key', 'ldx_a\nldx_b'], { body: JSON.stringify(PAGE) });
  assert.deepEqual([code, asked, notes.includes('No gateway')], [2, undefined, false]);
  assert.match(notes, /^lds find: The key of LDS_KEY or --key is no key/);
  assert.equal((await run(t, ['contacts', '--key', ' ldx_a\r\n'], { body: JSON.stringify(PAGE) })).asked?.authorization, 'Bearer ldx_a');
});
