import type { Outdated } from '../outdated_store.ts';
import type { Sql } from './connection.ts';

/** What another gateway has in hand at the same moment is left to it. */
export async function forgetOutdated(sql: Sql, outdated: Outdated): Promise<number> {
  const { keysEndedMs, keysKeptOf, usageDay, rowsMax } = outdated;
  const ids = (await waitingTooLong(sql, outdated)).map(({ id }) => id);
  for (const table of ['sessions', 'passwords']) if (ids.length > 0) await sql.run(`DELETE FROM ${table} WHERE account_id = ANY($1)`, ids);
  if (ids.length > 0) await sql.run('DELETE FROM accounts WHERE id = ANY($1)', ids);
  const keys = await sql.run(
    `DELETE FROM keys WHERE id IN
       (SELECT id FROM keys WHERE ends_ms < $1 AND account_id NOT IN (SELECT id FROM accounts WHERE email = ANY($2)) LIMIT $3 FOR UPDATE SKIP LOCKED)`,
    keysEndedMs, keysKeptOf, rowsMax,
  );
  const days = await sql.run('DELETE FROM usage WHERE ctid IN (SELECT ctid FROM usage WHERE day < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)', usageDay, rowsMax);
  return ids.length + keys + days;
}

/** Held until the end of the transaction, so that nobody opens one meanwhile. */
async function waitingTooLong(sql: Sql, { waitingCreatedMs, waitingMax, rowsMax }: Outdated): Promise<{ id: string }[]> {
  const surplus = await sql.get<{ createdMs: number }>(`SELECT created_ms AS "createdMs" FROM accounts WHERE status = 'waiting' ORDER BY created_ms DESC LIMIT 1 OFFSET $1`, waitingMax);
  return sql.all<{ id: string }>(
    `SELECT id FROM accounts a WHERE status = 'waiting' AND created_ms < $1
       AND NOT EXISTS (SELECT 1 FROM keys WHERE account_id = a.id) AND NOT EXISTS (SELECT 1 FROM usage WHERE account_id = a.id)
     ORDER BY created_ms LIMIT $2 FOR UPDATE SKIP LOCKED`,
    Math.max(waitingCreatedMs, (surplus?.createdMs ?? -1) + 1), rowsMax,
  );
}
