import type { Key } from '../store.ts';
import type { Sql } from './connection.ts';
import { addKey, hasRoom, KEY_COLUMNS } from './keys.ts';

export function keyOfAccount(sql: Sql, accountId: string, id: string): Key | null {
  return sql.get<Key>(`SELECT ${KEY_COLUMNS} FROM keys WHERE id = ? AND account_id = ?`, id, accountId) ?? null;
}

export function keysOfAccount(sql: Sql, accountId: string, afterMs: number, rowsMax: number): Key[] {
  const kept = `SELECT * FROM keys WHERE account_id = ? AND (ends_ms IS NULL OR ends_ms > ?) ORDER BY ends_ms IS NULL DESC, ends_ms DESC, id DESC LIMIT ?`;
  const text = `SELECT ${KEY_COLUMNS} FROM (${kept}) AS kept ORDER BY id DESC`;
  return sql.all<Key>(text, accountId, afterMs, rowsMax);
}

export function addKeyOfAccount(sql: Sql, key: Key, livingMax: number): boolean {
  const active = sql.get(`SELECT 1 FROM accounts WHERE id = ? AND status = 'active'`, key.accountId) !== undefined;
  if (!active || !hasRoom(sql, key.accountId, key.createdMs, livingMax)) return false;
  addKey(sql, key);
  return true;
}

export function renameKey(sql: Sql, accountId: string, id: string, name: string): boolean {
  return sql.run('UPDATE keys SET name = ? WHERE id = ? AND account_id = ?', name, id, accountId) === 1;
}
