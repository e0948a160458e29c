import assert from 'node:assert/strict';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { isWellFormed } from '../../../src/lib/well_formed.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { Connections } from '../../../src/sources/clickhouse/connect.ts';
import { literal, name } from '../../../src/sources/clickhouse/dialect.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import type { FailureCode, FoundRow } from '../../../src/sources/source.ts';
import { HOSTILE } from '../../contract/sources/people.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { pause } from '../../support/runners.ts';
import { until } from '../../support/until.ts';
import { failsAs } from '../fails_as.ts';

const NEVER = new AbortController().signal;
const PASSWORD = 'groß: 5 € %';
const TEXT = fc.oneof(
  fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom('\\', "'", '"', '`', '\0', '\n', '{', '}', '--', '/*', '*/', 'x', ' ')).map((parts) => parts.join('')),
).filter(isWellFormed);

async function drain(connections: Connections, statement: string, signal = NEVER): Promise<number> {
  let lines = 0;
  for await (const some of connections.lines(statement, 'short', signal)) lines += some.toString().split('\n').length;
  return lines;
}

describe('a clickhouse server', { skip: NO_CLICKHOUSE }, () => {
  let server: ClickhouseServer;
  let connections: Connections;
  before(async () => {
    server = await ClickhouseServer.start({ users: { müller: PASSWORD } });
    connections = new Connections({ url: server.url, connectMs: 10_000, connections: 4 });
  }, { timeout: 180_000 });
  after(async () => {
    await connections.close();
    await server.stop();
  });

  it('reads every literal as the very text it was made of, and every name as one', async () => {
    await fc.assert(fc.asyncProperty(fc.array(TEXT, { minLength: 1, maxLength: 20 }), async (texts) => {
      const statement = `SELECT ${texts.map((text, i) => `hex(${literal(text)}) AS x${i}`).join(', ')}`;
      const [row] = await connections.all(statement, 'short', NEVER);
      assert.deepEqual(Object.values(row!), texts.map((text) => Buffer.from(text).toString('hex').toUpperCase()));
    }), { numRuns: 60 });
    const odd = 'a`b\\c"d\'';
    assert.deepEqual(await connections.all(`SELECT ${name(odd)} AS y FROM (SELECT 1 AS ${name(odd)})`, 'short', NEVER), [{ y: 1 }]);
  });

  it('knows its users by names and passwords beyond ASCII too', async () => {
    const url = new URL(server.url);
    url.username = 'müller';
    url.password = encodeURIComponent(PASSWORD);
    const own = new Connections({ url: url.href, connectMs: 10_000, connections: 1 });
    assert.deepEqual(await own.all("SELECT user FROM system.processes WHERE user != 'default'", 'short', NEVER), [{ user: 'müller' }]);
    await own.close();
  });

  it('is taken for failed where it ends a 200 with the text of an exception', async () => {
    const statement = 'SELECT throwIf(number = 200000) AS x FROM system.numbers LIMIT 300000';
    await assert.rejects(drain(connections, statement), failsAs('broken'));
  });

  it('stops what it runs when the signal strikes', async () => {
    const controller = new AbortController();
    const running = drain(connections, 'SELECT count() AS x FROM system.numbers WHERE NOT ignore(sleepEachRow(0))', controller.signal);
    const processes = async (): Promise<number> => Number(await server.query("SELECT count() FROM system.processes WHERE query LIKE '%ignore%' AND query NOT LIKE '%processes%'"));
    while (await processes() === 0) await pause(10);
    controller.abort();
    await assert.rejects(running);
    await until(async () => await processes() === 0);
  });

  it('stops all that was left while it was told to stop another', async () => {
    const controllers = Array.from({ length: 3 }, () => new AbortController());
    const running = controllers.map(({ signal }) => drain(connections, 'SELECT count() AS x FROM system.numbers WHERE NOT ignore(sleepEachRow(0))', signal));
    const processes = async (): Promise<number> => Number(await server.query("SELECT count() FROM system.processes WHERE query LIKE '%ignore%' AND query NOT LIKE '%processes%'"));
    while (await processes() < controllers.length) await pause(10);
    for (const controller of controllers) controller.abort();
    for (const one of running) await assert.rejects(one);
    await until(async () => await processes() === 0);
  });

  it('tells what it would not run from what it could not', async () => {
    await assert.rejects(drain(connections, 'SELECT nonsense'), failsAs('refused'));
  });
});

