import type { Invite, Page } from '../store.ts';
import type { Sql } from './connection.ts';

const COLUMNS = 'id, digest, uses_max AS usesMax, uses_left AS usesLeft, created_ms AS createdMs, expires_ms AS expiresMs';

export function addInvite(sql: Sql, { id, digest, usesMax, usesLeft, createdMs, expiresMs }: Invite): void {
  const text = 'INSERT INTO invites (id, digest, uses_max, uses_left, created_ms, expires_ms) VALUES (?, ?, ?, ?, ?, ?)';
  sql.run(text, id, digest, usesMax, usesLeft, createdMs, expiresMs);
}

export function invites(sql: Sql, { afterId, rowsMax }: Page): Invite[] {
  return sql.all<Invite>(`SELECT ${COLUMNS} FROM invites WHERE id > ? ORDER BY id LIMIT ?`, afterId ?? '', rowsMax);
}

export function dropInvite(sql: Sql, id: string): boolean {
  return sql.run('DELETE FROM invites WHERE id = ?', id) === 1;
}

/** No use is spent on an account that does not wait. */
export function redeemInvite(sql: Sql, digest: Uint8Array, accountId: string, nowMs: number): boolean {
  const spent = sql.run(
    `UPDATE invites SET uses_left = uses_left - 1
     WHERE digest = ? AND uses_left > 0 AND (expires_ms IS NULL OR expires_ms > ?)
       AND EXISTS (SELECT 1 FROM accounts WHERE id = ? AND status = 'waiting')`,
    digest, nowMs, accountId,
  );
  if (spent === 0) return false;
  sql.run(`UPDATE accounts SET status = 'active' WHERE id = ?`, accountId);
  return true;
}
