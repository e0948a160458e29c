import type { Account, Member, PasswordChange, Session } from '../store.ts';
import { holdAccount } from './accounts.ts';
import type { Sql } from './connection.ts';

export async function addSession(sql: Sql, { digest, accountId, createdMs, usedMs }: Session, passwordHash: string, sessionsMax: number): Promise<boolean> {
  await holdAccount(sql, accountId);
  const added = await sql.run(
    `INSERT INTO sessions (digest, account_id, created_ms, used_ms)
     SELECT $1, account_id, $2, $3 FROM passwords WHERE account_id = $4 AND hash = $5`,
    digest, createdMs, usedMs, accountId, passwordHash,
  );
  if (added === 0) return false;
  await sql.run(
    `DELETE FROM sessions WHERE account_id = $1 AND digest <> $2 AND digest NOT IN
       (SELECT digest FROM sessions WHERE account_id = $1 AND digest <> $2 ORDER BY used_ms DESC LIMIT $3)`,
    accountId, digest, sessionsMax - 1,
  );
  return true;
}

export async function changePassword(sql: Sql, accountId: string, { was, becomes, session }: PasswordChange): Promise<boolean> {
  await holdAccount(sql, accountId);
  if ((await sql.run('UPDATE passwords SET hash = $1 WHERE account_id = $2 AND hash = $3', becomes, accountId, was)) === 0) return false;
  return addSession(sql, session, becomes, 1);
}

type Joined = Account & { readonly hash: string | null; readonly sessionCreatedMs: number; readonly usedMs: number };

export async function session(sql: Sql, digest: Uint8Array): Promise<{ session: Session; member: Member } | null> {
  const found = await sql.get<Joined>(
    `SELECT a.id, a.email, a.plan, a.status, a.created_ms AS "createdMs", p.hash, s.created_ms AS "sessionCreatedMs", s.used_ms AS "usedMs"
     FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN passwords p ON p.account_id = a.id WHERE s.digest = $1`,
    digest,
  );
  if (found === undefined) return null;
  const { hash, sessionCreatedMs, usedMs, ...account } = found;
  return { session: { digest, accountId: account.id, createdMs: sessionCreatedMs, usedMs }, member: { account, passwordHash: hash } };
}

export async function touchSession(sql: Sql, digest: Uint8Array, usedMs: number): Promise<void> {
  await sql.run('UPDATE sessions SET used_ms = greatest(used_ms, $1) WHERE digest = $2', usedMs, digest);
}

export async function endSession(sql: Sql, digest: Uint8Array): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE digest = $1', digest);
}

export async function forgetSessions(sql: Sql, { createdMs, usedMs }: { createdMs: number; usedMs: number }): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE created_ms < $1 OR used_ms < $2', createdMs, usedMs);
}
