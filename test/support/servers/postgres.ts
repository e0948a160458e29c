import { execFileSync, type SpawnOptions } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../ports.ts';
import { SHARED_DIR } from '../shared_dir.ts';
import { ChildServer } from './child_server.ts';
import { missing, userOf } from './debian.ts';

/** Debian keeps each major version in a folder of its own. */
const VERSIONS = '/usr/lib/postgresql';
const NEWEST = existsSync(VERSIONS) ? Math.max(...readdirSync(VERSIONS).map(Number)) : 0;
const BIN = `${VERSIONS}/${NEWEST}/bin`;
/** The files of the template are copied, which takes a third of the processor time of writing each of its pages to the log; before 15 there was no other way. */
const COPIED = NEWEST >= 15 ? ' STRATEGY FILE_COPY' : '';
export const PSQL = `${BIN}/psql`;

/** Why there can be no server; false where there can. */
export const NO_POSTGRES = missing('postgresql', existsSync(`${BIN}/postgres`));

/** With its owner, who alone may read it. */
const copy = (from: string, to: string): void => { execFileSync('cp', ['-a', from, to]); };

/** A server of its own over throw-away data, on a free port of the loopback. */
export class PostgresServer extends ChildServer {
  readonly port: number;
  readonly url: string;
  readonly #data: string;
  readonly #as: SpawnOptions;
  readonly #settings: readonly string[];
  protected override readonly deadly = 'SIGQUIT';
  #databases = 0;

  private constructor(port: number, folder: string, as: SpawnOptions, settings: readonly string[]) {
    super(folder);
    this.port = port;
    this.url = `postgres://tester:secret@127.0.0.1:${port}/postgres`;
    this.#data = join(folder, 'data');
    this.#as = as;
    this.#settings = settings;
  }

  static async start(settings: readonly string[] = []): Promise<PostgresServer> {
    const user = userOf('postgres');
    const folder = mkdtempSync(join(tmpdir(), 'lds-postgres-'));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
    const server = new PostgresServer(await freePort(), folder, { ...user, cwd: folder }, settings);
    server.#putData();
    await server.resume();
    return server;
  }

  /** An empty database. Of one run of the tests it is made once, and copied, which takes a quarter of the time. */
  #putData(): void {
    const shared = process.env[SHARED_DIR];
    const made = shared === undefined ? null : join(shared, 'postgres');
    if (made !== null && existsSync(made)) return copy(made, this.#data);
    execFileSync(`${BIN}/initdb`, ['-D', this.#data, '-U', 'tester', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--wal-segsize=1', '--no-sync'], { ...this.#as, stdio: 'ignore' });
    if (made === null) return;
    const making = mkdtempSync(`${made}.making-`);
    copy(this.#data, join(making, 'data'));
    try {
      renameSync(join(making, 'data'), made);
    } catch (error) {
      // Whoever made the same meanwhile may have come first; how a file system says so differs.
      if (!existsSync(made)) throw error;
    }
  }

  /** Starts it over the data it has. */
  async resume(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', `port=${this.port}`, 'unix_socket_directories=', 'fsync=off', 'max_connections=40', 'shared_buffers=16MB', ...this.#settings];
    this.launch(`${BIN}/postgres`, ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])], this.#as);
    await this.untilUp(() => this.query('SELECT 1').then(() => true, () => false));
  }

  /** A new database of the server, empty: its url. */
  async database(): Promise<string> {
    this.#databases += 1;
    await this.query(`CREATE DATABASE fresh_${this.#databases}${COPIED}`);
    return this.url.replace(/postgres$/, `fresh_${this.#databases}`);
  }

  async query(text: string, values: unknown[] = [], url = this.url): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      const result = await client.query(text, values.length === 0 ? undefined : values);
      return (Array.isArray(result) ? result.at(-1) : result).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  /** `SIGSTOP` holds the whole server still, `SIGCONT` lets it go on. */
  override signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(this.child!.pid)], { encoding: 'utf8' }).trim().split(/\s+/).filter((pid) => pid !== '');
    for (const pid of [String(this.child!.pid), ...pids]) {
      try {
        process.kill(Number(pid), signal);
      } catch {
        // It ended meanwhile, as those do that tidy up.
      }
    }
  }
}
