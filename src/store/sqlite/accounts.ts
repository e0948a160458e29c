import type { AccountStatus, PlanName } from '../../model/account.ts';
import type { Account, Page } from '../store.ts';
import type { Sql } from './connection.ts';

const COLUMNS = 'id, email, plan, status, created_ms AS createdMs';

export function addAccount(sql: Sql, { id, email, plan, status, createdMs }: Account): Account {
  sql.run('INSERT INTO accounts (id, email, plan, status, created_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT (email) DO NOTHING', id, email, plan, status, createdMs);
  return accountByEmail(sql, email)!;
}

export function accountByEmail(sql: Sql, email: string): Account | null {
  return sql.get<Account>(`SELECT ${COLUMNS} FROM accounts WHERE email = ?`, email) ?? null;
}

export function accountById(sql: Sql, id: string): Account | null {
  return sql.get<Account>(`SELECT ${COLUMNS} FROM accounts WHERE id = ?`, id) ?? null;
}

export function accounts(sql: Sql, { afterId, rowsMax }: Page): Account[] {
  return sql.all<Account>(`SELECT ${COLUMNS} FROM accounts WHERE id > ? ORDER BY id LIMIT ?`, afterId ?? '', rowsMax);
}

export function changeAccount(sql: Sql, id: string, change: { readonly plan?: PlanName; readonly status?: AccountStatus }): boolean {
  const text = 'UPDATE accounts SET plan = coalesce(?, plan), status = coalesce(?, status) WHERE id = ?';
  return sql.run(text, change.plan ?? null, change.status ?? null, id) === 1;
}
