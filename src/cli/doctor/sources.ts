import { LIMITS } from '../../config/limits.ts';
import type { Config } from '../../config/schema.ts';
import type { SourceConfig } from '../../config/sources.ts';
import { vocabulary } from '../../model/vocabulary.ts';
import { connectingOf } from '../../sources/connecting.ts';
import type { PostgresConfig } from '../../sources/postgres/room.ts';
import { SourceFailure, type ForeignConfig, type ForeignSource } from '../../sources/source.ts';
import { counted } from '../counted.ts';
import { untilItsCertificateEnds } from './certificate.ts';
import { fail, ok, warn, type Check } from './check.ts';
import { OWN_SESSIONS, RAISED } from './postgres.ts';
import { tlsRemedy } from './tls.ts';

/**
 * Every source that is no lake, and each of its servers by itself: one that is dead behind a living one is not seen otherwise. `engineLoads`: the
 * one of Parquet files, which comes with the kits of all sources. To try it here would end the doctor: Node rejects twice what fails within.
 */
export async function checkSources({ sources, extras }: Config, engineLoads: boolean): Promise<Check[]> {
  const servers = sources.filter(isForeign).flatMap(eachServer);
  if (servers.length === 0) return [];
  if (!engineLoads) return servers.map(({ name, config }) => fail(name, `${config.kind} cannot be searched (a module does not load)`, 'see above'));
  const { openSource } = await import('../../sources/open.ts');
  return Promise.all(servers.map((server) => checkServer(server, openSource({ config: server.config, vocabulary: vocabulary(server.config.dataset, extras[server.config.dataset]) }))));
}

function isForeign(config: SourceConfig): config is ForeignConfig {
  return config.kind !== 'lake';
}

type Server = { readonly name: string; readonly config: ForeignConfig };

function eachServer(config: ForeignConfig): Server[] {
  const name = `source ${config.name}`;
  if (config.kind === 'parquet') return [{ name, config }];
  const urls = [config.url, ...config.replicas ?? []];
  return urls.map((url, at) => ({ name: at === 0 ? name : `${name}, replica ${at}`, config: { ...config, url, replicas: undefined } }));
}

async function checkServer({ name, config }: Server, source: ForeignSource): Promise<Check> {
  const check = await checkAnswer(name, source, config);
  if (config.kind === 'parquet') return check;
  return untilItsCertificateEnds(config.kind === 'postgres' ? await whileThereIsRoom(check, config) : check, config.url);
}

async function checkAnswer(name: string, source: ForeignSource, config: ForeignConfig): Promise<Check> {
  const deadline = AbortSignal.timeout(LIMITS.foreignExaminedMs);
  try {
    const { fields, trouble } = await source.describe(deadline);
    if (trouble === null) return ok(name, `${config.kind} answers, and has ${fields.length} fields`);
    const unread = config.kind === 'postgres' ? '; a column counts as missing while its role may not read it (GRANT SELECT)' : '';
    return warn(name, `${config.kind} answers: ${trouble}`, `docs/sources.md tells what each kind needs${unread}`);
  } catch (error) {
    const why = deadline.aborted ? 'no answer in time' : error instanceof SourceFailure ? `${error.code}: ${error.message}` : String(error);
    const remedy = tlsRemedy(why) ?? kindRemedy(config, why) ?? 'correct its entry under sources, or start its server';
    return fail(name, `${config.kind} cannot be searched (${oneLine(why)})`, `${remedy}; the other sources are searched without it`);
  } finally {
    await source.close().catch(() => {});
  }
}

/** Of a server that is well: that a busy source will find it full, or a session that others have, too. It is asked once the source is closed, whose connection may be the last. One that stands for others may not tell. */
async function whileThereIsRoom(check: Check, config: PostgresConfig): Promise<Check> {
  if (check.status !== 'ok') return check;
  const { connections } = connectingOf(config);
  // Its library loads Node's own client of HTTP, which finds no room where addresses are few.
  const { lendsInTurn, roomFor } = await import('../../sources/postgres/room.ts');
  if (await lendsInTurn(config, AbortSignal.timeout(LIMITS.foreignExaminedMs)).catch(() => false)) {
    return warn(check.name, `${check.detail}; a pooler lends its sessions in turn: times without a zone may be shown wrong, and programs of the same user find them read-only`, OWN_SESSIONS);
  }
  const room = await roomFor(config, AbortSignal.timeout(LIMITS.foreignExaminedMs)).catch(() => null);
  if (room === null || room.left >= connections) return check;
  const { granter, left } = room;
  const fewer = left < 2 ? '' : `, or set concurrency of the source to ${Math.floor(left / 2)}`;
  return warn(check.name, `${check.detail}; its ${granter} has ${counted(left, 'connection')} for it, and a gateway takes up to ${connections}`, `${RAISED[granter]}${fewer}`);
}

type Remedy = readonly [said: RegExp, remedy: string];
const AS_WRITTEN = 'names are taken as they are written';

