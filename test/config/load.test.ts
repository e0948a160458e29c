import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { ConfigError } from '../../src/config/config_error.ts';
import type { Environment } from '../../src/config/document.ts';
import { loadConfig, type Machine } from '../../src/config/load.ts';

const MACHINE: Machine = { memoryBytes: 8 * 1024 ** 3, processors: 4, folder: '/srv' };
const noFile = (): string => { throw Object.assign(new Error('no such file'), { code: 'ENOENT' }); };

const load = (env: Environment, yaml?: string) =>
  loadConfig(yaml === undefined ? env : { ...env, LDS_CONFIG: 'lds.yaml' }, yaml === undefined ? noFile : () => yaml, MACHINE);

function problems(env: Environment, yaml?: string): readonly string[] {
  try {
    load(env, yaml);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test('without a setting everything has its default', () => {
  assert.deepEqual(load({ HOME: '/root' }), {
    host: '127.0.0.1', port: 8080, dataDir: '/srv/data', adminKey: null, demo: true, http: 'uws', trustedProxies: [], corsOrigins: [],
    metricsPort: null, dnsServers: [], smtp: false, validatorUrl: null, validateEmailsMax: 1000, logLevel: 'info', scanThreads: 3,
    mapFiles: true, rowsMemoryBytes: null, databaseUrl: null, redisUrl: null, sources: [], extras: { contacts: [], companies: [] },
  });
});

test('every variable of the environment is read', () => {
  const config = load({
    LDS_HOST: '::1', LDS_PORT: '0', LDS_DATA_DIR: 'lakes', LDS_ADMIN_KEY: `lda_${'0'.repeat(38)}`, LDS_DEMO: '0', LDS_HTTP: 'node',
    LDS_TRUSTED_PROXIES: '10.0.0.0/8, ::1', LDS_CORS_ORIGINS: 'https://app.example', LDS_METRICS_PORT: '9100',
    LDS_DNS_SERVERS: '1.1.1.1,127.0.0.1:5353,[::1]:53,::1', LDS_LOG_LEVEL: 'error', LDS_WORKERS: '2', LDS_SMTP: 'off',
  });
  assert.deepEqual(
    [config.host, config.port, config.dataDir, config.adminKey?.slice(0, 4), config.demo, config.http, config.metricsPort, config.logLevel, config.scanThreads],
    ['::1', 0, '/srv/lakes', 'lda_', false, 'node', 9100, 'error', 2]);
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '::1']);
  assert.deepEqual(config.corsOrigins, ['https://app.example']);
  assert.deepEqual(config.dnsServers, ['1.1.1.1', '127.0.0.1:5353', '[::1]:53', '::1']);
});

test('the environment wins over the file, and an empty variable counts as none', () => {
  const yaml = 'port: 1\nhost: 0.0.0.0\nlog_level: warn\nrows_memory_mb: 64\nscan_threads: 1\n';
  const config = load({ LDS_PORT: '2', LDS_HOST: '' }, yaml);
  assert.deepEqual([config.port, config.host, config.logLevel, config.rowsMemoryBytes, config.scanThreads], [2, '0.0.0.0', 'warn', 64 * 1024 ** 2, 1]);
});

test('a flag of the file may be a word or a bare 0 or 1', () => {
  for (const [yaml, smtp] of [['0', false], ['1', true], ['no', false], ['on', true], ['true', true], ['"0"', false]] as const) assert.equal(load({}, `smtp: ${yaml}\n`).smtp, smtp, yaml);
  assert.deepEqual(problems({}, 'demo: 2\n'), ['demo: expected 0 or 1']);
});

test('all problems are told at once, each by the name under which it was set', () => {
  assert.deepEqual(problems({ LDS_PORT: '70000', LDS_LOG_LEVEL: 'loud', LDS_DEMO: 'perhaps' }, 'http: apache\ncors_origins: ["https://a.example/path"]\n'), [
    'LDS_PORT: expected a whole number from 0 to 65535',
    'LDS_DEMO: expected 0 or 1',
    'http: expected uws or node',
    'cors_origins: expected origins such as https://app.example, without a path',
    'LDS_LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent',
  ]);
});

