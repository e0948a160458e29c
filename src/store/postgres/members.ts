import type { Account, Admission, Member, NewMember } from '../store.ts';
import { holdAccount, insertAccount } from './accounts.ts';
import type { Sql } from './connection.ts';
import { holdInvite, spendInvite } from './invites.ts';
import { addKey } from './keys.ts';

export async function addMember(sql: Sql, { account, passwordHash, invite, nowMs }: NewMember): Promise<Admission> {
  if (invite !== null && !(await holdInvite(sql, invite.digest, nowMs))) return 'invite_refused';
  const status = invite === null ? 'waiting' : 'active';
  if (!(await insertAccount(sql, { ...account, status }))) {
    await sql.run('UPDATE revision SET n = n');
    return 'email_taken';
  }
  await sql.run('INSERT INTO passwords (account_id, hash) VALUES ($1, $2)', account.id, passwordHash);
  if (invite === null) return 'waiting';
  if (!(await spendInvite(sql, invite.digest, nowMs))) throw new Error('An invite that was held was spent by another.');
  await addKey(sql, invite.firstKey);
  return 'active';
}

type Joined = Account & { readonly hash: string | null };

const MEMBER = 'SELECT a.id, a.email, a.plan, a.status, a.created_ms AS "createdMs", p.hash FROM accounts a LEFT JOIN passwords p ON p.account_id = a.id';

export async function memberByEmail(sql: Sql, email: string): Promise<Member | null> {
  const found = await sql.get<Joined>(`${MEMBER} WHERE a.email = $1`, email);
  if (found === undefined) return null;
  const { hash, ...account } = found;
  return { account, passwordHash: hash };
}

export async function setPassword(sql: Sql, accountId: string, hash: string): Promise<boolean> {
  if ((await holdAccount(sql, accountId)) === null) return false;
  await sql.run('INSERT INTO passwords (account_id, hash) VALUES ($1, $2) ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash', accountId, hash);
  await sql.run('DELETE FROM sessions WHERE account_id = $1', accountId);
  return true;
}

export async function deleteAccount(sql: Sql, accountId: string): Promise<boolean> {
  await holdAccount(sql, accountId);
  for (const table of ['sessions', 'passwords', 'keys']) await sql.run(`DELETE FROM ${table} WHERE account_id = $1`, accountId);
  return (await sql.run('DELETE FROM accounts WHERE id = $1', accountId)) === 1;
}
