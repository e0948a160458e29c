import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { benchCommand } from '../../src/cli/bench.ts';
import { dispatch } from '../../src/cli/dispatch.ts';
import { until } from '../support/until.ts';
import { RunningService, type Json } from '../system/service.ts';

async function bench(args: readonly string[], { signal = new AbortController().signal, interactive = false } = {}) {
  let out = '';
  let notes = '';
  const code = await dispatch(['bench', ...args], {
    commands: [{ name: 'bench', summary: '', load: async () => benchCommand }],
    terminal: { out: (text) => { out += text; }, note: (text) => { notes += text; }, interactive, signal },
    config: () => assert.fail('needs no configuration'),
  });
  return { code, out, notes, json: args.includes('--json') && out !== '' ? JSON.parse(out) as Json : null };
}

const FILTERS = ['country', 'industry', 'seniority'].map((name) => ({ name, kind: 'narrowing', sources: name === 'seniority' ? [] : ['crm'] }));
const SCHEMA = { types: { contacts: { filters: FILTERS }, companies: { filters: [] } } };
const MEMBERS = { total: 9, type: 'contacts', returned: 2, facets: null, sources: [{ source: 'crm', reason: null }] };
const answer = (more: object): string => JSON.stringify({ results: [{ id: 'crm:1', skills: ['a],"total":'] }, { id: 'crm:2' }], ...MEMBERS, partial: false, ...more });
const WHOLE = answer({});
const PARTIAL = answer({ partial: true, sources: [{ source: 'crm', reason: 'timed out' }, { source: 'dwh', reason: 'timed out' }] });
const FACETS = answer({ facets: { country: [{ value: 'US', count: 3 }, { value: 'DE', count: 1 }], industry: [{ value: 'Software', count: 4 }] } });

type Respond = (response: ServerResponse, nth: number, body: string) => void;
const give = (response: ServerResponse, status: number, text: string, units = '1'): void => { response.writeHead(status, { 'x-units-charged': units, 'x-units-remaining': '50' }).end(text); };
const refuse = (response: ServerResponse, status: number, error: string, detail = '', retryAfter?: number): void => {
  response.writeHead(status).end(JSON.stringify({ error, detail, retry_after: retryAfter }));
};