test('a bad value is refused in each of the forms that settings take', () => {
  for (const env of [
    { LDS_HOST: 'http://host' }, { LDS_PORT: '-1' }, { LDS_PORT: '80.5' }, { LDS_WORKERS: '0' }, { LDS_WORKERS: '65' }, { LDS_ADMIN_KEY: 'lda_short' },
    { LDS_TRUSTED_PROXIES: '10.0.0.0/33' }, { LDS_TRUSTED_PROXIES: '10.0.0.0/8/8' }, { LDS_TRUSTED_PROXIES: 'proxy' }, { LDS_CORS_ORIGINS: 'app.example' },
    { LDS_DNS_SERVERS: 'dns.example' }, { LDS_DNS_SERVERS: '1.1.1.1:0' }, { LDS_DNS_SERVERS: '[1.1.1.1]:53' }, { LDS_METRICS_PORT: 'x' }, { LDS_METRICS_PORT: '0' },
    { LDS_DNS_SERVERS: '1.1.1.1,1.1.1.2,1.1.1.3,1.1.1.4,1.1.1.5' },
    { LDS_REDIS_URL: 'redis://h/abc' }, { LDS_REDIS_URL: 'redis://h:6379/1x' }, { LDS_REDIS_URL: 'redis://h/%31' }, { LDS_REDIS_URL: 'rediss://h/-1' }, { LDS_REDIS_URL: 'redis://h?db=x' },
  ]) assert.equal(problems(env).length, 1, JSON.stringify(env));
});

test('a Redis is named without a database or with its number', () => {
  for (const url of ['redis://h', 'redis://h/', 'redis://u:p@h:6379/15', 'rediss://[::1]/0']) assert.equal(load({ LDS_REDIS_URL: url }).redisUrl, url);
});

test('an address of PostgreSQL that asks for TLS in words that its driver passes over is refused, and none that it heeds', () => {
  for (const url of ['postgres://h/d?sslMode=verify-full', 'postgres://h/d?ssl_mode=require', 'postgresql://h/d?SSL=true', 'postgres://h/d?sslmode=', 'postgres://h/d?tls=1', 'postgres://h/d?useSSL=true', 'postgres://h/d?useSSL=false&sslMode=require']) {
    assert.deepEqual(problems({ LDS_DATABASE_URL: url }), ['LDS_DATABASE_URL: expected sslmode=verify-full for TLS, spelt so: as it stands nothing would be encrypted'], url);
    const source = `sources: [{ name: p, dataset: contacts, kind: postgres, url: "\${URL}", table: t, replicas: ["\${URL}"] }]`;
    assert.equal(problems({ URL: url }, source).length, 2, url);
  }
  for (const query of ['', '?sslmode=disable', '?sslmode=require&channel_binding=require', '?sslmode=verify-full&sslsni=1', '?ssl=1', '?sslrootcert=/ca.pem', '?application_name=x', '?sslMode=disable', '?useSSL=false', '?tls=0']) {
    assert.equal(load({ LDS_DATABASE_URL: `postgres://h/d${query}` }).databaseUrl, `postgres://h/d${query}`);
  }
});

test('a whole number may come from a variable wherever the file has one', () => {
  const yaml = 'scan_threads: "${THREADS}"\nsources: [{ name: p, dataset: contacts, kind: postgres, url: "postgres://h/d", table: t, timeout_ms: "${TIME}", concurrency: 4 }]\n';
  const { scanThreads, sources } = load({ THREADS: '2', TIME: '1500' }, yaml);
  const [source] = sources;
  assert.deepEqual([scanThreads, source?.kind === 'postgres' && source.timeout_ms], [2, 1500]);
  assert.deepEqual(problems({ THREADS: '2', TIME: '1.5' }, yaml), ['sources[0].timeout_ms: expected a whole number from 10 to 3600000']);
});

test('an unknown variable or key is an error that suggests the nearest name', () => {
  assert.deepEqual(problems({ LDS_PROT: '1', LDS_ZZZZZZ: '1' }, 'data_dri: /x\n'), [
    'LDS_PROT: not a setting (did you mean LDS_PORT?)', 'LDS_ZZZZZZ: not a setting', 'data_dri: not a setting (did you mean data_dir?)',
  ]);
});

