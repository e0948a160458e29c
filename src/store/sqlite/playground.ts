import type { PlaygroundCalls } from '../playground_store.ts';
import type { Sql } from './connection.ts';

export function keepPlaygroundCalls(sql: Sql, rows: readonly PlaygroundCalls[]): void {
  const text = 'INSERT INTO playground (day, name, calls) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET calls = max(calls, excluded.calls)';
  for (const { day, name, calls } of rows) sql.run(text, day, name, calls);
  sql.run('DELETE FROM playground WHERE day < ?', Math.max(...rows.map(({ day }) => day)));
}

export function playgroundCalls(sql: Sql, day: number): PlaygroundCalls[] {
  return sql.all<PlaygroundCalls>('SELECT day, name, calls FROM playground WHERE day = ? ORDER BY name', day);
}