/** A gateway that answers what is asked beforehand well, and every search after that as the test says. */
async function fake(t: TestContext, respond: Respond) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => { body += chunk.toString(); });
    request.on('end', () => {
      if (request.method === 'GET') response.end(JSON.stringify(SCHEMA));
      else if (body.includes('"timeout_ms"')) give(response, 200, FACETS);
      else {
        sockets.add(request.socket);
        respond(response, asked.push(body), body);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, sockets, url, args: ['--url', url, '--key', 'ldx_k'], close: () => { server.closeAllConnections(); server.close(); } };
}

// Each has a gateway of its own, and sends for a second of the clock.
describe('lds bench', { concurrency: true }, () => {
  test('whole and partial answers, refusals and failures are counted one by one at a fixed rate', async (t) => {
    const kinds: readonly Respond[] = [
      (response) => give(response, 200, WHOLE, '2'),
      (response) => give(response, 200, PARTIAL),
      (response) => refuse(response, 429, 'rate_limited', 'The umbrella concurrency cap is reached: retry in 1 s.', 1),
      (response) => refuse(response, 503, 'overloaded'),
      (response) => { response.writeHead(200, { 'content-length': 1_000 }).write('{"results":['); setImmediate(() => response.destroy()); },
      (response) => give(response, 200, '<html>'),
    ];
    const gateway = await fake(t, (response, nth, body) => kinds[nth % kinds.length]!(response, nth, body));
    const { code, json, notes } = await bench([...gateway.args, '--rate', '60', '--seconds', '1', '--connections', '3', '--json']);
    assert.equal(code, 1);
    assert.equal(notes, '');
    assert.equal(json.requests + json.unsent, 60);
    assert.equal(json.requests, gateway.asked.length);
    const each = (kind: number): number => gateway.asked.filter((_, at) => (at + 1) % kinds.length === kind).length;
    // What never came, as where the machine was too busy for more than a few searches, is not told.
    const told = (counts: Readonly<Record<string, number>>): object => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    assert.deepEqual([json.whole, json.partial, json.refused, json.failed], [
      each(0), { count: each(1), reasons: told({ 'timed out': each(1) }) },
      { count: each(2) + each(3), codes: told({ 'rate_limited:umbrella': each(2), overloaded: each(3) }) },
      { count: each(4) + each(5), reasons: told({ cut: each(4), unreadable: each(5) }) },
    ]);
    assert.deepEqual([json.rows, json.units, json.units_remaining], [2 * (each(0) + each(1)), 1 + 2 * each(0) + each(1) + each(5), 50]);
  });

  test('--json is one object whose names are stable', async (t) => {
    const gateway = await fake(t, (response) => give(response, 200, WHOLE));
    const { code, json, out } = await bench([...gateway.args, '--rate', '5', '--seconds', '1', '--json']);
    assert.equal(code, 0);
    assert.equal(out.trimEnd().split('\n').length, 1);
    assert.deepEqual(Object.keys(json), ['url', 'searches', 'connections', 'rate', 'seconds', 'stopped', 'requests', 'whole', 'partial', 'refused', 'failed', 'abandoned', 'unsent', 'late_ms_max',
      'rows', 'bytes', 'requests_per_second', 'rows_per_second', 'mib_per_second', 'latency_ms', 'units', 'units_remaining']);
    assert.deepEqual(Object.keys(json.latency_ms), ['p50', 'p90', 'p99', 'max', 'precision_percent']);
    const { url, searches, connections, rate, stopped, bytes, requests } = json;
    assert.deepEqual([url, searches, connections, rate, stopped, bytes], [gateway.url, 1_000, 8, 5, null, requests * Buffer.byteLength(WHOLE)]);
  });

  test('as fast as answers come it never has more under way than connections, and the searches are the drawn ones in turn', async (t) => {
    let underWay = 0;
    let most = 0;
    const gateway = await fake(t, (response) => {
      most = Math.max(most, ++underWay);
      setTimeout(() => { underWay -= 1; give(response, 200, WHOLE); }, 10);
    });
    const { code, out } = await bench([...gateway.args, '--connections', '5', '--seconds', '1', '--limit', '7', '--filter', 'city=Bonn']);
    assert.equal(code, 0);
    assert.ok(most <= 5 && gateway.sockets.size === 5, `${most} under way over ${gateway.sockets.size} connections`);
    assert.match(out, new RegExp(`^whole +${gateway.asked.length.toLocaleString('en')}$`, 'm'));
    const bodies = gateway.asked.map((body) => JSON.parse(body) as Json);
    assert.ok(bodies.every(({ type, limit, filters }) =>
      type === 'contacts' && limit === 7 && filters.city[0] === 'Bonn'
      && ['US', 'DE'].includes(filters.country[0]) && filters.seniority === undefined
    ));
  });

  test('a key that is refused stops it at once, before and while it sends', async (t) => {
    const late = await fake(t, (response, nth) => (nth > 3 ? refuse(response, 401, 'unauthorized', 'Revoked.') : give(response, 200, WHOLE)));
    const revoked = await bench([...late.args, '--seconds', '3600', '--connections', '1', '--json']);
    assert.deepEqual([revoked.code, revoked.json.stopped, revoked.json.whole, revoked.json.refused], [1, 'key_refused', 3, { count: 1, codes: { unauthorized: 1 } }]);
    assert.equal(revoked.notes, 'lds bench: Stopped: the gateway refuses the key. Revoked.\n');
  });

  test('units that are spent until midnight stop it, those that calls under way hold do not', async (t) => {
    const gateway = await fake(t, (response, nth) => {
      if (nth <= 2) give(response, 200, WHOLE);
      else refuse(response, 429, 'rate_limited', 'The daily unit budget is reached.', nth <= 4 ? 1 : 40_000);
    });
    const { code, json, notes } = await bench([...gateway.args, '--seconds', '3600', '--connections', '1', '--json']);
    assert.deepEqual([code, json.stopped, json.whole, json.refused.codes], [1, 'units_spent', 2, { 'rate_limited:daily': 3 }]);
    assert.match(notes, /^lds bench: Stopped: the units of the key are spent\. The daily unit budget is reached\.\n$/);
  });

  test('a gateway that goes away is given some seconds, then the run stops with what was measured', async (t) => {
    const gateway = await fake(t, (response, nth) => {
      give(response, 200, WHOLE);
      if (nth === 3) gateway.close();
    });
    const { code, json, notes } = await bench([...gateway.args, '--seconds', '3600', '--connections', '1', '--json']);
    assert.deepEqual([code, json.stopped], [1, 'no_answer']);
    assert.ok(json.failed.reasons.no_connection > 0);
    assert.match(notes, /nothing answers any more/);
  });

  test('an interrupt ends it with what was measured so far', async (t) => {
    const interrupted = new AbortController();
    const gateway = await fake(t, (response, nth) => {
      if (nth <= 3) give(response, 200, WHOLE);
      else interrupted.abort();
    });
    const { code, json, notes } = await bench([...gateway.args, '--seconds', '3600', '--connections', '1', '--json'], { signal: interrupted.signal });
    assert.deepEqual([code, json.stopped, json.whole, json.requests, json.abandoned], [0, 'interrupted', 3, 3, 1]);
    assert.match(notes, /^lds bench: Interrupted/);
  });

  test('what is due while no connection is free counts among the latencies', async (t) => {
    const interrupted = new AbortController();
    const gateway = await fake(t, () => { setTimeout(() => interrupted.abort(), 300); });
    const { json } = await bench([...gateway.args, '--seconds', '3600', '--connections', '1', '--rate', '100', '--json'], { signal: interrupted.signal });
    assert.deepEqual([json.requests, json.abandoned], [0, 1]);
    assert.ok(json.unsent > 0 && json.latency_ms.max > 0, JSON.stringify(json));
  });

  test('progress is drawn on a terminal and nowhere else', async (t) => {
    const gateway = await fake(t, (response) => give(response, 200, WHOLE));
    assert.match((await bench([...gateway.args, '--seconds', '1', '--rate', '5'], { interactive: true })).notes, /loading /);
    assert.equal((await bench([...gateway.args, '--seconds', '1', '--rate', '5'])).notes, '');
  });

  test('a mistake in the command exits with 2 before anything is sent, and a gateway that is not there is told', async (t) => {
    const gateway = await fake(t, (response) => give(response, 200, WHOLE));
    const wrong = [['people'], ['contacts', 'companies'], ['--filter', 'country'], ['--connections', '0'], ['--connections', '1001'], ['--seconds', '3601'], ['--rate', '0'], ['--limit', '1001'], ['--url', 'nowhere'],
      ['--searches', '/nowhere/a.ndjson'], ['--searches', 'a.ndjson', 'contacts'], ['--searches', 'a.ndjson', '--limit', '5']];
    for (const args of wrong) assert.equal((await bench([...gateway.args, ...args])).code, 2, args.join(' '));
    assert.equal(gateway.asked.length, 0);
    gateway.close();
    const gone = await bench(gateway.args);
    assert.deepEqual([gone.code, gone.out], [1, '']);
    assert.match(gone.notes, /No gateway answers at .* Is it running\?/);
  });
});

describe('a running gateway', () => {
  let service: RunningService;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lds-bench-'));
    service = await RunningService.start({ LDS_DEMO: '0' }, folder);
    const file = join(folder, 'contacts.csv');
    const rows = Array.from({ length: 90 }, (_, at) => `${at},Jo ${at},jo${at}@acme${at}.com,${['US', 'DE', 'FR'][at % 3]},${['Software', 'Retail'][at % 2]},${['vp', 'manager'][at % 2]}`);
    writeFileSync(file, `id,full_name,email,country,industry,seniority\n${rows.join('\n')}\n`);
    await service.ingest('crm', file);
    await until(async () => (await service.find({ type: 'contacts' })).json.total === 90);
  });
  after(() => service.stop());

  const args = (key: string): string[] => ['--url', service.url, '--key', key, '--json'];

  test('answers all that is drawn from its data, and charges what is told', async () => {
    const key = await service.createKey('bench@localhost', 'standard');
    const { code, json, notes } = await bench([...args(key), '--rate', '40', '--seconds', '1']);
    assert.deepEqual([code, notes, json.requests, json.requests + json.unsent, json.partial.count, json.failed.count], [0, '', json.whole, 40, 0, 0]);
    assert.ok(json.rows > json.requests, 'every search finds rows');
    const { json: usage } = await service.call('GET', '/v1/usage', { key });
    assert.equal(usage.caps.daily.used, json.units);
    assert.equal(json.units, json.whole + 1);
  });

  test('caps what a small plan may ask, and refuses a key that it does not know', async () => {
    const { code, json } = await bench([...args(await service.createKey('small@localhost', 'preview')), '--rate', '60', '--seconds', '3']);
    assert.deepEqual([code, json.stopped, json.failed.count], [1, null, 0]);
    assert.ok(json.whole <= 30 && json.refused.codes['rate_limited:burst'] === json.refused.count && json.units === json.whole + 1, JSON.stringify(json));
    const strange = await bench(args(`${service.key.slice(0, -1)}${service.key.endsWith('0') ? '1' : '0'}`));
    assert.deepEqual([strange.code, strange.out], [1, '']);
    assert.match(strange.notes, /^lds bench: 401 unauthorized/);
  });

  test('checks the searches of a file, and a line that it does not take is told by its number', async () => {
    const file = join(folder, 'searches.ndjson');
    writeFileSync(file, '{"type":"contacts","filters":{"country":["US"]},"limit":5}\n\n{"type":"contacts","filters":{"county":["US"]}}\nnot json\n');
    const { code, json, notes } = await bench([...args(service.key), '--searches', file, '--rate', '30', '--seconds', '1', '--connections', '2']);
    assert.deepEqual([code, json.searches, json.requests + json.unsent], [1, 3, 30]);
    const third = Math.floor(json.requests / 3);
    assert.deepEqual([json.refused.codes.unknown_filter, json.refused.codes.invalid_json].map((count) => Math.abs(count - third) <= 1), [true, true]);
    assert.equal(json.rows, 5 * json.whole);
    assert.match(notes, /^lds bench: line 3: 400 unknown_filter: .*\n/m);
    assert.match(notes, /^lds bench: line 4: 400 invalid_json: .*\n/m);
    assert.equal(notes.split('\n').length, 3);
  });
});
