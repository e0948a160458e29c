import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKey } from '../../src/accounts/key.ts';
import { FaultProxy, NO_FAULT, type Fault } from '../support/fault_proxy.ts';
import { pause } from '../support/runners.ts';
import { ClickhouseServer } from '../support/servers/clickhouse.ts';
import { FakeWarehouse } from '../support/servers/fake_warehouse.ts';
import { PostgresServer } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { RunningService, type Answer, type Json } from './service.ts';

/** Stands in everything that is the providers' own: tables, databases, paths, hosts and the texts of their failures. */
export const CANARY = 'canary_7f3e';
export const ADMIN_KEY = mintKey('admin');
export const ALL = { type: 'contacts', limit: 1_000 };
/** 300 people in each source; each shares a hundred with the one before it. */
const EACH = 300;
export const PEOPLE = 900;
export const ROWS = 4 * EACH;

/** What befalls the line to a source, and what may be told of it. */
export const ON_THE_LINE: readonly (readonly [string, Fault, RegExp])[] = [
  ['refuses connections', { kind: 'refused' }, /^unreachable$/],
  ['never takes a connection', { kind: 'unaccepted' }, /^(unreachable|timed out)$/],
  ['takes connections and says nothing', { kind: 'blackhole' }, /^(unreachable|timed out)$/],
  ['hangs amid its answer', { kind: 'hang', afterBytes: 3_000 }, /^timed out$/],
  ['drips', { kind: 'slice', everyMs: 1 }, /^(unreachable|timed out)$/],
  ['is slower than there is time', { kind: 'bandwidth', bytesPerSecond: 20_000 }, /^timed out$/],
  ['resets amid its answer', { kind: 'reset', afterBytes: 3_000 }, /^(unreachable|the source failed amid the scan)$/],
  ['is cut amid its answer', { kind: 'cut', afterBytes: 3_000 }, /^(unreachable|the source failed amid the scan)$/],
];

const FORMATS = ['application/json', 'application/x-ndjson', 'text/csv', 'application/vnd.msgpack'];

type Remote = 'registry' | 'warehouse' | 'partner';
export const REMOTE: readonly Remote[] = ['registry', 'warehouse', 'partner'];

/** The service over a lake, PostgreSQL, ClickHouse and a pretended ClickHouse, each of these three behind a proxy, and all that it ever answered. */
export class FaultySources {
  readonly service: RunningService;
  readonly postgres: PostgresServer;
  readonly clickhouse: ClickhouseServer;
  readonly fake: FakeWarehouse;
  readonly proxies: Readonly<Record<Remote, FaultProxy>>;
  readonly #answered: string[] = [];

  private constructor(parts: Pick<FaultySources, 'service' | 'postgres' | 'clickhouse' | 'fake' | 'proxies'>) {
    this.service = parts.service;
    this.postgres = parts.postgres;
    this.clickhouse = parts.clickhouse;
    this.fake = parts.fake;
    this.proxies = parts.proxies;
  }

  static async start(): Promise<FaultySources> {
    const [postgres, clickhouse, fake] = await Promise.all([
      PostgresServer.start([`cluster_name=${CANARY}`, 'max_connections=24']), ClickhouseServer.start(), FakeWarehouse.start('partner', emails(600)),
    ]);
    await postgres.query(`CREATE TABLE people_${CANARY} (id bigint PRIMARY KEY, full_name text, email text, phone text, country text)`);
    await postgres.query(`INSERT INTO people_${CANARY} SELECT i, 'Registry ' || i, 'p' || i || '@x.org', '+49', 'US' FROM generate_series(200, 499) i`);
    await clickhouse.query(`CREATE TABLE people_${CANARY} (id UInt32, full_name String, email String) ENGINE = MergeTree ORDER BY id`);
    await clickhouse.query(`INSERT INTO people_${CANARY} SELECT number, concat('Warehouse ', toString(number)), concat('p', toString(number), '@x.org') FROM system.numbers WHERE number >= 400 LIMIT ${EACH}`);
    const proxies = { registry: await FaultProxy.start(postgres.port), warehouse: await FaultProxy.start(clickhouse.port), partner: await FaultProxy.start(fake.port) };
    const folder = await mkdtemp(join(tmpdir(), 'lds-faults-'));
    const behind = (url: string, { port }: FaultProxy): string => url.replace(/:\d+(?=\/|$)/, `:${port}`);
    const remote = (name: string, kind: string, url: string): string => `  - { name: ${name}, dataset: contacts, kind: ${kind}, url: "${url}", table: people_${CANARY}, connect_timeout_ms: 150 }`;
    await writeFile(join(folder, 'config.yaml'), ['sources:', '  - { name: crm, dataset: contacts, kind: lake }',
      remote('registry', 'postgres', behind(postgres.url, proxies.registry)), remote('warehouse', 'clickhouse', behind(clickhouse.url, proxies.warehouse)),
      remote('partner', 'clickhouse', `http://${CANARY}:secret@127.0.0.1:${proxies.partner.port}`)].join('\n'));
    await writeFile(join(folder, 'crm.csv'), ['id,email,full_name,country', ...emails(0).map((email, i) => `c${i},${email},Crm ${i},US`)].join('\n'));
    const service = await RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0', LDS_LOG_LEVEL: 'error', LDS_ADMIN_KEY: ADMIN_KEY }, folder);
    await service.ingest('crm', join(folder, 'crm.csv'));
    const sources = new FaultySources({ service, postgres, clickhouse, fake, proxies });
    await sources.healed();
    return sources;
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await Promise.all([...Object.values(this.proxies).map((proxy) => proxy.close()), this.fake.close()]);
    await Promise.all([this.postgres.stop(), this.clickhouse.stop()]);
  }

