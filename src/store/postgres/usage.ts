import { LIMITS } from '../../config/limits.ts';
import type { UsageBatch, UsageOfAccount, UsageSum, UsageSums } from '../store.ts';
import type { Sql } from './connection.ts';

const SUMS = 'SELECT day, account_id AS "accountId", endpoint, sum(requests)::bigint AS requests, sum(units)::bigint AS units FROM usage';
const GROUPS = 'GROUP BY day, account_id, endpoint ORDER BY day, account_id, endpoint';

/** In one order, so that two gateways that add to the same rows take turns. */
export async function addUsage(sql: Sql, { writer, number, additions }: UsageBatch): Promise<void> {
  const day = Math.max(...additions.map((addition) => addition.day));
  if (!(await beginBatch(sql, writer, number, day))) return;
  await sql.run(
    `INSERT INTO usage AS u (account_id, day, key_id, endpoint, requests, units)
     SELECT account_id, day, key_id, endpoint, sum(requests), sum(units)
     FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) g(account_id, day, key_id, endpoint, requests, units)
     GROUP BY account_id, day, key_id, endpoint ORDER BY account_id, day, key_id, endpoint
     ON CONFLICT (account_id, day, key_id, endpoint) DO UPDATE SET requests = u.requests + excluded.requests, units = u.units + excluded.units`,
    additions.map(({ accountId }) => accountId), additions.map((addition) => addition.day), additions.map(({ keyId }) => keyId),
    additions.map(({ endpoint }) => endpoint), additions.map(({ requests }) => requests), additions.map(({ units }) => units),
  );
}

/** False for a batch that was added before. Writers that were silent for days are forgotten when another comes. */
async function beginBatch(sql: Sql, writer: string, number: number, day: number): Promise<boolean> {
  const began = await sql.run(
    `INSERT INTO usage_batches AS b (writer, number, day) VALUES ($1, $2, $3)
     ON CONFLICT (writer) DO UPDATE SET number = excluded.number, day = excluded.day WHERE b.number < excluded.number`,
    writer, number, day,
  );
  if (number === 1) await sql.run('DELETE FROM usage_batches WHERE day < $1', day - LIMITS.usageWriterDays);
  return began === 1;
}

export function usage(sql: Sql, accountId: string | null, fromDay: number, toDay: number): Promise<UsageOfAccount[]> {
  if (accountId === null) return sql.all<UsageOfAccount>(`${SUMS} WHERE day BETWEEN $1 AND $2 ${GROUPS}`, fromDay, toDay);
  return sql.all<UsageOfAccount>(`${SUMS} WHERE account_id = $1 AND day BETWEEN $2 AND $3 ${GROUPS}`, accountId, fromDay, toDay);
}

export async function unitsOn(sql: Sql, day: number, accountIds?: readonly string[]): Promise<Map<string, number>> {
  const sums = 'SELECT account_id AS "accountId", sum(units)::bigint AS units FROM usage';
  const rows = accountIds === undefined
    ? await sql.all<{ accountId: string; units: number }>(`${sums} WHERE day = $1 GROUP BY account_id`, day)
    : await sql.all<{ accountId: string; units: number }>(`${sums} WHERE account_id = ANY($1) AND day = $2 GROUP BY account_id`, accountIds, day);
  return new Map(rows.map(({ accountId, units }) => [accountId, units]));
}

/** All at once: while a server adds up, nobody here waits. */
export async function usageSums(sql: Sql, day: number, by: 'account' | 'endpoint', afterAccountId: string | null): Promise<UsageSums> {
  const name = by === 'account' ? 'account_id' : 'endpoint';
  const text = `SELECT ${name} AS name, sum(requests)::bigint AS requests, sum(units)::bigint AS units FROM usage WHERE day = $1 AND account_id > $2 GROUP BY ${name} ORDER BY ${name}`;
  return { sums: await sql.all<UsageSum>(text, day, afterAccountId ?? ''), nextAfter: null };
}
