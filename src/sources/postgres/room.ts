import { connectingOf } from '../connecting.ts';
import type { ForeignConfig } from '../source.ts';
import { Connections } from './connect.ts';

export type PostgresConfig = Extract<ForeignConfig, { readonly kind: 'postgres' }>;

/** What grants the fewest connections, and how many of them are left. */
export type Room = { readonly granter: 'server' | 'database' | 'role'; readonly left: number };

/** Beside sessions of this service, which whoever asks may have. Those of other roles are told by no more than their database and their role. */
const LEFT = `
  SELECT granter, granted FROM (
    SELECT r.oid AS role, r.rolsuper, r.rolconnlimit, d.oid AS database, d.datconnlimit FROM pg_roles r, pg_database d
    WHERE r.rolname = session_user AND d.datname = current_database()
  ) me, LATERAL (
    SELECT count(*) AS all_of_them, count(*) FILTER (WHERE a.datid = database) AS of_database, count(*) FILTER (WHERE a.usesysid = role) AS of_role
    FROM pg_stat_activity a
    WHERE a.datid IS NOT NULL AND a.usesysid IS NOT NULL AND (a.usesysid, a.application_name) IS DISTINCT FROM (role, current_setting('application_name'))
  ) taken, LATERAL (VALUES
    ('server', current_setting('max_connections')::int - all_of_them - CASE WHEN rolsuper THEN 0
      ELSE current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) END),
    ('database', CASE WHEN datconnlimit >= 0 AND NOT rolsuper THEN datconnlimit - of_database END),
    ('role', CASE WHEN rolconnlimit >= 0 AND NOT rolsuper THEN rolconnlimit - of_role END)
  ) grants(granter, granted)
  WHERE granted IS NOT NULL ORDER BY granted LIMIT 1`;

/** For the connections of one gateway. */
export async function roomFor(config: PostgresConfig, signal: AbortSignal): Promise<Room> {
  const connections = new Connections(connectingOf(config));
  try {
    const [[granter, left]] = await connections.all({ text: LEFT, values: [] }, 1, 'short', signal) as [[Room['granter'], string]];
    return { granter, left: Math.max(0, Number(left)) };
  } finally {
    await connections.close();
  }
}
