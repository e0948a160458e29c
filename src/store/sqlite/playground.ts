import type { PlaygroundCalls, PlaygroundStore } from '../playground_store.ts';
import type { Connection, Sql } from './connection.ts';

export function playgroundMethods(connection: Connection): PlaygroundStore {
  return {
    keepPlaygroundCalls: (rows) => connection.write('buffered', (sql) => keepPlaygroundCalls(sql, rows)),
    playgroundCalls: (day) => connection.read((sql) => sql.all<PlaygroundCalls>('SELECT day, name, calls FROM playground WHERE day = ? ORDER BY name', day)),
  };
}

function keepPlaygroundCalls(sql: Sql, rows: readonly PlaygroundCalls[]): void {
  const text = 'INSERT INTO playground (day, name, calls) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET calls = max(calls, excluded.calls)';
  for (const { day, name, calls } of rows) sql.run(text, day, name, calls);
  sql.run('DELETE FROM playground WHERE day < ?', Math.max(...rows.map(({ day }) => day)));
}
