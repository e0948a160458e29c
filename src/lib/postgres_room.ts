/** What grants the fewest connections of a PostgreSQL to whoever asks. */
export type Granter = 'server' | 'database' | 'role';

/**
 * A query of that: `granter`, and how many connections it has `left`, one row. `taken`: which sessions `a` of `pg_stat_activity` are not counted as left. It may name the `role` and the
 * `database` of whoever asks. Sessions of other roles are told by no more than their process, their database and their role.
 */
export function connectionsLeft(taken: string): string {
  return `
    SELECT granter, granted::int AS left FROM (
      SELECT r.oid AS role, r.rolsuper, r.rolconnlimit, d.oid AS database, d.datconnlimit FROM pg_roles r, pg_database d
      WHERE r.rolname = session_user AND d.datname = current_database()
    ) me, LATERAL (
      SELECT count(*) AS all_of_them, count(*) FILTER (WHERE a.datid = database) AS of_database, count(*) FILTER (WHERE a.usesysid = role) AS of_role
      FROM pg_stat_activity a
      WHERE a.datid IS NOT NULL AND a.usesysid IS NOT NULL AND ${taken}
    ) taken, LATERAL (VALUES
      ('server', current_setting('max_connections')::int - all_of_them - CASE WHEN rolsuper THEN 0
        ELSE current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) END),
      ('database', CASE WHEN datconnlimit >= 0 AND NOT rolsuper THEN datconnlimit - of_database END),
      ('role', CASE WHEN rolconnlimit >= 0 AND NOT rolsuper THEN rolconnlimit - of_role END)
    ) grants(granter, granted)
    WHERE granted IS NOT NULL ORDER BY granted LIMIT 1`;
}

/** Asks a server over one connection which of its processes serves that. */
type AskProcess = () => Promise<number>;
export const PROCESS = 'SELECT pg_backend_pid() AS process';

/** Whether two connections that are open at once are lent one session in turn, as by a pooler that lends it for a transaction: what one of them sets, the other has. */
export async function isLentInTurn(first: AskProcess, second: AskProcess): Promise<boolean> {
  const process = await first();
  return await second() === process || await first() !== process;
}
