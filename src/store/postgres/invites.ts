import type { Invite, Page } from '../store.ts';
import { holdAccount } from './accounts.ts';
import type { Sql } from './connection.ts';

const COLUMNS = 'id, digest, uses_max AS "usesMax", uses_left AS "usesLeft", created_ms AS "createdMs", expires_ms AS "expiresMs"';

export async function addInvite(sql: Sql, { id, digest, usesMax, usesLeft, createdMs, expiresMs }: Invite): Promise<void> {
  const text = 'INSERT INTO invites (id, digest, uses_max, uses_left, created_ms, expires_ms) VALUES ($1, $2, $3, $4, $5, $6)';
  await sql.run(text, id, digest, usesMax, usesLeft, createdMs, expiresMs);
}

export function invites(sql: Sql, { afterId, rowsMax }: Page): Promise<Invite[]> {
  return sql.all<Invite>(`SELECT ${COLUMNS} FROM invites WHERE id > $1 ORDER BY id LIMIT $2`, afterId ?? '', rowsMax);
}

export async function dropInvite(sql: Sql, id: string): Promise<boolean> {
  return (await sql.run('DELETE FROM invites WHERE id = $1', id)) === 1;
}

/** No use is spent on an account that does not wait. */
export async function redeemInvite(sql: Sql, digest: Uint8Array, accountId: string, nowMs: number): Promise<boolean> {
  if ((await holdAccount(sql, accountId)) !== 'waiting' || !(await spendInvite(sql, digest, nowMs))) return false;
  await sql.run(`UPDATE accounts SET status = 'active' WHERE id = $1`, accountId);
  return true;
}

/** Who comes while another spends waits for the end of his transaction, and looks at what he left. */
export async function spendInvite(sql: Sql, digest: Uint8Array, nowMs: number): Promise<boolean> {
  const text = 'UPDATE invites SET uses_left = uses_left - 1 WHERE digest = $1 AND uses_left > 0 AND (expires_ms IS NULL OR expires_ms > $2)';
  return (await sql.run(text, digest, nowMs)) === 1;
}

/** Nobody else spends it until the end of the transaction. */
export async function holdInvite(sql: Sql, digest: Uint8Array, nowMs: number): Promise<boolean> {
  const text = 'SELECT 1 FROM invites WHERE digest = $1 AND uses_left > 0 AND (expires_ms IS NULL OR expires_ms > $2) FOR UPDATE';
  return (await sql.get(text, digest, nowMs)) !== undefined;
}