  async find(body: object, accept = FORMATS[0]!): Promise<Answer> {
    const answer = await this.service.find(body, { headers: { accept } });
    this.#keep(answer);
    return answer;
  }

  async lines(body: object): Promise<Json[]> {
    return (await this.find(body, FORMATS[1])).text.trimEnd().split('\n').map((line) => JSON.parse(line) as Json);
  }

  /** The same in every format, and what else tells of sources; the first is the JSON answer. */
  async findEverywhere(body: object): Promise<Answer> {
    const [first] = await Promise.all(FORMATS.map((format) => this.find(body, format)));
    for (const path of ['/health', '/v1/sources', '/metrics', '/v1/schema']) this.#keep(await this.service.call('GET', path));
    return first!;
  }

  /** Ends all faults, and waits until every answer is whole again. */
  async healed(): Promise<void> {
    this.fake.spoiling = null;
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.set(NO_FAULT)));
    await until(async () => {
      const { json } = await this.find(ALL);
      return json.partial === false && json.total === PEOPLE && json.total_relation === 'eq';
    });
    const { json } = await this.service.call('GET', '/v1/sources');
    assert.deepEqual(json.sources.map(({ status }: Json) => status), ['ok', 'ok', 'ok', 'ok']);
  }

  /** Nothing of the providers has been in any answer so far. */
  assertClean(): void {
    const secrets = [CANARY, 'secret', 'DB::', 'displayText', 'ECONN', 'SELECT', 'postgres:', '127.0.0.1', ...Object.values(this.proxies).map(({ port }) => `:${port}`)];
    assert.ok(this.#answered.length > 0);
    for (const text of this.#answered) for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text.slice(0, 2_000)}`);
  }

  #keep({ text, headers }: Answer): void {
    this.#answered.push(text, [...headers].map((header) => header.join(': ')).join('\n'));
  }
}

function emails(from: number): string[] {
  return Array.from({ length: EACH }, (_, i) => `p${from + i}@x.org`);
}

/** A machine that is busy with other tests may hold a sound source up, too, but not again and again. */
const TRIES = 8;

/** Asks until one source alone is missing, for the nth time at last; whatever is missing must be told in each place, once. Gives the answer and what it tells of the source. */
export async function toldAlone(source: string, ask: (nth: number) => Promise<Answer>): Promise<{ readonly answer: Answer; readonly told: Json }> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask(tries);
    const lost = assertTold(answer);
    const told = lost.find((one) => one.source === source);
    assert.ok(told !== undefined, `${source} is not told: ${answer.text.slice(-1_500)}`);
    if (lost.length === 1) return { answer, told };
    assert.ok(tries < TRIES, `others are missing, too: ${JSON.stringify(lost)}`);
    // What was held up again and again is asked no more for a while.
    await pause(tries * 200);
  }
}

/** Gives the sources that are not complete. */
export function assertTold({ status, json, text }: Answer): Json[] {
  assert.equal(status, 200, text.slice(-1_500));
  const lost = json.sources.filter((one: Json) => one.status !== 'complete') as Json[];
  assert.deepEqual([json.partial, json.warnings.length, json.errors.length], [lost.length > 0, lost.length, lost.length]);
  for (const [at, { source }] of lost.entries()) assert.ok(json.warnings[at].startsWith(`${source} `) && json.errors[at].startsWith(`${source}: `));
  if (lost.length === 0) return lost;
  assert.ok(['gte', 'approx'].includes(json.total_relation), `a total that seems whole: ${text.slice(-1_500)}`);
  assert.equal(typeof json.next_cursor, 'string');
  return lost;
}
