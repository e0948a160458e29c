import { LIMITS } from '../../config/limits.ts';
import type { PlaygroundCalls, PlaygroundStore } from '../playground_store.ts';
import type { Sql } from './connection.ts';

/** Who is forgotten is as good as drawn by lot, since names are hashes. To find the ones with the fewest calls would be to sort them all, on the main loop. */
export function keepPlaygroundCalls(sql: Sql, rows: readonly PlaygroundCalls[], namesMax: number): void {
  const text = 'INSERT INTO playground (day, name, calls) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET calls = max(calls, excluded.calls)';
  for (const { day, name, calls } of rows) sql.run(text, day, name, calls);
  const day = Math.max(...rows.map((row) => row.day));
  // Of the day before there may be a hundred thousand, which no write need forget at once: the next ones go on.
  sql.run('DELETE FROM playground WHERE (day, name) IN (SELECT day, name FROM playground WHERE day < ? LIMIT ?)', day, LIMITS.playgroundForgottenMax);
  const surplus = sql.get<{ names: number }>('SELECT count(*) AS names FROM playground')!.names - namesMax;
  if (surplus > 0) sql.run('DELETE FROM playground WHERE (day, name) IN (SELECT day, name FROM playground ORDER BY day, name LIMIT ?)', surplus);
}

export function playgroundCalls(sql: Sql, day: number, { afterName, rowsMax }: Parameters<PlaygroundStore['playgroundCalls']>[1]): PlaygroundCalls[] {
  return sql.all<PlaygroundCalls>('SELECT day, name, calls FROM playground WHERE day = ? AND name > ? ORDER BY name LIMIT ?', day, afterName ?? '', rowsMax);
}
