import { likely } from '../lib/nearest.ts';
import { SETTINGS, type SettingName } from './schema.ts';

const PREFIX = 'LDS_';
/** Read by the commands that ask a running gateway, or by the caller's own shell: no settings of the server. */
const CLIENT_VARIABLES = ['LDS_KEY', 'LDS_URL'];
const OWN_VARIABLES = ['LDS_CONFIG', ...CLIENT_VARIABLES];
/** Keys of the file that are no one-line settings. */
const LISTS = ['sources', 'extras'];

/** What other programs call such a setting. */
const ELSEWHERE: Readonly<Record<string, SettingName>> = {
  listen: 'host', bind: 'host', address: 'host',
  db: 'database_url', db_url: 'database_url', postgres: 'database_url', postgres_url: 'database_url',
  resolvers: 'dns_servers', allowed_origins: 'cors_origins', trust_proxy: 'trusted_proxies', threads: 'scan_threads',
};

/** Of names as they might be written, how they are to be. */
type Spellings = ReadonlyMap<string, string>;

const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
const KEYS: ReadonlySet<string> = new Set([...SETTING_NAMES, ...LISTS]);
const VARIABLES: ReadonlySet<string> = new Set([...OWN_VARIABLES, ...SETTING_NAMES.flatMap((key) => SETTINGS[key].env ?? [])]);

/** Of the file. */
export function unknownKeys(given: Iterable<string>): string[] {
  return told([...given].filter((key) => !KEYS.has(key)), spellingsOfKeys());
}

/** Of the environment; `used`: those that the file asked for. */
export function unknownVariables(given: Iterable<string>, used: ReadonlySet<string>): string[] {
  return told([...given].filter((name) => name.startsWith(PREFIX) && !VARIABLES.has(name) && !used.has(name)), spellingsOfVariables());
}

function spellingsOfKeys(): Spellings {
  return new Map([
    ...[...KEYS].map((key) => [key, key] as const),
    ...SETTING_NAMES.flatMap((key) => spelt(SETTINGS[key].env, key)),
    ...Object.entries(ELSEWHERE),
  ]);
}

function spelt(variable: string | null, key: string): (readonly [string, string])[] {
  return variable === null ? [] : [[variable.slice(PREFIX.length).toLowerCase(), key], [variable, key]];
}

function spellingsOfVariables(): Spellings {
  const written = (key: string): string => (key in SETTINGS ? SETTINGS[key as SettingName].env : null) ?? `${key} in the file`;
  return new Map([
    ...[...VARIABLES].map((variable) => [variable, variable] as const),
    ...[...spellingsOfKeys()].map(([name, key]) => [PREFIX + name.toUpperCase(), written(key)] as const),
  ]);
}

function told(names: readonly string[], spellings: Spellings): string[] {
  return names.map((name) => `${name === '' ? '""' : name}: not a setting${OF_KUBERNETES.test(name) ? LINKED : hint(name, spellings)}`);
}

const OF_KUBERNETES = /^LDS_(?:SERVICE_(?:HOST$|PORT)|PORT_\d)/;
const LINKED = ': Kubernetes sets it for a Service called lds, unless the pod has enableServiceLinks: false';

function hint(name: string, spellings: Spellings): string {
  const meant = spellings.get(name) ?? spellings.get(likely(name, spellings.keys()) ?? '');
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}
