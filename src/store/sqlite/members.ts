import type { Admission, Member, NewMember } from '../store.ts';
import { accountByEmail, accountById, addAccount } from './accounts.ts';
import type { Sql } from './connection.ts';
import { redeemInvite } from './invites.ts';
import { addKey } from './keys.ts';

export function addMember(sql: Sql, { account, passwordHash, invite, nowMs }: NewMember): Admission {
  if (invite !== null && !inviteOpens(sql, invite.digest, nowMs)) return 'invite_refused';
  if (accountByEmail(sql, account.email) !== null) {
    sql.run('UPDATE revision SET n = n');
    return 'email_taken';
  }
  addAccount(sql, { ...account, status: 'waiting' });
  sql.run('INSERT INTO passwords (account_id, hash) VALUES (?, ?)', account.id, passwordHash);
  if (invite === null) return 'waiting';
  if (!redeemInvite(sql, invite.digest, account.id, nowMs)) throw new Error('An invite that opened closed within one transaction.');
  addKey(sql, invite.firstKey);
  return 'active';
}

function inviteOpens(sql: Sql, digest: Uint8Array, nowMs: number): boolean {
  return sql.get('SELECT 1 FROM invites WHERE digest = ? AND uses_left > 0 AND (expires_ms IS NULL OR expires_ms > ?)', digest, nowMs) !== undefined;
}

export function memberByEmail(sql: Sql, email: string): Member | null {
  const account = accountByEmail(sql, email);
  return account === null ? null : { account, passwordHash: passwordHash(sql, account.id) };
}

export function memberById(sql: Sql, id: string): Member | null {
  const account = accountById(sql, id);
  return account === null ? null : { account, passwordHash: passwordHash(sql, id) };
}

function passwordHash(sql: Sql, accountId: string): string | null {
  return sql.get<{ hash: string }>('SELECT hash FROM passwords WHERE account_id = ?', accountId)?.hash ?? null;
}

export function setPassword(sql: Sql, accountId: string, hash: string): boolean {
  const set = sql.run(
    'INSERT INTO passwords (account_id, hash) SELECT id, ? FROM accounts WHERE id = ? ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash',
    hash, accountId,
  );
  if (set === 0) return false;
  sql.run('DELETE FROM sessions WHERE account_id = ?', accountId);
  return true;
}

export function deleteAccount(sql: Sql, accountId: string): boolean {
  for (const table of ['sessions', 'passwords', 'keys']) sql.run(`DELETE FROM ${table} WHERE account_id = ?`, accountId);
  return sql.run('DELETE FROM accounts WHERE id = ?', accountId) === 1;
}
