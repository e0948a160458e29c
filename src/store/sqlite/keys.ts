import type { Account, Key, Page, Replaced, Replacement } from '../store.ts';
import { accountById } from './accounts.ts';
import type { Sql } from './connection.ts';

export const KEY_COLUMNS = 'id, account_id AS accountId, kind, digest, name, hint, created_ms AS createdMs, ends_ms AS endsMs';

export function addKey(sql: Sql, { id, accountId, kind, digest, name, hint, createdMs, endsMs }: Key): boolean {
  const text = 'INSERT INTO keys (id, account_id, kind, digest, name, hint, created_ms, ends_ms) SELECT ?, id, ?, ?, ?, ?, ?, ? FROM accounts WHERE id = ?';
  return sql.run(text, id, kind, digest, name, hint, createdMs, endsMs, accountId) === 1;
}

export function keyByDigest(sql: Sql, digest: Uint8Array): { key: Key; account: Account } | null {
  const key = sql.get<Key>(`SELECT ${KEY_COLUMNS} FROM keys WHERE digest = ? AND revoked = 0`, digest);
  if (key === undefined) return null;
  const account = accountById(sql, key.accountId);
  return account === null ? null : { key, account };
}

export function wasEnded(sql: Sql, digest: Uint8Array): boolean {
  return sql.get('SELECT 1 FROM keys WHERE digest = ? AND revoked = 1', digest) !== undefined;
}

export function keys(sql: Sql, accountId: string | null, { afterId, rowsMax }: Page): Key[] {
  const after = afterId ?? '';
  if (accountId === null) return sql.all<Key>(`SELECT ${KEY_COLUMNS} FROM keys WHERE id > ? ORDER BY id LIMIT ?`, after, rowsMax);
  return sql.all<Key>(`SELECT ${KEY_COLUMNS} FROM keys WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`, accountId, after, rowsMax);
}

export function endKey(sql: Sql, id: string, endsMs: number, revoked = true): boolean {
  return sql.run('UPDATE keys SET ends_ms = min(coalesce(ends_ms, ?), ?), revoked = revoked OR ? WHERE id = ?', endsMs, endsMs, Number(revoked), id) === 1;
}

const LIVING = 'account_id = ? AND revoked = 0 AND (ends_ms IS NULL OR ends_ms > ?)';

export function replaceKey(sql: Sql, id: string, { nowMs, endsMs, next, livingMax }: Replacement): Replaced {
  if (sql.get(`SELECT 1 FROM keys WHERE ${LIVING} AND id = ?`, next.accountId, nowMs, id) === undefined) return 'ended';
  if (endsMs > nowMs && !hasRoom(sql, next.accountId, nowMs, livingMax)) return 'too_many';
  endKey(sql, id, endsMs, endsMs <= nowMs);
  addKey(sql, next);
  return 'replaced';
}

/** Whether less than `livingMax` keys of the account live. Operators may have given it many more: no more are read than that. */
export function hasRoom(sql: Sql, accountId: string, nowMs: number, livingMax: number): boolean {
  return sql.all(`SELECT 1 FROM keys WHERE ${LIVING} LIMIT ?`, accountId, nowMs, livingMax).length < livingMax;
}
