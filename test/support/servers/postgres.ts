import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../ports.ts';
import { pause } from '../runners.ts';
import { missing, userOf } from './debian.ts';

const BIN = '/usr/lib/postgresql/15/bin';

/** Why there can be no server; false where there can. */
export const NO_POSTGRES = missing('postgresql', existsSync(`${BIN}/postgres`));

/** A server of its own over throw-away data, on a free port of the loopback. */
export class PostgresServer {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  readonly #data: string;
  readonly #as: SpawnOptions;
  readonly #settings: readonly string[];
  #child: ChildProcess | null = null;
  #databases = 0;

  private constructor(port: number, folder: string, as: SpawnOptions, settings: readonly string[]) {
    this.port = port;
    this.url = `postgres://tester:secret@127.0.0.1:${port}/postgres`;
    this.#folder = folder;
    this.#data = join(folder, 'data');
    this.#as = as;
    this.#settings = settings;
  }

  static async start(settings: readonly string[] = []): Promise<PostgresServer> {
    const user = userOf('postgres');
    const folder = mkdtempSync(join(tmpdir(), 'lds-postgres-'));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
    const server = new PostgresServer(await freePort(), folder, { ...user, cwd: folder, stdio: 'ignore' }, settings);
    execFileSync(`${BIN}/initdb`, ['-D', server.#data, '-U', 'tester', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'], { ...server.#as, stdio: 'ignore' });
    await server.resume();
    return server;
  }

  /** Starts it over the data it has. */
  async resume(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', `port=${this.port}`, 'unix_socket_directories=', 'fsync=off', 'max_connections=40', 'shared_buffers=16MB', ...this.#settings];
    this.#child = spawn(`${BIN}/postgres`, ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])], this.#as);
    for (let tries = 0; tries < 200; tries += 1) {
      if (this.#child.exitCode !== null) throw new Error(`the server ended with ${this.#child.exitCode}`);
      if (await this.query('SELECT 1').then(() => true, () => false)) return;
      await pause(25);
    }
    throw new Error('the server did not start');
  }

  /** A new database of the server, empty: its url. */
  async database(): Promise<string> {
    this.#databases += 1;
    await this.query(`CREATE DATABASE fresh_${this.#databases}`);
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
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(this.#child!.pid)], { encoding: 'utf8' }).trim().split(/\s+/).filter((pid) => pid !== '');
    for (const pid of [String(this.#child!.pid), ...pids]) {
      try {
        process.kill(Number(pid), signal);
      } catch {
        // It ended meanwhile, as those do that tidy up.
      }
    }
  }

  /** Without a word to its clients. */
  async crash(): Promise<void> {
    const child = this.#child!;
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  }

  async stop(): Promise<void> {
    if (this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null) await this.crash();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
