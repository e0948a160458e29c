import { chownSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../ports.ts';
import { ChildServer } from './child_server.ts';
import { missing, userOf } from './debian.ts';
import type { PostgresServer } from './postgres.ts';

const SERVER = '/usr/sbin/pgbouncer';

/** Why there can be no pooler; false where there can. */
export const NO_PGBOUNCER = missing('pgbouncer', existsSync(SERVER));

/** A pooler of its own before a server, on a free port of the loopback. It lets in whoever is named by one of the roles. */
export class PgBouncer extends ChildServer {
  readonly url: string;

  private constructor(port: number) {
    super(mkdtempSync(join(tmpdir(), 'lds-pgbouncer-')));
    this.url = `postgres://tester@127.0.0.1:${port}/postgres`;
  }

  static async start(before: PostgresServer, settings: readonly string[], roles: readonly string[] = []): Promise<PgBouncer> {
    const port = await freePort();
    const pooler = new PgBouncer(port);
    await pooler.#begin(before, port, settings, ['tester', ...roles]);
    return pooler;
  }

  async #begin(before: PostgresServer, port: number, settings: readonly string[], roles: readonly string[]): Promise<void> {
    const user = userOf('postgres');
    const [users, config] = ['users.txt', 'pgbouncer.ini'].map((file) => join(this.folder, file)) as [string, string];
    writeFileSync(users, roles.map((role) => `"${role}" ""\n`).join(''));
    const lines = [
      '[databases]', `* = host=127.0.0.1 port=${before.port}`,
      '[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = trust', `auth_file = ${users}`, ...settings,
    ];
    writeFileSync(config, lines.map((line) => `${line}\n`).join(''));
    if (user.uid !== undefined) for (const path of [this.folder, users, config]) chownSync(path, user.uid, user.gid!);
    this.launch(SERVER, ['-q', config], user);
    await this.untilUp(() => this.#answers());
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
}