test('a name that another program, or the other of the two places, has for a setting leads to it', () => {
  const told = (names: readonly string[], env: Environment = {}) => problems(env, names.map((name) => `${name}: x\n`).join('')).map((problem) => problem.replace(/.*did you mean (.*)\?\)$/, '$1'));
  assert.deepEqual(told(['workers', 'worker', 'listen', 'bind', 'address', 'db', 'postgres', 'resolvers', 'allowed_origins', 'trust_proxy', 'dataDir', 'log-level', 'LDS_PORT']),
    ['scan_threads', 'scan_threads', 'host', 'host', 'host', 'database_url', 'database_url', 'dns_servers', 'cors_origins', 'trusted_proxies', 'data_dir', 'log_level', 'port']);
  assert.deepEqual(told([], { LDS_SCAN_THREADS: '2', LDS_THREADS: '2', LDS_LISTEN: '::', LDS_DB_URL: 'x', LDS_ROWS_MEMORY_MB: '1', LDS_SOURCES: 'x' }),
    ['LDS_WORKERS', 'LDS_WORKERS', 'LDS_HOST', 'LDS_DATABASE_URL', 'rows_memory_mb in the file', 'sources in the file']);
});

test('what Kubernetes puts into the environment for a Service of this name is told as such', () => {
  assert.deepEqual(problems({ LDS_SERVICE_HOST: '10.0.0.7', LDS_SERVICE_PORT_HTTP: '80', LDS_PORT_80_TCP_ADDR: '10.0.0.7', LDS_PORT: 'tcp://10.0.0.7:80' }), [
    'LDS_PORT: expected a whole number from 0 to 65535',
    ...['LDS_SERVICE_HOST', 'LDS_SERVICE_PORT_HTTP', 'LDS_PORT_80_TCP_ADDR'].map((name) => `${name}: not a setting: Kubernetes sets it for a Service called lds, unless the pod has enableServiceLinks: false`),
  ]);
});

test('the key of a terminal client is no setting of the server', () => {
  assert.deepEqual(problems({ LDS_KEY: 'ldx_x', LDS_URL: 'http://127.0.0.1:8080' }), []);
});

test('secrets come from the environment by ${NAME}, and an unset one is named', () => {
  const yaml = 'admin_key: "${ADMIN}"\nhost: "${LDS_WHERE}.example"\n';
  const config = load({ ADMIN: `lda_${'a'.repeat(38)}`, LDS_WHERE: 'gateway' }, yaml);
  assert.equal(config.adminKey, `lda_${'a'.repeat(38)}`);
  assert.equal(config.host, 'gateway.example');
  assert.deepEqual(problems({ LDS_WHERE: 'gateway' }, yaml), ['admin_key: the variable ADMIN is not set']);
  for (const text of ['${A-B}', '${OPEN', '${}']) assert.deepEqual(problems({}, `host: "${text}"`), ['host: expected ${NAME} with the name of a variable']);
  assert.deepEqual(problems({}, 'sources: [{ name: "${NAME}", dataset: contacts, kind: lake }]'), ['sources[0].name: the variable NAME is not set']);
});

test('no problem holds a value', () => {
  const secret = 'hunter2hunter2';
  const told = [
    ...problems({ LDS_ADMIN_KEY: secret, LDS_DATABASE_URL: `postgres://u:${secret}@h/d`, LDS_REDIS_URL: secret, LDS_PORT: secret, PARTNER: secret },
      `sources:\n  - { name: p, dataset: contacts, kind: http, url: "${secret}", headers: { authorization: 7 }, "timeout_ms": "\${PARTNER}" }\nextras: ${secret}\n`),
    ...problems({}, `admin_key: "${secret}\nport: [`),
    ...problems({}, `admin_key: *${secret}`),
    ...problems({}, `- ${secret}`),
  ];
  assert.ok(told.length >= 9, told.join('\n'));
  assert.ok(!told.join('\n').includes(secret), told.join('\n'));
});

