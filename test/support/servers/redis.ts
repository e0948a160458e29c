import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../ports.ts';
import { pause } from '../runners.ts';
import { missing } from './debian.ts';

const SERVER = '/usr/bin/redis-server';

/** Why there can be no server; false where there can. */
export const NO_REDIS = missing('redis-server', existsSync(SERVER));

/** A server of its own on a free port of the loopback. It keeps nothing: whoever starts it again finds it empty. */
export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  readonly #settings: readonly string[];
  #child: ChildProcess | null = null;

  private constructor(port: number, settings: readonly string[]) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#folder = mkdtempSync(join(tmpdir(), 'lds-redis-'));
    this.#settings = settings;
  }

  static async start(settings: readonly string[] = []): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), settings);
    await server.resume();
    return server;
  }

  /** Starts it empty. */
  async resume(): Promise<void> {
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.#folder, ...this.#settings];
    this.#child = spawn(SERVER, args, { stdio: 'ignore' });
    for (let tries = 0; tries < 200; tries += 1) {
      if (this.#child.exitCode !== null) throw new Error(`the server ended with ${this.#child.exitCode}`);
      if (await this.command('PING').then(() => true, () => false)) return;
      await pause(25);
    }
    throw new Error('the server did not start');
  }

  /** On a connection of its own. */
  async command(name: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const password = this.#settings[this.#settings.indexOf('--requirepass') + 1];
    const redis = new Redis(this.url, { ...(this.#settings.includes('--requirepass') ? { password: password! } : {}), lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
    redis.on('error', () => {});
    try {
      await redis.connect();
      return await redis.call(name, ...args);
    } finally {
      redis.disconnect();
    }
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void { this.#child!.kill(signal); }

  /** Without a word to its clients. */
  async crash(): Promise<void> {
    const child = this.#child!;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    if (this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null) await this.crash();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