describe('what is no clickhouse server', () => {
  /** `cuts`: closes the connection behind its reply. */
  async function facing(reply: string, test: (connections: Connections) => Promise<void>, cuts = true): Promise<void> {
    const fake: Server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(reply);
        if (cuts) setTimeout(() => socket.destroy(), 20);
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => { fake.once('listening', resolve); });
    const connections = new Connections({ url: `http://127.0.0.1:${(fake.address() as AddressInfo).port}`, connectMs: 10_000, connections: 1 });
    try {
      await test(connections);
    } finally {
      await connections.close();
      fake.close();
    }
  }
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

  it('is unreachable where nothing listens', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => { probe.once('listening', resolve); });
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => { probe.close(resolve); });
    const connections = new Connections({ url: `http://127.0.0.1:${port}`, connectMs: 10_000, connections: 1 });
    await assert.rejects(drain(connections, 'SELECT 1'), failsAs('unreachable'));
    await connections.close();
  });

  it('has failed where its answer is cut, at the end of a line too', async () => {
    await facing(`${head}Transfer-Encoding: chunked\r\n\r\n8\r\n{"x":1}\n\r\n`, async (connections) => assert.rejects(drain(connections, 'SELECT 1'), failsAs('broken')));
    await facing(`${head}Content-Length: 100\r\n\r\n{"x":1}\n`, async (connections) => assert.rejects(drain(connections, 'SELECT 1'), failsAs('broken')));
  });

  it('has failed as it says, in whichever form it ends a 200 with an exception', async () => {
    const said = 'Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)';
    for (const tail of [`${said}\n`, `\r\n__exception__\r\nPU1FNUFH98\r\n${said}\r\n72 PU1FNUFH98\r\n__exception__\r\n`, `{"exception": ${JSON.stringify(said)}}\n`, `{"x":2${said}\n`]) {
      const body = `{"x":1}\n${tail}`;
      await facing(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, async (connections) => assert.rejects(drain(connections, 'SELECT 1'), failsAs('overloaded'), tail));
    }
  });

  async function answering(status: string, said: string, as: FailureCode): Promise<void> {
    await facing(`HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(said)}\r\n\r\n${said}`, async (connections) => assert.rejects(drain(connections, 'SELECT 1'), failsAs(as), said));
  }

  it('has no room where it says so, or a quota of its user is used up, and refused no search', async () => {
    await answering('500 Internal Server Error', 'Code: 201. DB::Exception: Quota for user `reader` for 3600s has been exceeded: queries = 101/100. (QUOTA_EXCEEDED)', 'overloaded');
    await answering('503 Service Unavailable', 'Code: 745. DB::Exception: CPU is overloaded. (SERVER_OVERLOADED)', 'overloaded');
  });

  it('is unreachable where a proxy says that it has no server, and has failed where one waited too long', async () => {
    await answering('503 Service Unavailable', '<html><body><h1>503 Service Unavailable</h1>No server is available to handle this request.</body></html>', 'unreachable');
    await answering('502 Bad Gateway', '<html>502 Bad Gateway</html>', 'unreachable');
    await answering('504 Gateway Timeout', '<html>504 Gateway Timeout</html>', 'broken');
    await answering('503 Service Unavailable', 'Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)', 'broken');
  });

  it('has failed by its status also where its words are cut or never end', { timeout: 60_000 }, async () => {
    for (const cuts of [true, false]) {
      await facing('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 500\r\n\r\n<html>', async (connections) => {
        await assert.rejects(drain(connections, 'SELECT 1', AbortSignal.timeout(30_000)), failsAs('unreachable'));
      }, cuts);
    }
  });

  it('has failed where nothing tells the end of its answer from a cut', async () => {
    await facing(`${head}Connection: close\r\n\r\n{"x":1}\n`, async (connections) => assert.rejects(drain(connections, 'SELECT 1'), failsAs('malformed')));
    // More often than there are connections.
    await facing(`${head}Connection: close\r\n\r\n${'{"x":1}\n'.repeat(100_000)}`, async (connections) => {
      for (const signal of [NEVER, NEVER, AbortSignal.timeout(10_000)]) await assert.rejects(drain(connections, 'SELECT 1', signal), failsAs('malformed'));
    }, false);
  });

  it('is told one message at a time to stop what was left, however much it was, and all of it when it answers again', async () => {
    const told: string[] = [];
    const held: (() => void)[] = [];
    const asked: string[] = [];
    const mute = createHttpServer((request, response) => {
      let statement = '';
      request.setEncoding('utf8').on('data', (text: string) => { statement += text; }).on('end', () => {
        if (!statement.startsWith('KILL')) asked.push(statement);
        else {
          told.push(statement);
          held.push(() => response.end());
        }
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => { mute.once('listening', resolve); });
    const connections = new Connections({ url: `http://127.0.0.1:${(mute.address() as AddressInfo).port}`, connectMs: 10_000, connections: 8 });
    try {
      for (let turn = 1; turn <= 2; turn += 1) {
        const controller = new AbortController();
        const running = Array.from({ length: 8 }, () => assert.rejects(drain(connections, 'SELECT 1', controller.signal)));
        for (const wanted = 8 * turn; asked.length < wanted;) await pause(5);
        controller.abort();
        await Promise.all(running);
      }
      while (told.length === 0) await pause(5);
      assert.equal(told.length, 1);
      held[0]!();
      while (told.length < 2) await pause(5);
      held[1]!();
      assert.equal(new Set(told.join().match(/[0-9a-f-]{36}/g)).size, 16);
    } finally {
      await connections.close();
      mute.closeAllConnections();
      mute.close();
    }
  });

  it('is told to stop what a proxy no longer waits for', { timeout: 60_000 }, async () => {
    let tell = (_statement: string): void => {};
    const told = new Promise<string>((resolve) => { tell = resolve; });
    let asked = '';
    const proxy = createHttpServer((request, response) => {
      let statement = '';
      request.setEncoding('utf8').on('data', (text: string) => { statement += text; }).on('end', () => {
        if (statement.startsWith('KILL')) tell(statement);
        else asked = new URL(request.url!, 'http://proxy').searchParams.get('query_id')!;
        response.writeHead(statement.startsWith('KILL') ? 200 : 504).end('<html>504 Gateway Timeout</html>');
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => { proxy.once('listening', resolve); });
    const connections = new Connections({ url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, connectMs: 10_000, connections: 1 });
    try {
      await assert.rejects(drain(connections, 'SELECT 1'), failsAs('broken'));
      assert.ok((await told).includes(asked));
    } finally {
      await connections.close();
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('has failed as it says where it says more than anybody reads', { timeout: 60_000 }, async () => {
    const endless = createHttpServer((_request, response) => {
      response.writeHead(500);
      const more = (): void => { while (!response.destroyed && response.write('Code: 241. DB::Exception: Memory limit exceeded. '.repeat(1_000))); };
      response.on('drain', more);
      more();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => { endless.once('listening', resolve); });
    const connections = new Connections({ url: `http://127.0.0.1:${(endless.address() as AddressInfo).port}`, connectMs: 10_000, connections: 1 });
    try {
      await assert.rejects(drain(connections, 'SELECT 1', AbortSignal.timeout(30_000)), failsAs('overloaded'));
    } finally {
      await connections.close();
      endless.closeAllConnections();
      endless.close();
    }
  });

  it('gives rows while what is counted beside them hangs, more of it than there are connections', { timeout: 60_000 }, async () => {
    const counted = ['city', 'region', 'industry', 'job_title', 'department'];
    const hanging: string[] = [];
    const slow = createHttpServer((request, response) => {
      let statement = '';
      request.setEncoding('utf8').on('data', (text: string) => { statement += text; }).on('end', () => {
        if (statement.startsWith('DESCRIBE')) response.end(['{"name":"id","type":"UInt8"}', ...counted.map((column) => `{"name":"${column}","type":"String"}`)].join('\n'));
        else if (statement.includes('system.settings')) response.end('{"held":[],"cut":0}');
        else if (statement.includes('`@value`')) hanging.push(statement);
        else if (statement.includes('`@held`')) response.end('{"@at":"7","@held":"7"}');
        else response.end(statement.includes('`@at`') ? '{"f:id":"slow:7","f:source":"slow","@sure":1,"@at":"7"}' : '');
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => { slow.once('listening', resolve); });
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const config = { name: 'slow', dataset: 'contacts', kind: 'clickhouse', url, table: 'people', columns: {}, compared: {}, concurrency: 1, connect_timeout_ms: 10_000 } as const;
    const source = openClickhouse({ vocabulary: vocabulary('contacts'), config });
    const caller = new AbortController();
    try {
      await source.describe(NEVER);
      const search = { filters: [], terms: [] };
      const facets = counted.map((facet) => assert.rejects(source.facet(facet, search, caller.signal)));
      while (hanging.length === 0) await pause(5);
      const batches = source.rows({ ...search, order: 'stored', from: null, fields: [], rowsWanted: 2 }, NEVER);
      assert.deepEqual((await batches.next()).value?.map(({ key }: FoundRow) => key), ['7']);
      await batches.return(undefined);
      caller.abort();
      await Promise.all(facets);
    } finally {
      await source.close();
      slow.closeAllConnections();
      slow.close();
    }
  });

  it('streams rows that share their key on no more connections than there are, whoever else does', { timeout: 60_000 }, async () => {
    const twins = '{"f:id":"slow:7","f:source":"slow","@sure":1,"@at":"7"}\n'.repeat(2);
    const begun: ServerResponse[] = [];
    const slow = createHttpServer((request, response) => {
      let statement = '';
      request.setEncoding('utf8').on('data', (text: string) => { statement += text; }).on('end', () => {
        if (statement.startsWith('DESCRIBE')) response.end('{"name":"id","type":"UInt8"}');
        else if (statement.includes('system.settings')) response.end('{"held":[],"cut":0}');
        else if (!statement.includes('`@at`')) response.end('');
        else if (begun.push(response) > 2) response.end(twins);
        // Both are under way before either has any row, and neither ends by itself.
        else if (begun.length === 2) for (const each of begun) each.write(twins);
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => { slow.once('listening', resolve); });
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const config = { name: 'slow', dataset: 'contacts', kind: 'clickhouse', url, table: 'people', columns: {}, compared: {}, concurrency: 1, connect_timeout_ms: 10_000 } as const;
    const source = openClickhouse({ vocabulary: vocabulary('contacts'), config });
    const all = { filters: [], terms: [], order: 'stored', from: null, fields: [], rowsWanted: null } as const;
    const keys = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const rows of source.rows(all, AbortSignal.timeout(20_000))) found.push(...rows.map(({ key }) => key));
      return found;
    };
    try {
      await source.describe(NEVER);
      assert.deepEqual(await Promise.all([keys(), keys()]), [['7', '7'], ['7', '7']]);
    } finally {
      await source.close();
      slow.closeAllConnections();
      slow.close();
    }
  });

  it('has failed where it answers what was not asked', async () => {
    await facing(`${head}Content-Length: 6\r\n\r\n<html>`, async (connections) => assert.rejects(drain(connections, 'SELECT 1'), failsAs('broken')));
  });
});
