import type { Member, PasswordChange, Session } from '../store.ts';
import type { Sql } from './connection.ts';
import { memberById } from './members.ts';

export function addSession(sql: Sql, { digest, accountId, createdMs, usedMs }: Session, passwordHash: string, sessionsMax: number): boolean {
  const added = sql.run(
    `INSERT INTO sessions (digest, account_id, created_ms, used_ms)
     SELECT ?, account_id, ?, ? FROM passwords WHERE account_id = ? AND hash = ?`,
    digest, createdMs, usedMs, accountId, passwordHash,
  );
  if (added === 0) return false;
  sql.run(
    `DELETE FROM sessions WHERE account_id = ? AND digest <> ? AND digest NOT IN
       (SELECT digest FROM sessions WHERE account_id = ? AND digest <> ? ORDER BY used_ms DESC LIMIT ?)`,
    accountId, digest, accountId, digest, sessionsMax - 1,
  );
  return true;
}

export function changePassword(sql: Sql, accountId: string, { was, becomes, session }: PasswordChange): boolean {
  if (sql.run('UPDATE passwords SET hash = ? WHERE account_id = ? AND hash = ?', becomes, accountId, was) === 0) return false;
  return addSession(sql, session, becomes, 1);
}

export function session(sql: Sql, digest: Uint8Array): { session: Session; member: Member } | null {
  const found = sql.get<Session>('SELECT digest, account_id AS accountId, created_ms AS createdMs, used_ms AS usedMs FROM sessions WHERE digest = ?', digest);
  const member = found === undefined ? null : memberById(sql, found.accountId);
  return found === undefined || member === null ? null : { session: found, member };
}

export function touchSession(sql: Sql, digest: Uint8Array, usedMs: number): void {
  sql.run('UPDATE sessions SET used_ms = max(used_ms, ?) WHERE digest = ?', usedMs, digest);
}

export function endSession(sql: Sql, digest: Uint8Array): void {
  sql.run('DELETE FROM sessions WHERE digest = ?', digest);
}

export function forgetSessions(sql: Sql, { createdMs, usedMs }: { createdMs: number; usedMs: number }): void {
  sql.run('DELETE FROM sessions WHERE created_ms < ? OR used_ms < ?', createdMs, usedMs);
}
