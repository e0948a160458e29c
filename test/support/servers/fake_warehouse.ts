import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vocabulary } from '../../../src/model/vocabulary.ts';

/** How an answer of rows goes wrong, after so many of them; all under the status 200. */
export type Spoiling = { readonly afterRows: number; readonly text: string; readonly end: 'end' | 'reset' };

/** `line` is the row as it is sent, less its tail. */
type MadeRow = { readonly key: string; readonly email: string; readonly line: string };

const FIELDS = vocabulary('contacts').fields.map(({ name }) => name);
const COLUMNS = ['id', 'email', 'full_name'].map((name) => JSON.stringify({ name, type: 'String' })).join('\n');

/** Speaks as much of ClickHouse as a source over a table of people with ids and emails asks: no filters, and rows that are made up. */
export class FakeWarehouse {
  readonly port: number;
  readonly #server: Server;
  readonly #name: string;
  readonly #rows: Readonly<Record<'key' | 'email', readonly MadeRow[]>>;
  /** What every answer of rows suffers. */
  spoiling: Spoiling | null = null;
  /** How long an answer of rows is held back. */
  heldMs: () => number = () => 0;
  /** Statements that asked for rows. */
  scans = 0;

  private constructor(server: Server, name: string, emails: readonly string[]) {
    this.#server = server;
    this.#name = name;
    this.port = (server.address() as AddressInfo).port;
    const rows = emails.map((email): MadeRow => ({ key: keyOf(email), email, line: this.#line(email) }));
    this.#rows = { key: rows.toSorted((a, b) => (a.key < b.key ? -1 : 1)), email: rows.toSorted((a, b) => (a.email < b.email ? -1 : 1)) };
    server.on('request', (request: IncomingMessage, response: ServerResponse) => { void this.#serve(request, response); });
  }

  /** `name` is that of the source; its key of a row is the local part of the email. */
  static async start(name: string, emails: readonly string[]): Promise<FakeWarehouse> {
    const server = createServer().listen(0, '127.0.0.1');
    // However long the process stands still, no connection is closed under a request on its way.
    server.keepAliveTimeout = 0;
    await once(server, 'listening');
    server.unref();
    return new FakeWarehouse(server, name, emails);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #line(email: string): string {
    const own: Readonly<Record<string, unknown>> = { id: `${this.#name}:${keyOf(email)}`, source: this.#name, sources: [this.#name], email, full_name: `${this.#name} ${email}` };
    return JSON.stringify(Object.fromEntries(FIELDS.map((field) => [`f:${field}`, own[field] ?? null]))).slice(0, -1);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    const statement = Buffer.concat(pieces).toString();
    if (statement.startsWith('DESCRIBE')) response.end(COLUMNS);
    else if (statement.includes('system.settings')) response.end('{"held":[],"cut":0}');
    else if (statement.startsWith('KILL')) response.end();
    else if (/@code\b/.test(statement) || /\bSELECT count\(/.test(statement)) response.end(JSON.stringify(this.#countsOf(statement)));
    else {
      this.scans += 1;
      const ms = this.heldMs();
      if (ms > 0) setTimeout(() => this.#sendRows(statement, response), ms);
      else this.#sendRows(statement, response);
    }
  }

  /** Whatever is counted, under the name it is asked for: all rows have it. */
  #countsOf(statement: string): Record<string, number | null> {
    const names = [...statement.matchAll(/AS [`"](@[^`"]+)[`"]/g)].map(([, name]) => name!);
    return Object.fromEntries(names.map((name) => [name, name === '@code' || name === '@latest' ? null : this.#rows.key.length]));
  }

  #sendRows(statement: string, response: ServerResponse): void {
    const lines = this.#found(statement);
    const { spoiling } = this;
    if (spoiling === null) {
      response.end(lines.join(''));
      return;
    }
    response.write(lines.slice(0, spoiling.afterRows).join('') + spoiling.text);
    if (spoiling.end === 'end') response.end();
    else setImmediate(() => response.socket?.resetAndDestroy());
  }

  /** By email the phase of those who have one, and by key a walk of this source alone: behind both come by id the others, and there are none. */
  #found(statement: string): string[] {
    const at = statement.lastIndexOf(' ORDER BY ');
    const by = statement.includes('f:email', at) ? 'email' : 'key';
    if (by === 'key' && !statement.includes('@key', at)) return [];
    const from = / < '([^']*)'\)/.exec(statement)?.[1] ?? '';
    const limit = Number(/ LIMIT (\d+)/.exec(statement.slice(at))?.[1] ?? Infinity);
    return this.#rows[by].filter((row) => row[by] >= from).slice(0, limit).map((row) => `${row.line},"@sure":1,"@at":${JSON.stringify(row[by])}}\n`);
  }
}

function keyOf(email: string): string {
  return email.split('@')[0]!;
}
