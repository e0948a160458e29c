import { freePort } from '../ports.ts';
import { pause } from '../runners.ts';
import { ClickhouseServer } from './clickhouse.ts';

export const QUERY_LOG = '<query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>100</flush_interval_milliseconds></query_log>';

/** Servers of one cluster `leads`, a shard each; every one of them could be asked for all. */
export class ClickhouseCluster {
  readonly servers: readonly ClickhouseServer[];

  private constructor(servers: readonly ClickhouseServer[]) { this.servers = servers; }

  /** The first server is the one that is asked; its users begin with the settings of `profile`. `isLogged`, for `asked`: to write down every query takes a server more than to answer it. */
  static async start(size: number, { profile = '', isLogged = false } = {}): Promise<ClickhouseCluster> {
    const ports: number[] = [];
    while (ports.length < size) ports.push(await freePort());
    const shards = ports.map((port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port><user>default</user><password>secret</password></replica></shard>`).join('');
    const config = `<remote_servers><leads>${shards}</leads></remote_servers>${isLogged ? QUERY_LOG : ''}`;
    const settings = `<log_queries>${isLogged ? 1 : 0}</log_queries><connect_timeout_with_failover_ms>5000</connect_timeout_with_failover_ms>`;
    const servers: ClickhouseServer[] = [];
    // One after the other: a port that was free a moment ago is not taken by the next.
    const cluster = new ClickhouseCluster(servers);
    try {
      for (const [at, nativePort] of ports.entries()) servers.push(await ClickhouseServer.start({ config, nativePort, profile: settings + (at === 0 ? profile : '') }));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get front(): ClickhouseServer { return this.servers[0]!; }

  /** The same columns on every server, as a local table `NAME_local` and a Distributed one over all of them. */
  async create(name: string, columns: string, sortedBy: string, granularity = 8_192): Promise<void> {
    await Promise.all(this.servers.map(async (server) => {
      await server.query(`CREATE TABLE ${name}_local (${columns}) ENGINE = MergeTree ORDER BY ${sortedBy} SETTINGS index_granularity = ${granularity}`);
      await server.query(`CREATE TABLE ${name} AS ${name}_local ENGINE = Distributed(leads, default, ${name}_local, id)`);
    }));
  }

  /** What one server was asked by the others that holds this text, so many times at least. */
  async asked(server: ClickhouseServer, having: string, times = 1): Promise<{ readonly query: string; readonly readRows: number; readonly resultRows: number }[]> {
    const statement = `SELECT query, read_rows, result_rows FROM system.query_log WHERE type = 2 AND is_initial_query = 0 AND position(query, '${having}') > 0 ORDER BY event_time FORMAT JSONEachRow`;
    for (let tries = 0; tries < 100; tries += 1) {
      const lines = (await server.query(statement).catch(() => '')).trim().split('\n');
      if (lines.length >= times && lines[0] !== '') {
        return lines.map((line) => {
          const { query, read_rows: readRows, result_rows: resultRows } = JSON.parse(line) as Record<string, string>;
          return { query: query!, readRows: Number(readRows), resultRows: Number(resultRows) };
        });
      }
      await pause(50);
    }
    return [];
  }

  async stop(): Promise<void> { await Promise.all(this.servers.map((server) => server.stop())); }
}
