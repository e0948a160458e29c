import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../ports.ts';
import { ChildServer } from './child_server.ts';
import { missing } from './debian.ts';

const SERVER = '/usr/bin/redis-server';

/** Why there can be no server; false where there can. */
export const NO_REDIS = missing('redis-server', existsSync(SERVER));

/** A server of its own on a free port of the loopback. It keeps nothing: whoever starts it again finds it empty. */
export class RedisServer extends ChildServer {
  readonly port: number;
  readonly url: string;
  readonly #settings: readonly string[];

  private constructor(port: number, settings: readonly string[]) {
    super(mkdtempSync(join(tmpdir(), 'lds-redis-')));
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#settings = settings;
  }

  static async start(settings: readonly string[] = []): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), settings);
    await server.resume();
    return server;
  }

  /** Starts it empty. */
  async resume(): Promise<void> {
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.folder, ...this.#settings];
    this.launch(SERVER, args);
    await this.untilUp(() => this.command('PING').then(() => true, () => false));
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
}
