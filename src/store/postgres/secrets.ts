import type { Sql } from './connection.ts';

export async function secret(sql: Sql, name: string, fresh: Uint8Array): Promise<Uint8Array> {
  await sql.run('INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', name, fresh);
  return (await sql.get<{ value: Uint8Array }>('SELECT value FROM secrets WHERE name = $1', name))!.value;
}
