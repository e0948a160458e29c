import type { AccountStatus, PlanName } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import type { Account, Page } from '../store.ts';
import type { Sql } from './connection.ts';

const COLUMNS = 'id, email, plan, status, created_ms AS "createdMs"';

/** `conflict` where the account of that email was deleted while it was looked at. */
export async function addAccount(sql: Sql, account: Account): Promise<Account> {
  await insertAccount(sql, account);
  const found = await accountByEmail(sql, account.email);
  if (found === null) throw new AppError('conflict', 'The account was deleted a moment ago.');
  return found;
}

/** False where the email is taken, also by who came a moment before. */
export async function insertAccount(sql: Sql, { id, email, plan, status, createdMs }: Account): Promise<boolean> {
  const text = 'INSERT INTO accounts (id, email, plan, status, created_ms) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (email) DO NOTHING';
  return (await sql.run(text, id, email, plan, status, createdMs)) === 1;
}

export async function accountByEmail(sql: Sql, email: string): Promise<Account | null> {
  return (await sql.get<Account>(`SELECT ${COLUMNS} FROM accounts WHERE email = $1`, email)) ?? null;
}

export async function accountById(sql: Sql, id: string): Promise<Account | null> {
  return (await sql.get<Account>(`SELECT ${COLUMNS} FROM accounts WHERE id = $1`, id)) ?? null;
}

export function accounts(sql: Sql, { afterId, rowsMax }: Page): Promise<Account[]> {
  return sql.all<Account>(`SELECT ${COLUMNS} FROM accounts WHERE id > $1 ORDER BY id LIMIT $2`, afterId ?? '', rowsMax);
}

export async function changeAccount(sql: Sql, id: string, change: { readonly plan?: PlanName; readonly status?: AccountStatus }): Promise<boolean> {
  const text = 'UPDATE accounts SET plan = coalesce($1, plan), status = coalesce($2, status) WHERE id = $3';
  return (await sql.run(text, change.plan ?? null, change.status ?? null, id)) === 1;
}

/**
 * Its status; null where there is no such account. Until the end of the transaction nobody else changes it or what is its own: whoever
 * does holds the account first, so that two of them take turns and never wait for each other.
 */
export async function holdAccount(sql: Sql, id: string): Promise<AccountStatus | null> {
  return (await sql.get<{ status: AccountStatus }>('SELECT status FROM accounts WHERE id = $1 FOR UPDATE', id))?.status ?? null;
}
