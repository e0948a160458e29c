import { availableParallelism, totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { ConfigError } from './config_error.ts';
import { EMPTY_DOCUMENT, readDocument, type Document, type Environment } from './document.ts';
import { LIMITS } from './limits.ts';
import { SETTINGS, type Config, type SettingName, type SettingValues } from './schema.ts';
import { readExtras, readSources } from './read_sources.ts';
import type { SourceConfig } from './sources.ts';
import { unknownKeys, unknownVariables } from './unknown_names.ts';

/** What the defaults depend on. */
export type Machine = { readonly memoryBytes: number; readonly processors: number; readonly folder: string };

export function thisMachine(): Machine {
  const limit = process.constrainedMemory();
  return { memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem(), processors: availableParallelism(), folder: process.cwd() };
}

export function loadConfig(env: Environment, readFile: (path: string) => string, machine: Machine = thisMachine()): Config {
  const document = fileOf(env, readFile);
  const problems: string[] = [];
  const values = settingsOf(env, document, problems);
  const extras = readExtras(document.values['extras'], problems);
  const sources = readSources(document.values['sources'], extras, problems);
  problems.push(...unknownVariables(Object.keys(env), document.used), ...unknownKeys(Object.keys(document.values)));
  const told = [...document.problems, ...problems.filter(notFollowing(document.problems))].map(onOneLine);
  const whole = !told.some((problem) => keyOf(problem) === 'sources');
  const config = withDefaults(values, whole ? sources : [], extras.columns, machine);
  if (told.length > 0) throw new ConfigError(told, config);
  return config;
}

/** A text whose variable is not set is empty, and so of the wrong form too: that is no second problem. */
function notFollowing(first: readonly string[]): (problem: string) => boolean {
  const known = new Set(first.map(settingOf));
  return (problem) => !known.has(settingOf(problem));
}

/** Names of the file may hold line ends. */
function onOneLine(problem: string): string {
  return problem.replace(/\p{Cc}/gu, (sign) => JSON.stringify(sign).slice(1, -1));
}

function settingOf(problem: string): string {
  return problem.slice(0, problem.indexOf(': '));
}

/** The key of the file within which it is. */
function keyOf(problem: string): string {
  return problem.split(/[:.[]/, 1)[0]!;
}

function fileOf(env: Environment, readFile: (path: string) => string): Document {
  const path = env['LDS_CONFIG'] ?? '';
  if (path === '') return EMPTY_DOCUMENT;
  let source: string;
  try {
    source = readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return { ...EMPTY_DOCUMENT, problems: [`LDS_CONFIG: expected a file that can be read (${code})`] };
  }
  return readDocument(source, env);
}

function settingsOf(env: Environment, document: Document, problems: string[]): SettingValues {
  const values: Partial<Record<SettingName, unknown>> = {};
  const troubled = new Set(document.problems.map(keyOf));
  for (const key of Object.keys(SETTINGS) as SettingName[]) {
    const { env: variable, read, schema } = SETTINGS[key];
    const fromEnv = variable === null ? '' : (env[variable] ?? '');
    const given: unknown = fromEnv === '' ? document.values[key] : fromEnv;
    if (given === undefined || given === null) continue;
    const name = fromEnv === '' ? key : variable!;
    const parsed = schema.safeParse(typeof given === 'string' ? read(given) : given);
    if (!parsed.success) problems.push(`${name}: ${parsed.error.issues[0]!.message}`);
    else if (fromEnv !== '' || !troubled.has(key)) values[key] = parsed.data;
  }
  return values as SettingValues;
}

const MIB = 1_048_576;

function withDefaults(values: SettingValues, sources: SourceConfig[], extras: Record<Dataset, ExtraField[]>, machine: Machine): Config {
  return {
    host: values.host ?? '127.0.0.1',
    port: values.port ?? 8080,
    dataDir: resolve(machine.folder, values.data_dir ?? 'data'),
    adminKey: values.admin_key ?? null,
    demo: values.demo ?? true,
    http: values.http ?? 'uws',
    trustedProxies: values.trusted_proxies ?? [],
    corsOrigins: values.cors_origins ?? [],
    metricsPort: values.metrics_port ?? null,
    dnsServers: values.dns_servers ?? [],
    smtp: values.smtp ?? false,
    validatorUrl: values.validator_url ?? null,
    validateEmailsMax: values.validate_emails_max ?? LIMITS.validateEmailsMaxDefault,
    logLevel: values.log_level ?? 'info',
    scanThreads: values.scan_threads ?? Math.min(LIMITS.scanThreadsMax, Math.max(1, machine.processors - 1)),
    mapFiles: values.map_files ?? true,
    rowsMemoryBytes: values.rows_memory_mb === undefined ? null : values.rows_memory_mb * MIB,
    databaseUrl: values.database_url ?? null,
    redisUrl: values.redis_url ?? null,
    sources,
    extras,
  };
}
