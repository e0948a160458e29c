import type { Account, Key, Page, Replaced, Replacement } from '../store.ts';
import { holdAccount } from './accounts.ts';
import type { Sql } from './connection.ts';

export const KEY_COLUMNS = 'id, account_id AS "accountId", kind, digest, name, hint, created_ms AS "createdMs", ends_ms AS "endsMs"';

/** Who comes while the account is being deleted waits for the end of that, and finds none. */
export async function addKey(sql: Sql, { id, accountId, kind, digest, name, hint, createdMs, endsMs }: Key): Promise<boolean> {
  const text = `INSERT INTO keys (id, account_id, kind, digest, name, hint, created_ms, ends_ms)
    SELECT $1, id, $2, $3, $4, $5, $6, $7 FROM accounts WHERE id = $8 FOR KEY SHARE`;
  return (await sql.run(text, id, kind, digest, name, hint, createdMs, endsMs, accountId)) === 1;
}

type Joined = Key & { readonly email: string; readonly plan: Account['plan']; readonly status: Account['status']; readonly accountCreatedMs: number };

export async function keyByDigest(sql: Sql, digest: Uint8Array): Promise<{ key: Key; account: Account } | null> {
  const found = await sql.get<Joined>(
    `SELECT k.id, k.account_id AS "accountId", k.kind, k.digest, k.name, k.hint, k.created_ms AS "createdMs", k.ends_ms AS "endsMs",
       a.email, a.plan, a.status, a.created_ms AS "accountCreatedMs"
     FROM keys k JOIN accounts a ON a.id = k.account_id WHERE k.digest = $1 AND NOT k.revoked`,
    digest,
  );
  if (found === undefined) return null;
  const { email, plan, status, accountCreatedMs, ...key } = found;
  return { key, account: { id: key.accountId, email, plan, status, createdMs: accountCreatedMs } };
}

export async function wasEnded(sql: Sql, digest: Uint8Array): Promise<boolean> {
  return (await sql.get('SELECT 1 FROM keys WHERE digest = $1 AND revoked', digest)) !== undefined;
}

export function keys(sql: Sql, accountId: string | null, { afterId, rowsMax }: Page): Promise<Key[]> {
  const after = afterId ?? '';
  if (accountId === null) return sql.all<Key>(`SELECT ${KEY_COLUMNS} FROM keys WHERE id > $1 ORDER BY id LIMIT $2`, after, rowsMax);
  return sql.all<Key>(`SELECT ${KEY_COLUMNS} FROM keys WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`, accountId, after, rowsMax);
}

export async function endKey(sql: Sql, id: string, endsMs: number, revoked = true): Promise<boolean> {
  return (await sql.run('UPDATE keys SET ends_ms = least(ends_ms, $1), revoked = revoked OR $2 WHERE id = $3', endsMs, revoked, id)) === 1;
}

const LIVING = 'account_id = $1 AND NOT revoked AND (ends_ms IS NULL OR ends_ms > $2)';

export async function replaceKey(sql: Sql, id: string, { nowMs, endsMs, next, livingMax }: Replacement): Promise<Replaced> {
  if ((await holdAccount(sql, next.accountId)) === null) return 'ended';
  if ((await sql.get(`SELECT 1 FROM keys WHERE ${LIVING} AND id = $3`, next.accountId, nowMs, id)) === undefined) return 'ended';
  if (endsMs > nowMs && !(await hasRoom(sql, next.accountId, nowMs, livingMax))) return 'too_many';
  await endKey(sql, id, endsMs, endsMs <= nowMs);
  await addKey(sql, next);
  return 'replaced';
}

/** Whether less than `livingMax` keys of the account live. Operators may have given it many more: no more are read than that. */
export async function hasRoom(sql: Sql, accountId: string, nowMs: number, livingMax: number): Promise<boolean> {
  return (await sql.all(`SELECT 1 FROM keys WHERE ${LIVING} LIMIT $3`, accountId, nowMs, livingMax)).length < livingMax;
}
