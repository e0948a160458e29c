import type { PlaygroundCalls, PlaygroundStore } from '../playground_store.ts';
import type { Sql } from './connection.ts';

/** In one order, so that two gateways that write the same rows take turns. Who is forgotten is as good as drawn by lot, since names are hashes. */
export async function keepPlaygroundCalls(sql: Sql, rows: readonly PlaygroundCalls[], namesMax: number): Promise<void> {
  const text = `INSERT INTO playground AS p (day, name, calls)
    SELECT day, name, max(calls) FROM unnest($1::bigint[], $2::text[], $3::bigint[]) g(day, name, calls) GROUP BY day, name ORDER BY day, name
    ON CONFLICT (day, name) DO UPDATE SET calls = greatest(p.calls, excluded.calls)`;
  await sql.run(text, rows.map(({ day }) => day), rows.map(({ name }) => name), rows.map(({ calls }) => calls));
  await sql.run('DELETE FROM playground WHERE day < $1', Math.max(...rows.map(({ day }) => day)));
  const { names } = (await sql.get<{ names: number }>('SELECT count(*) AS names FROM playground'))!;
  if (names > namesMax) await sql.run('DELETE FROM playground WHERE (day, name) IN (SELECT day, name FROM playground ORDER BY day, name LIMIT $1 FOR UPDATE)', names - namesMax);
}

export function playgroundCalls(sql: Sql, day: number, { afterName, rowsMax }: Parameters<PlaygroundStore['playgroundCalls']>[1]): Promise<PlaygroundCalls[]> {
  return sql.all<PlaygroundCalls>('SELECT day, name, calls FROM playground WHERE day = $1 AND name > $2 ORDER BY name LIMIT $3', day, afterName ?? '', rowsMax);
}
