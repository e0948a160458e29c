import type { Key } from '../store.ts';
import { holdAccount } from './accounts.ts';
import type { Sql } from './connection.ts';
import { addKey, hasRoom, KEY_COLUMNS } from './keys.ts';

export async function keyOfAccount(sql: Sql, accountId: string, id: string): Promise<Key | null> {
  return (await sql.get<Key>(`SELECT ${KEY_COLUMNS} FROM keys WHERE id = $1 AND account_id = $2`, id, accountId)) ?? null;
}

export function keysOfAccount(sql: Sql, accountId: string, afterMs: number, rowsMax: number): Promise<Key[]> {
  const kept = `SELECT * FROM keys WHERE account_id = $1 AND (ends_ms IS NULL OR ends_ms > $2) ORDER BY ends_ms IS NULL DESC, ends_ms DESC, id DESC LIMIT $3`;
  const text = `SELECT ${KEY_COLUMNS} FROM (${kept}) AS kept ORDER BY id DESC`;
  return sql.all<Key>(text, accountId, afterMs, rowsMax);
}

export async function addKeyOfAccount(sql: Sql, key: Key, livingMax: number): Promise<boolean> {
  if ((await holdAccount(sql, key.accountId)) !== 'active') return false;
  if (!(await hasRoom(sql, key.accountId, key.createdMs, livingMax))) return false;
  await addKey(sql, key);
  return true;
}

export async function renameKey(sql: Sql, accountId: string, id: string, name: string): Promise<boolean> {
  return (await sql.run('UPDATE keys SET name = $1 WHERE id = $2 AND account_id = $3', name, id, accountId)) === 1;
}
