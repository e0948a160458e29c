import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../src/config/config_error.ts';
import type { Environment } from '../../src/config/document.ts';
import { loadConfig } from '../../src/config/load.ts';

const load = (env: Environment, yaml: string) =>
  loadConfig({ ...env, LDS_CONFIG: 'lds.yaml' }, () => yaml, { memoryBytes: 8 * 1024 ** 3, processors: 4, folder: '/srv' });

function refused(env: Environment, yaml: string): ConfigError | null {
  try {
    load(env, yaml);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error;
  }
  return null;
}

const problems = (env: Environment, yaml = ''): readonly string[] => refused(env, yaml)?.problems ?? [];

test('what sources have in common is written once and merged into each', () => {
  const { sources } = load({}, `sources:
  - &shared { name: a, dataset: contacts, kind: postgres, url: "postgres://h/d", table: a, timeout_ms: 1500 }
  - { <<: *shared, name: b, table: b }
`);
  assert.deepEqual(sources.map((source) => source.kind === 'postgres' && [source.name, source.table, source.url, source.timeout_ms]),
    [['a', 'a', 'postgres://h/d', 1500], ['b', 'b', 'postgres://h/d', 1500]]);
});

test('a place of a template that nothing was put into is told by its setting alone', async () => {
  const said: string[] = [];
  const hear = ({ message }: Error): void => { said.push(message); };
  process.on('warning', hear);
  assert.deepEqual(problems({}, 'port: {{ secret }}\n'), ['port: expected a whole number from 0 to 65535']);
  await new Promise(setImmediate);
  process.off('warning', hear);
  assert.deepEqual(said, []);
});

test('a path that counts on a shell is refused, in place of a folder of that name', () => {
  const told = 'expected a whole path: ~ and $NAME stand for nothing here, and in the file ${NAME} does';
  for (const path of ['~', '~/lds', '~lds/data', '$HOME/lds']) {
    assert.deepEqual(problems({ LDS_DATA_DIR: path }), [`LDS_DATA_DIR: ${told}`], path);
    assert.deepEqual(problems({}, `data_dir: "${path}"\nsources: [{ name: a, dataset: contacts, kind: parquet, path: "${path}" }]\n`), [`data_dir: ${told}`, `sources[0].path: ${told}`], path);
  }
  for (const path of ['/srv/~lds', './~', 'a$b']) assert.deepEqual(problems({ LDS_DATA_DIR: path }), [], path);
  assert.equal(load({ HOME: '/srv/jo' }, 'data_dir: ${HOME}/lds\n').dataDir, '/srv/jo/lds');
});

test('what is right of a configuration comes with its problems', () => {
  const rest = (env: Environment, yaml: string) => refused(env, yaml)?.rest;
  const source = '{ name: crm, dataset: contacts, kind: lake }';
  const mistyped = rest({ LDS_PORT: 'x' }, `data_dir: /lds\nmetrics_prt: 9\nsources: [${source}]\n`);
  assert.deepEqual([mistyped?.dataDir, mistyped?.port, mistyped?.sources.length], ['/lds', 8080, 1]);
  const unset = rest({ LDS_HOST: '::1' }, `data_dir: \${HOME}/lds\nhost: \${WHERE}\nsources: [${source}, { name: b, dataset: contacts, kind: postgres, url: "postgres://u:\${PW}@h/d", table: t }]\n`);
  assert.deepEqual([unset?.dataDir, unset?.host, unset?.sources], ['/srv/data', '::1', []], 'nothing is made of half a value');
  const half = rest({}, `dns_servers: ["10.0.0.1\${PART}"]\nsources_x: []\nsources: [${source}]\n`);
  assert.deepEqual([half?.dnsServers, half?.sources.length], [[], 1], 'nor of half a list, and a key like another is not that one');
});

