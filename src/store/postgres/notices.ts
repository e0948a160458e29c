import pg from 'pg';
import { LIMITS } from '../../config/limits.ts';
import type { ChangedPart } from '../store.ts';
import { clientConfig, SCHEMA, Sockets } from './session.ts';

/** Hears of changes that other processes made, over a connection of its own that is opened again whenever it is lost. */
export class Notices {
  readonly #url: string;
  readonly #listeners = new Map<string, (() => void)[]>();
  readonly #sockets = new Sockets();
  #client: pg.Client | null = null;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  listen(part: ChangedPart, listener: () => void): void {
    const channel = `${SCHEMA}_${part}`;
    this.#listeners.set(channel, [...(this.#listeners.get(channel) ?? []), listener]);
    if (this.#client === null) void this.#connect();
    else void this.#client.query(`LISTEN ${channel}`).catch(() => {});
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    if (this.#client !== null) await this.#sockets.close(this.#client.end().catch(() => {}));
  }

  /** What changed while nobody listened is looked for: each listener is told once. */
  async #connect(): Promise<void> {
    const client = this.#made();
    this.#client = client;
    if (client === null) return this.#again();
    client.on('error', () => {});
    client.on('notification', ({ channel }) => this.#tell(channel));
    client.on('end', () => this.#again());
    try {
      await client.connect();
      for (const channel of this.#listeners.keys()) await client.query(`LISTEN ${channel}`);
      for (const channel of this.#listeners.keys()) this.#tell(channel);
    } catch {
      // Ends the connection where there is one; `end` comes in any case.
      client.end().catch(() => {});
    }
  }

  /** Null while a certificate that the url names cannot be read, as when another takes its place. */
  #made(): pg.Client | null {
    try {
      return new pg.Client({ ...clientConfig(this.#url), stream: this.#sockets.stream });
    } catch {
      return null;
    }
  }

  #again(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => { void this.#connect(); }, LIMITS.databaseListenAgainMs);
    this.#retry.unref();
  }

  #tell(channel: string): void {
    if (!this.#closed) for (const listener of this.#listeners.get(channel) ?? []) listener();
  }
}
