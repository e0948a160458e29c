import { LIMITS } from '../../config/limits.ts';
import type { UsageBatch, UsageOfAccount, UsageSum, UsageSums } from '../store.ts';
import type { Sql } from './connection.ts';

const SUMS = 'SELECT day, account_id AS accountId, endpoint, sum(requests) AS requests, sum(units) AS units FROM usage';
const GROUPS = 'GROUP BY day, account_id, endpoint ORDER BY day, account_id, endpoint';

export function addUsage(sql: Sql, { writer, number, additions }: UsageBatch): void {
  if (!beginBatch(sql, writer, number, Math.max(...additions.map(({ day }) => day)))) return;
  const text = `INSERT INTO usage (account_id, day, key_id, endpoint, requests, units) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, units = units + excluded.units`;
  for (const { accountId, day, keyId, endpoint, requests, units } of additions) sql.run(text, accountId, day, keyId, endpoint, requests, units);
}

/** False for a batch that was added before. Writers that were silent for days are forgotten when another comes. */
function beginBatch(sql: Sql, writer: string, number: number, day: number): boolean {
  const began = sql.run(
    `INSERT INTO usage_batches (writer, number, day) VALUES (?, ?, ?)
     ON CONFLICT (writer) DO UPDATE SET number = excluded.number, day = excluded.day WHERE number < excluded.number`,
    writer, number, day,
  );
  if (number === 1) sql.run('DELETE FROM usage_batches WHERE day < ?', day - LIMITS.usageWriterDays);
  return began === 1;
}

/** Added up where they lie: an account of fifty keys has thousands of rows a month, and each that is read holds the thread for microseconds. */
export function usage(sql: Sql, accountId: string | null, fromDay: number, toDay: number): UsageOfAccount[] {
  if (accountId === null) return sql.all<UsageOfAccount>(`${SUMS} WHERE day BETWEEN ? AND ? ${GROUPS}`, fromDay, toDay);
  return sql.all<UsageOfAccount>(`${SUMS} WHERE account_id = ? AND day BETWEEN ? AND ? ${GROUPS}`, accountId, fromDay, toDay);
}

export function unitsOn(sql: Sql, day: number, accountIds?: readonly string[]): Map<string, number> {
  const sums = 'SELECT account_id AS accountId, sum(units) AS units FROM usage';
  const rows = accountIds === undefined
    ? sql.all<{ accountId: string; units: number }>(`${sums} WHERE day = ? GROUP BY account_id`, day)
    : sql.all<{ accountId: string; units: number }>(`${sums} WHERE account_id IN (SELECT value FROM json_each(?)) AND day = ? GROUP BY account_id`, JSON.stringify(accountIds), day);
  return new Map(rows.map(({ accountId, units }) => [accountId, units]));
}

const BEHIND_ALL = '\u{10ffff}';

/** Whole accounts: the last is the one that the last of so many rows is of. */
export function usageSums(sql: Sql, day: number, by: 'account' | 'endpoint', afterAccountId: string | null): UsageSums {
  const after = afterAccountId ?? '';
  const last = sql.get<{ accountId: string }>(
    'SELECT account_id AS accountId FROM usage WHERE day = ? AND account_id > ? ORDER BY account_id LIMIT 1 OFFSET ?', day, after, LIMITS.usageRowsInSum - 1);
  const name = by === 'account' ? 'account_id' : 'endpoint';
  const sums = sql.all<UsageSum>(
    `SELECT ${name} AS name, sum(requests) AS requests, sum(units) AS units FROM usage
     WHERE day = ? AND account_id > ? AND account_id <= ? GROUP BY ${name} ORDER BY ${name}`,
    day, after, last?.accountId ?? BEHIND_ALL,
  );
  return { sums, nextAfter: last?.accountId ?? null };
}