/** What is often amiss with a source of one kind, by what its server says of that; the first that fits. */
const REMEDIES: Readonly<Record<Exclude<ForeignConfig['kind'], 'parquet'>, readonly Remedy[]>> = {
  http: [
    [/^(?:unreachable: HTTP 401|refused: HTTP 403)\b/, 'its headers are to carry a key that is valid there, such as authorization: "Bearer ${PARTNER_KEY}"'],
    [/^refused: HTTP 3/, 'its url is to be the address that this one leads to'],
    [/^refused: HTTP 407\b/, 'a proxy stands there, and lets nobody through: its url is to name the server itself'],
    // A gateway that is named without the path of find, or with another, answers that nothing is there, or nothing that takes a search.
    [/^refused: HTTP 40[45]\b/, 'its url is to be that of find, with its path, such as https://gateway.example/v1/find'],
    // An API that knows JSON alone, or streams of its own, has no last line that tells its end.
    [/^malformed: |has no last line$/, 'it is to answer find as docs/sources.md tells: NDJSON, uncompressed, with @end as the last line'],
  ],
  clickhouse: [
    [/^unreachable: Code: (?:19[2-5]|516)\b/, 'its url is to name a user who may come from here, with the right password, as in http://user:password@host:8123'],
    // A path in its url names no database.
    [/^refused: Code: (?:60|81)\b/, `its table is to be one that is there, after its database, such as leads.contacts; ${AS_WRITTEN}`],
    // Of a server before 20.4, whose users are let read databases.
    [/^refused: Code: 291\b/, 'let its user read the database of its table (allow_databases)'],
    [/^refused: Code: 497\b/, 'GRANT its user SELECT on the table and on all that a view of it reads; where it may read some of the columns, SHOW COLUMNS on the table too'],
    [/^refused: Code: (?:164|452)\b/, 'its user is to be one who may change settings: readonly 0 or 2 in its profile, and no constraint on those that are sent'],
  ],
  postgres: [
    // PgBouncer says all by one code, as a breach of the protocol.
    [/^unreachable: 08P01 server login (?:failed|has been failing)/, 'the pooler is there, and is not let in by the server behind it: see its log, and correct by what user and password it comes there'],
    [/^unreachable: (?:28|SASL: .*client password|08P01 (?:.*authentication failed|no such user|login rejected))/, 'its url is to name a role that may log in from here, with the right password, as in postgres://user:password@host/database'],
    [/^unreachable: (?:3D000|08P01 (?:no such database|database .* does not exist))/, `its url is to name a database that is there, as in postgres://user:password@host/database; ${AS_WRITTEN}`],
    [/^unreachable: 42501 permission denied for database\b/, 'GRANT CONNECT ON DATABASE to its role'],
    [/^unreachable: 55000 .*not currently accepting connections/, 'ALTER DATABASE there to let connections in (ALLOW_CONNECTIONS)'],
    [/^unreachable: 08001 /, 'the server that its table lies on is not reached from there: correct its foreign server or the user mapping of its role, or start it'],
    [/^refused: 42704 user mapping not found\b/, 'CREATE USER MAPPING for its role on the foreign server of its table'],
    [/^refused: the database is in\b/, 'its url is to name a database in UTF8: dump this one, and restore it into one that is made with ENCODING UTF8'],
    [/^refused: 42501 .*row-level security/, 'set row_security to on for its role (ALTER ROLE)'],
    [
      /^refused: (?:42501 |the role may not read\b)/,
      'GRANT its role USAGE on the schema and SELECT on the table; what a view or a policy reads or calls is to be granted to whom it does that as, its owner or this role',
    ],
    [/^refused: (?:there is no table\b|0A000 cross-database\b)/, `its table is to be one of that database, after its schema, such as public.people; ${AS_WRITTEN}`],
  ],
};

function kindRemedy(config: ForeignConfig, why: string): string | null {
  if (config.kind === 'parquet') return 'correct its path under sources, or see that files are there that the service may read';
  const [, remedy] = REMEDIES[config.kind].find(([said]) => said.test(why)) ?? [];
  if (remedy !== undefined) return remedy;
  if (why.startsWith('overloaded: ')) return 'it is there, and has no room for now: look again later, and have it let in more if that stays so';
  // In the words of the driver. A pooler takes whoever comes, and has him wait until it has a session of the server for him.
  if (config.kind === 'postgres' && why.endsWith('Query read timeout')) {
    return `see that its server answers; a pooler is to have sessions to spare, up to ${connectingOf(config).connections} for each gateway (default_pool_size of PgBouncer)`;
  }
  // Neither side says that the other one speaks TLS, or that a certificate was wanted.
  if ((config.kind === 'http' || config.kind === 'clickhouse') && /^broken: (?:ECONNRESET|UND_ERR_SOCKET)\b/.test(why)) {
    return new URL(config.url).protocol === 'http:' ? 'where it speaks TLS there, its url is to begin with https' : 'where it asks for a certificate of whoever connects, have it ask for none';
  }
  return null;
}

/** What servers say of themselves may have several, and end in one. */
function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
