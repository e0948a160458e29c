import { PostgresServer } from './postgres.ts';

/** Servers that each hold a part of a table, and the one in front that is asked for all. */
export class PostgresShards {
  readonly front: PostgresServer;
  readonly servers: readonly PostgresServer[];

  private constructor(front: PostgresServer, servers: readonly PostgresServer[]) {
    this.front = front;
    this.servers = servers;
  }

  static async start(size: number, settings: readonly string[] = []): Promise<PostgresShards> {
    const [front, ...servers] = await Promise.all(Array.from({ length: 1 + size }, () => PostgresServer.start(settings)));
    await front!.query('CREATE EXTENSION postgres_fdw');
    for (const [at, { port }] of servers.entries()) {
      await front!.query(`
        CREATE SERVER shard${at} FOREIGN DATA WRAPPER postgres_fdw
          OPTIONS (host '127.0.0.1', port '${port}', dbname 'postgres', fetch_size '1000', async_capable 'true', connect_timeout '1');
        CREATE USER MAPPING FOR tester SERVER shard${at} OPTIONS (user 'tester', password 'secret')`);
    }
    return new PostgresShards(front!, servers);
  }

  /** The same table on every shard, with its indexes, and in front one that is split over them by the hash of its id. */
  async create(name: string, columns: string, indexes: readonly string[]): Promise<void> {
    for (const server of this.servers) await server.query([`CREATE TABLE ${name} (${columns})`, `ALTER TABLE ${name} ADD PRIMARY KEY (id)`, ...indexes.map((on) => `CREATE INDEX ON ${name} (${on})`)].join(';'));
    await this.front.query(`CREATE TABLE ${name} (${columns}) PARTITION BY HASH (id)`);
    for (const at of this.servers.keys()) {
      await this.front.query(`CREATE FOREIGN TABLE ${name}_${at} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${this.servers.length}, REMAINDER ${at}) SERVER shard${at} OPTIONS (table_name '${name}')`);
    }
  }

  async stop(): Promise<void> { await Promise.all([this.front, ...this.servers].map((server) => server.stop())); }
}