test('a file that is missing or not YAML is told by its setting and line', () => {
  assert.deepEqual(problems({ LDS_CONFIG: 'gone.yaml' }), ['LDS_CONFIG: expected a file that can be read (ENOENT)']);
  assert.deepEqual(problems({}, 'port: 1\nport: 2\n'), ['LDS_CONFIG: line 2 is not valid YAML: duplicate key']);
  assert.deepEqual(problems({}, '- port'), ['LDS_CONFIG: expected a map of settings']);
});

test('a file in another encoding is refused, in place of letters that nobody wrote', () => {
  const told = ['LDS_CONFIG: line 2 is not in UTF-8: save the file in that encoding'];
  assert.deepEqual(problems({}, Buffer.from('port: 1\nhost: gr\u00f6\u00dfe.example\n', 'latin1').toString('utf8')), told);
  assert.deepEqual(problems({}, 'port: 1\nhost: gr\u00f6\u00dfe.example\n').filter((problem) => told.includes(problem)), []);
});

test('an alias that leads nowhere or into itself is refused, and so is a merge of what is no map', () => {
  for (const yaml of ['host: *nowhere', 'sources: [{ <<: 5 }]', '<<: *nowhere'])
    assert.deepEqual(problems({}, yaml), ['LDS_CONFIG: an alias is not resolved, repeated too often, or merged by << though it is no map'], yaml);
  assert.deepEqual(problems({}, 'sources: &all [*all]')[0], 'LDS_CONFIG: nested too deep, or an alias inside its own anchor');
});

test('an empty file sets nothing', () => {
  assert.equal(load({}, '# nothing yet\n').port, 8080);
});

test('every kind of source is taken as the contract writes it', () => {
  assert.deepEqual(problems({}, `sources:
  - { name: files, dataset: companies, kind: parquet, path: "./exports/*.parquet", columns: { name: company, domain: website } }
  - { name: warehouse, dataset: contacts, kind: clickhouse, url: "http://127.0.0.1:8123", table: leads.contacts, timeout_ms: 1500 }
  - { name: registry, dataset: contacts, kind: postgres, url: "postgres://h/d", table: public.people, columns: { full_name: name } }
  - { name: partner, dataset: contacts, kind: http, url: "https://gateway.example/v1/find", headers: { authorization: "Bearer x" } }
`), []);
});

test('a source entry is strict, its name is its own, and its columns name fields', () => {
  assert.deepEqual(problems({}, `sources:
  - { name: crm, dataset: contacts, kind: lake }
  - { name: crm, dataset: companies, kind: lake }
  - { name: "a:b", dataset: people, kind: lake }
  - { name: x, dataset: contacts, kind: lak }
  - { name: y, dataset: contacts, kind: lake, timout_ms: 5, path: z }
  - nonsense
  - { name: z, dataset: contacts, kind: parquet, path: f, columns: { job_titel: t, sources: s, score: s } }
extras: { contacts: [{ name: score, type: integer, description: lead score }] }
`), [
    'sources[1] (crm).name: another source has it',
    'sources[2].name: expected 1 to 64 of a-z, 0-9, _ and -, the first a letter or digit',
    'sources[2].dataset: expected contacts or companies',
    'sources[3].kind: expected one of lake, parquet, postgres, clickhouse, http (did you mean lake?)',
    'sources[4].timout_ms: not a setting',
    'sources[4].path: not a setting',
    'sources[5]: expected a map',
    'sources[6] (z).columns: job_titel is not a field of contacts (did you mean job_title?)',
    'sources[6] (z).columns: sources is not a field of contacts',
  ]);
});

test('no source takes the name of a part of the service that health tells of', () => {
  const taken = ['workers', 'store', 'validator', 'redis', 'suppressions'];
  assert.deepEqual(
    problems({}, `sources:\n${taken.map((name) => `  - { name: ${name}, dataset: contacts, kind: lake }\n`).join('')}`),
    taken.map((_, at) => `sources[${at}].name: expected another name: a part of the service has this one`));
  assert.equal(load({}, 'sources: [{ name: redis-leads, dataset: contacts, kind: lake }]').sources.length, 1);
});