test('a header that no server takes is told by what is wrong with it', () => {
  const headers = (map: string) => problems({}, `sources: [{ name: a, dataset: contacts, kind: http, url: "https://h/v1/find", headers: ${map} }]\n`);
  assert.deepEqual(headers('{ "two words": x }'), ['sources[0].headers.two words: expected the name of a header']);
  assert.deepEqual(headers('{ x: "a\\nb" }'), ['sources[0].headers.x: expected text on one line']);
  assert.deepEqual(headers('[x]'), ['sources[0].headers: expected a map of header: value']);
  for (const own of ['Content-Length', 'transfer-encoding', 'Keep-Alive', 'upgrade', 'expect', 'content-encoding', 'Accept', 'X-Lds-Hops']) {
    assert.deepEqual(headers(`{ ${own}: "5" }`), [`sources[0].headers.${own}: expected another header: this one is the service's own to set`]);
  }
  assert.deepEqual(headers('{ x-a: b, X-A: c }'), ['sources[0].headers: expected each header once, whatever the case of its letters']);
  assert.deepEqual(headers('{ host: gateway.example, connection: close, x-a: b }'), []);
});

test('replicas that are no list, and too many of them, are told by one line each', () => {
  const replicas = (list: string) => problems({}, `sources: [{ name: a, dataset: contacts, kind: postgres, url: "postgres://h/d", table: t, replicas: ${list} }]\n`);
  assert.deepEqual(replicas('"postgres://two/d"'), ['sources[0].replicas: expected a list of URLs']);
  assert.deepEqual(replicas(`[${'"postgres://two/d", '.repeat(5)}]`), ['sources[0].replicas: expected at most 4']);
});

test('a key that shows as nothing, or on several lines, is told on one line with a name', () => {
  assert.deepEqual(problems({}, '"": 1\n"a\\nb": 2\nnull: 3\n'), ['"": not a setting', 'a\\nb: not a setting']);
  assert.deepEqual(problems({}, 'sources: [{ name: a, dataset: contacts, kind: lake, "x\\ny": 1 }]\n'), ['sources[0].x\\ny: not a setting']);
});

test('all that is wrong with the sources is told at once', () => {
  const file = (crm: string, also: string) => `extras: { contacts: [{ name: lead_score, type: number, description: d }] }
sources:
  - { name: crm, dataset: contacts, ${crm}, columns: { full_nam: n, lead_score: s } }
  - { name: crm, dataset: contacts, ${also} }
`;
  const column = 'sources[0] (crm).columns: full_nam is not a field of contacts (did you mean full_name?)';
  const twice = 'sources[1] (crm).name: another source has it';
  assert.deepEqual(problems({}, file('kind: postgres, url: "http://h", table: t', 'kind: lake, path: x')), [
    'extras.contacts[0].type: expected string, strings, integer or timestamp',
    'sources[0].url: expected a URL that begins with postgres:// or postgresql://',
    column,
    'sources[1].path: not a setting',
    twice,
  ], 'of the kind, and of the names');
  assert.deepEqual(problems({}, file('kind: postgress', 'kind: lakes')).slice(1), [
    'sources[0].kind: expected one of lake, parquet, postgres, clickhouse, http (did you mean postgres?)',
    column,
    'sources[1].kind: expected one of lake, parquet, postgres, clickhouse, http (did you mean lake?)',
    twice,
  ], 'without a kind');
  assert.deepEqual(problems({}, 'sources: [{ kind: mysql, dataset: people, columns: 5 }, { name: A }]\n'), [
    'sources[0].kind: expected one of lake, parquet, postgres, clickhouse, http',
    'sources[0].name: expected a name',
    'sources[0].dataset: expected contacts or companies',
    'sources[1].kind: expected one of lake, parquet, postgres, clickhouse, http',
    'sources[1].name: expected 1 to 64 of a-z, 0-9, _ and -, the first a letter or digit',
    'sources[1].dataset: expected contacts or companies',
  ], 'what all kinds have');
});

test('what a tag makes of a map or a text is refused, and not taken for empty', () => {
  const told = 'expected a list, a map or a text without a tag such as !!omap';
  assert.deepEqual(problems({}, '!!omap\n- port: 9\n- host: 10.0.0.1'), [`LDS_CONFIG: ${told}`]);
  assert.deepEqual(problems({}, 'sources:\n  - { name: a, dataset: contacts, kind: http, url: "http://h/", headers: !!omap [x-key: v] }'), [`sources[0].headers: ${told}`]);
  assert.deepEqual(problems({}, 'extras: !!set { contacts }'), [`extras: ${told}`]);
});
