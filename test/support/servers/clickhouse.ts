import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { ChildServer } from './child_server.ts';
import { missing } from './debian.ts';

const SERVER = '/usr/sbin/clickhouse-server';

/** Why there can be no server; false where there can. */
export const NO_CLICKHOUSE = missing('clickhouse-server', existsSync(SERVER));

/** What a server differs in: the rest of its configuration, the memory that a statement may hold, settings that its users begin with, passwords of more users, and where it listens to servers of its cluster. */
type ClickhouseSetup = { readonly config?: string; readonly memoryBytes?: number; readonly profile?: string; readonly users?: Readonly<Record<string, string>>; readonly nativePort?: number };

const userXml = ([name, password]: readonly [string, string]): string =>
  `<${name}><password>${password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></${name}>`;
const usersXml = (memoryBytes: number, profile: string, users: Readonly<Record<string, string>>): string => `<yandex><profiles><default><max_memory_usage>${memoryBytes}</max_memory_usage>${profile}</default></profiles>
  <users>${Object.entries({ default: 'secret', ...users }).map(userXml).join('')}</users>
  <quotas><default></default></quotas></yandex>`;

/** A server of its own over throw-away data, on free ports of the loopback. */
export class ClickhouseServer extends ChildServer {
  readonly port: number;
  readonly url: string;

  private constructor(port: number, folder: string) {
    super(folder);
    this.port = port;
    this.url = `http://default:secret@127.0.0.1:${port}`;
  }

  static async start({ config = '', memoryBytes = 1_000_000_000, profile = '', users = {}, nativePort }: ClickhouseSetup = {}): Promise<ClickhouseServer> {
    const folder = mkdtempSync(join(tmpdir(), 'lds-clickhouse-'));
    const server = new ClickhouseServer(await freePort(), folder);
    for (const inner of ['data', 'tmp']) mkdirSync(join(folder, inner));
    writeFileSync(join(folder, 'users.xml'), usersXml(memoryBytes, profile, users));
    // However long a process stands still, no connection is closed under a request on its way.
    writeFileSync(join(folder, 'config.xml'), `<yandex><logger><level>error</level><console>1</console></logger><listen_host>127.0.0.1</listen_host>
      <http_port>${server.port}</http_port><tcp_port>${nativePort ?? await freePort()}</tcp_port><interserver_http_port>${await freePort()}</interserver_http_port><keep_alive_timeout>600</keep_alive_timeout>
      <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><users_config>users.xml</users_config><default_profile>default</default_profile>
      <default_database>default</default_database><mark_cache_size>16777216</mark_cache_size><timezone>Asia/Tokyo</timezone>${config}</yandex>`);
    await server.resume();
    return server;
  }

  /** Starts it over the data it has. */
  async resume(): Promise<void> {
    this.launch(SERVER, [`--config-file=${join(this.folder, 'config.xml')}`], { cwd: this.folder });
    await this.untilUp(() => this.query('SELECT 1').then(() => true, () => false));
  }

  async query(statement: string, data = ''): Promise<string> {
    const url = `http://127.0.0.1:${this.port}/?query=${encodeURIComponent(statement)}`;
    const answer = await fetch(url, { method: 'POST', body: data, headers: { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'secret' } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  }
}