test('parquet files are named by a path of this machine, and their engine is bounded', () => {
  assert.deepEqual(problems({}, `sources:
  - { name: a, dataset: companies, kind: parquet, path: "https://example.org/x.parquet" }
  - { name: b, dataset: companies, kind: parquet, path: "" }
  - { name: c, dataset: companies, kind: parquet, path: "x/**/*.parquet", memory_mb: 1, threads: 0, connect_timeout_ms: 5 }
  - { name: d, dataset: companies, kind: parquet, path: x, compared: { country: code, employees: n } }
`).map((problem) => problem.replace(/:.*/, '')), ['sources[0].path', 'sources[1].path', 'sources[2].memory_mb', 'sources[2].threads', 'sources[2].connect_timeout_ms', 'sources[3] (d).compared']);
});

test('extra columns are declared by dataset, and may not take a name that is in use', () => {
  const yaml = 'extras: { contacts: [{ name: lead_score, type: integer, description: score of the lead }] }';
  assert.deepEqual(load({}, yaml).extras.contacts, [{ name: 'lead_score', type: 'integer', description: 'score of the lead' }]);
  assert.deepEqual(problems({}, `extras:
  people: []
  companies: { name: x }
  contacts:
    - { name: email_domain, type: string, description: a filter }
    - { name: constructor, type: string, description: a trap }
    - { name: rowid, type: string, description: what the engine calls rows by }
    - { name: once, type: string, description: first }
    - { name: once, type: string, description: second }
    - { name: Upper, type: number, description: "" }
`), [
    'extras.people: not a dataset',
    'extras.companies: expected a list of columns',
    'extras.contacts[0].name: email_domain is taken',
    'extras.contacts[1].name: constructor is taken',
    'extras.contacts[2].name: rowid is taken',
    'extras.contacts[4].name: once is taken',
    'extras.contacts[5].name: expected 1 to 64 of a-z, 0-9 and _, the first a letter',
    'extras.contacts[5].type: expected string, strings, integer or timestamp',
    'extras.contacts[5].description: expected a sentence for the callers',
  ]);
});

test('more sources or extra columns than the bounds allow are refused', () => {
  const many = (count: number, item: (index: number) => string): string => `[${Array.from({ length: count }, (_, index) => item(index)).join(', ')}]`;
  assert.deepEqual(problems({}, `sources: ${many(LIMITS.sourcesMax + 1, (index) => `{ name: s${index}, dataset: contacts, kind: lake }`)}`), [`sources: expected at most ${LIMITS.sourcesMax}`]);
  assert.deepEqual(problems({}, `extras: { contacts: ${many(LIMITS.extrasMax + 1, (index) => `{ name: x${index}, type: string, description: x }`)} }`), [`extras.contacts: expected at most ${LIMITS.extrasMax} columns`]);
});

test('a key named __proto__ is refused wherever it stands', () => {
  assert.deepEqual(problems({}, '__proto__: { port: 1 }\nsources: [{ name: a, dataset: contacts, kind: lake, __proto__: 1 }]'), [
    '__proto__: not a setting', 'sources[0].__proto__: not a setting',
  ]);
});

for (const example of ['lake.yaml', 'full.yaml']) {
  test(`the example ${example} is a working configuration`, () => {
    const yaml = readFileSync(new URL(`../../../config/${example}`, import.meta.url), 'utf8');
    assert.deepEqual(problems({}, yaml), []);
  });
}

test('a URL with a blank around it, or a line end in it as of a secret that was read from a file, is told of by its name', () => {
  const stray = 'expected no blank before or after the URL, and no line end or tab in it';
  const yaml = 'sources: [{ name: wh, dataset: contacts, kind: clickhouse, url: "http://db:8123\\n", table: people }, { name: p, dataset: contacts, kind: http, url: "http://p/v1/find", replicas: [" http://q/"] }]';
  const env = { LDS_DATABASE_URL: ' postgres://db/leads', LDS_REDIS_URL: 'redis://caps\n', LDS_VALIDATOR_URL: 'http://checker/\tx' };
  assert.deepEqual(problems(env, yaml), ['LDS_VALIDATOR_URL', 'LDS_DATABASE_URL', 'LDS_REDIS_URL', 'sources[0].url', 'sources[1].replicas[0]'].map((name) => `${name}: ${stray}`));
  assert.equal(load({ LDS_DATABASE_URL: 'postgres://u:two words@db/leads' }, '').databaseUrl, 'postgres://u:two words@db/leads');
});

