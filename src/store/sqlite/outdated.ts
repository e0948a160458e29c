import type { Outdated } from '../outdated_store.ts';
import type { Sql } from './connection.ts';
import { deleteAccount } from './members.ts';

export function forgetOutdated(sql: Sql, outdated: Outdated): number {
  const { keysEndedMs, keysKeptOf, usageDay, rowsMax } = outdated;
  const waiting = waitingTooLong(sql, outdated);
  for (const { id } of waiting) deleteAccount(sql, id);
  const keys = sql.run(
    `DELETE FROM keys WHERE id IN
       (SELECT id FROM keys WHERE ends_ms < ? AND account_id NOT IN (SELECT id FROM accounts WHERE email IN (SELECT value FROM json_each(?))) LIMIT ?)`,
    keysEndedMs, JSON.stringify(keysKeptOf), rowsMax,
  );
  const days = sql.run(
    'DELETE FROM usage WHERE (account_id, day, key_id, endpoint) IN (SELECT account_id, day, key_id, endpoint FROM usage WHERE day < ? LIMIT ?)',
    usageDay, rowsMax,
  );
  return waiting.length + keys + days;
}

function waitingTooLong(sql: Sql, { waitingCreatedMs, waitingMax, rowsMax }: Outdated): { id: string }[] {
  const surplus = sql.get<{ createdMs: number }>(`SELECT created_ms AS createdMs FROM accounts WHERE status = 'waiting' ORDER BY created_ms DESC LIMIT 1 OFFSET ?`, waitingMax);
  return sql.all<{ id: string }>(
    `SELECT id FROM accounts WHERE status = 'waiting' AND created_ms < ?
       AND NOT EXISTS (SELECT 1 FROM keys WHERE account_id = accounts.id) AND NOT EXISTS (SELECT 1 FROM usage WHERE account_id = accounts.id)
     ORDER BY created_ms LIMIT ?`,
    Math.max(waitingCreatedMs, (surplus?.createdMs ?? -1) + 1), rowsMax,
  );
}
