import type { Sql } from './connection.ts';

export function secret(sql: Sql, name: string, fresh: Uint8Array): Uint8Array {
  sql.run('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', name, fresh);
  return sql.get<{ value: Uint8Array }>('SELECT value FROM secrets WHERE name = ?', name)!.value;
}
