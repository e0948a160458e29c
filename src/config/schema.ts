import { isIP } from 'node:net';
import { z } from 'zod';
import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { address, flag, matching, path, whole } from './forms.ts';
import { LIMITS } from './limits.ts';
import type { SourceConfig } from './sources.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Everything the operator can decide, checked. */
export type Config = {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Absolute. */
  readonly dataDir: string;
  readonly adminKey: string | null;
  readonly demo: boolean;
  readonly http: 'uws' | 'node';
  /** Addresses and CIDR blocks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly metricsPort: number | null;
  /** Empty for the system's own. */
  readonly dnsServers: readonly string[];
  readonly smtp: boolean;
  readonly validatorUrl: string | null;
  readonly validateEmailsMax: number;
  readonly logLevel: LogLevel;
  readonly scanThreads: number;
  /** Whether the files of lakes are mapped, where the system can: the indexes, and the rows that are not read into memory. */
  readonly mapFiles: boolean;
  /** Row bytes of the lakes read into memory. Null: none where they can be mapped, else a quarter of the memory. */
  readonly rowsMemoryBytes: number | null;
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  readonly sources: readonly SourceConfig[];
  readonly extras: Readonly<Record<Dataset, readonly ExtraField[]>>;
};

const listOf = <T extends z.ZodType>(item: T) => z.array(item, 'expected a list');

const asText = (value: string): unknown => value;
const asFlag = (value: string): unknown => FLAGS.get(value.toLowerCase()) ?? value;
const asList = (value: string): unknown => value.split(',').map((item) => item.trim()).filter((item) => item !== '');
const FLAGS = new Map([['1', true], ['true', true], ['yes', true], ['on', true], ['0', false], ['false', false], ['no', false], ['off', false]]);

/** The one-line settings: each as a key of the YAML file, and as a variable of the environment where it has one. */
export const SETTINGS = {
  host: { env: 'LDS_HOST', read: asText, schema: matching('expected an address or a host name', isHost) },
  port: { env: 'LDS_PORT', read: asText, schema: whole(0, 65_535) },
  data_dir: { env: 'LDS_DATA_DIR', read: asText, schema: path('expected a folder') },
  admin_key: { env: 'LDS_ADMIN_KEY', read: asText, schema: matching('expected lda_ and 38 letters and digits', (value) => /^lda_[0-9A-Za-z]{38}$/.test(value)) },
  demo: { env: 'LDS_DEMO', read: asFlag, schema: flag('expected 0 or 1') },
  http: { env: 'LDS_HTTP', read: asText, schema: z.enum(['uws', 'node'], 'expected uws or node') },
  trusted_proxies: { env: 'LDS_TRUSTED_PROXIES', read: asList, schema: listOf(matching('expected addresses or CIDR blocks', isBlock)) },
  cors_origins: { env: 'LDS_CORS_ORIGINS', read: asList, schema: listOf(matching('expected origins such as https://app.example, without a path', isOrigin)) },
  metrics_port: { env: 'LDS_METRICS_PORT', read: asText, schema: whole(1, 65_535) },
  dns_servers: { env: 'LDS_DNS_SERVERS', read: asList, schema: listOf(matching('expected addresses, each with a port or none', isResolver)).max(LIMITS.dnsServersMax, `expected at most ${LIMITS.dnsServersMax}`) },
  smtp: { env: 'LDS_SMTP', read: asFlag, schema: flag('expected 0 or 1') },
  validator_url: { env: 'LDS_VALIDATOR_URL', read: asText, schema: address('http:', 'https:') },
  validate_emails_max: { env: null, read: asText, schema: whole(1, LIMITS.validateEmailsMaxCeiling) },
  log_level: { env: 'LDS_LOG_LEVEL', read: asText, schema: z.enum(LOG_LEVELS, `expected one of ${LOG_LEVELS.join(', ')}`) },
  scan_threads: { env: 'LDS_WORKERS', read: asText, schema: whole(1, LIMITS.scanThreadsMax) },
  map_files: { env: null, read: asFlag, schema: flag('expected true or false') },
  rows_memory_mb: { env: null, read: asText, schema: whole(0, LIMITS.rowsMemoryMbMax) },
  database_url: { env: 'LDS_DATABASE_URL', read: asText, schema: address('postgres:', 'postgresql:') },
  redis_url: { env: 'LDS_REDIS_URL', read: asText, schema: address('redis:', 'rediss:').refine(isNumbered, 'expected nothing behind the host and its port, or the number of a database') },
} as const satisfies Record<string, Setting>;

type Setting = { readonly env: string | null; readonly read: (value: string) => unknown; readonly schema: z.ZodType };
export type SettingName = keyof typeof SETTINGS;
export type SettingValues = { readonly [K in SettingName]?: z.output<(typeof SETTINGS)[K]['schema']> };

function isHost(value: string): boolean {
  return isIP(value) !== 0 || /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9-]{1,63})*\.?$/i.test(value);
}

function isBlock(value: string): boolean {
  const [ip, bits, ...more] = value.split('/');
  const family = isIP(ip!);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && new URL(value).origin === value;
}

function isResolver(value: string): boolean {
  if (isIP(value) !== 0) return true;
  const [, ip, port] = /^(?:\[(?=.*\]))?([^\]]+?)\]?:(\d{1,5})$/.exec(value) ?? [];
  return ip !== undefined && isIP(ip) === (value.startsWith('[') ? 6 : 4) && Number(port) >= 1 && Number(port) <= 65_535;
}

/** Of what is no URL something else is said. What is no number the client takes for one all the same: the first database, or none, which it dies of. */
function isNumbered(value: string): boolean {
  if (!URL.canParse(value)) return true;
  const { pathname, searchParams } = new URL(value);
  return [pathname.slice(1), ...searchParams.getAll('db')].every((number) => /^\d{0,9}$/.test(number));
}
