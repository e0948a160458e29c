import { LIMITS } from '../../config/limits.ts';
import type { Config } from '../../config/schema.ts';
import { USE_NEWER } from '../../store/newer_schema.ts';
import { examineDatabase } from '../../store/postgres/examine.ts';
import { counted } from '../counted.ts';
import { untilItsCertificateEnds } from './certificate.ts';
import { fail, ok, warn, type Check } from './check.ts';
import { OWN_SESSIONS, RAISED } from './postgres.ts';
import { tlsRemedy } from './tls.ts';

const VERSION_MIN = 120_000;
/** Both pools of a gateway, and what each listens on. */
const CONNECTIONS_OF_GATEWAY = LIMITS.databaseConnectionsMax + LIMITS.databaseKeeperConnectionsMax + 2;
/** Which of them is full the server tells in its own words. */
const CROWDED = 'raise max_connections, or the CONNECTION LIMIT of the database or the role, or end what else is connected';
/** In the words of the driver. A pooler takes whoever comes, and has him wait until it has a session of the server for him. */
const SILENT = /^(?:timeout expired|Query read timeout)$/;
/** In the words of the server: in others it is told by the general remedy. */
const NOWHERE = /^database ".*" does not exist$/;
/** The same: a restore may have left the tables to another role. */
const DENIED = /^permission denied for (?:schema|table) /;
const REACH = `see that it can be reached from here; a pooler is to have sessions to spare, up to ${CONNECTIONS_OF_GATEWAY} for each gateway (default_pool_size of PgBouncer)`;

/** Nothing where the accounts are in the data folder. */
export async function checkDatabase({ databaseUrl }: Pick<Config, 'databaseUrl'>): Promise<Check[]> {
  if (databaseUrl === null) return [];
  const found = await examineDatabase(databaseUrl);
  if (!found.ok) return [fail('database', `${found.place} cannot be used: ${found.reason}`, remedyOf(found))];
  const { place, version, versionNumber, latencyMs, losesWrites, standby, readOnly, granter, connectionsLeft, mayMake, newer, lentInTurn } = found;
  const told = `${place}, PostgreSQL ${version}, answers in ${latencyMs.toFixed(1)} ms`;
  if (versionNumber < VERSION_MIN) return [fail('database', told, 'version 12 or newer is needed')];
  if (newer !== null) return [fail('database', `${place} cannot be used: ${newer}`, USE_NEWER)];
  if (standby) return [fail('database', `${told}, and is a standby: nothing can be written`, 'name the primary in LDS_DATABASE_URL')];
  if (lentInTurn) return [fail('database', `${told}, through a pooler that lends one session to several: nothing that the service sets, prepares or listens to is kept`, OWN_SESSIONS)];
  if (readOnly) return [fail('database', `${told}, and takes no changes`, 'set default_transaction_read_only to off, for the server, the database and the role')];
  if (!mayMake) return [fail('database', `${told}, and this role may not make the schema of the service there`, 'GRANT CREATE ON DATABASE to it, or let an owner start the service once')];
  if (losesWrites.length > 0) return [warn('database', `${told}, with ${losesWrites.join(' and ')} off: a crash of it loses what was acknowledged`, `turn ${losesWrites.join(' and ')} on`)];
  if (connectionsLeft < CONNECTIONS_OF_GATEWAY) {
    const free = `its ${granter} has ${counted(connectionsLeft, 'connection')} free, and a gateway takes up to ${CONNECTIONS_OF_GATEWAY}`;
    return [warn('database', `${told}; ${free}`, RAISED[granter])];
  }
  return [await untilItsCertificateEnds(ok('database', told), databaseUrl)];
}

function remedyOf({ reason, crowded }: { readonly reason: string; readonly crowded: boolean }): string {
  if (crowded) return CROWDED;
  if (NOWHERE.test(reason)) return 'CREATE DATABASE there, or name another in LDS_DATABASE_URL';
  if (DENIED.test(reason)) return 'have its role own the schema lead_data_service and the tables in it, or name the one that does in LDS_DATABASE_URL';
  return SILENT.test(reason) ? REACH : tlsRemedy(reason) ?? 'start it, or correct LDS_DATABASE_URL';
}