test('a kind that is a map, and a folder with a sign that no name of a file has, are told as any bad value', () => {
  assert.deepEqual(problems({}, 'data_dir: "a\\0b"\nsources: [{ name: a, dataset: contacts, kind: { toString: 1 } }]'), [
    'data_dir: expected a folder', 'sources[0].kind: expected one of lake, parquet, postgres, clickhouse, http',
  ]);
});

test('a password with a sign that URLs write otherwise is told of, and not only when somebody connects', () => {
  const yaml = `
sources:
  - { name: wh, dataset: contacts, kind: clickhouse, url: "http://u:100%@db:8123", replicas: ["http://u:100%25@two:8123", "nowhere"], table: people }
  - { name: reg, dataset: contacts, kind: postgres, url: "postgres://u:100%@db/leads", table: people }
`;
  for (const url of ['postgres://u:p/w@db/leads', 'postgres://u:p#w@db/leads', 'postgresql://u:p?w@db:5432/leads', 'postgres://u@/leads?host=/run/postgresql', 'postgres://one:5432,two:5432/leads']) {
    const ends = 'expected %2F, %3F, %23 in place of each /, ?, # in its user and password, and one host behind them, with a port of digits or none';
    assert.deepEqual(problems({ LDS_DATABASE_URL: url }, ''), [`LDS_DATABASE_URL: ${ends}`]);
  }
  assert.deepEqual(problems({ LDS_REDIS_URL: 'redis://u:100%@caps:6379' }, yaml), [
    'LDS_REDIS_URL: expected %25 in place of each % in its user and password',
    'sources[0].url: expected %25 in place of each % in its user and password',
    'sources[0].replicas[1]: expected a URL that begins with http:// or https://',
  ]);
});

test('a URL that names several servers is told of, and not only when one of that whole name is looked for', () => {
  const several = 'expected one host: of a source, each other server that holds the same stands under replicas';
  const listed = (kind: string, url: string): string => `sources: [{ name: reg, dataset: contacts, kind: ${kind}, url: "${url}", table: people }]`;
  for (const url of ['postgres://u:p@one,two/leads', 'postgres://one,two:5432/leads', 'postgresql://u:p@base/leads?host=one,two']) {
    assert.deepEqual(problems({ LDS_DATABASE_URL: url }, listed('postgres', url)), [`LDS_DATABASE_URL: ${several}`, `sources[0].url: ${several}`], url);
  }
  assert.deepEqual(problems({}, listed('clickhouse', 'http://one,two:8123')), [`sources[0].url: ${several}`]);
  for (const url of ['postgres://u:p,w@one/leads?options=-c%20search_path=a,b', 'postgres://u@%2Frun%2Fpostgresql/leads']) assert.deepEqual(problems({}, listed('postgres', url)), [], url);
});

test('a table has any name that its engine takes, and none that would have to be quoted otherwise', () => {
  const listed = (table: string): string => `sources: [{ name: wh, dataset: contacts, kind: clickhouse, url: "http://db:8123", table: ${JSON.stringify(table)} }]`;
  for (const table of ['people', 'leads.people', 'a.b.c', 'leads-prod.people 2024', 'Übersicht.personen', '2024.$x']) assert.deepEqual(problems({}, listed(table)), [], table);
  for (const table of ['', '.', 'a.', 'a.b.c.d', ' a', 'a .b', 'a. b', 'a\n', '"a"', 'a`b', "a'b", 'a\\b', 'a'.repeat(129)]) {
    assert.deepEqual(problems({}, listed(table)), ['sources[0].table: expected a table, as name or schema.name, without quotes, backslashes and blanks around a name'], table);
  }
});
