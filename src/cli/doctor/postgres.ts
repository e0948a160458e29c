import type { Granter } from '../../lib/postgres_room.ts';

/** What to do where a PostgreSQL has too few connections, by what grants so few. */
export const RAISED: Readonly<Record<Granter, string>> = {
  server: 'raise max_connections, or end what else is connected',
  database: 'raise CONNECTION LIMIT of the database (ALTER DATABASE)',
  role: 'raise CONNECTION LIMIT of the role (ALTER ROLE)',
};

export const OWN_SESSIONS = 'have the pooler give each client a session of its own (pool_mode = session in PgBouncer), or name the server itself';
