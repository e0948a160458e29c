import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { LIMITS } from '../../config/limits.ts';
import { connector } from '../connector.ts';
import { linesOf } from '../lines.ts';
import { SourceFailure } from '../source.ts';
import { literal } from './dialect.ts';
import { failureOf, saidFailure } from './errors.ts';
import { WHOLE_ANSWERS } from './whole_answers.ts';

export type Connecting = { readonly url: string; readonly connectMs: number; readonly connections: number };

/** The connections to one server, over its HTTP interface. */
export class Connections {
  readonly #agent: Agent;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, connectMs, connections }: Connecting) {
    this.#url = new URL(url);
    const { username, password } = this.#url;
    this.#headers = username === '' ? {} : { 'X-ClickHouse-User': decodeURIComponent(username), 'X-ClickHouse-Key': decodeURIComponent(password) };
    this.#url.username = '';
    this.#url.password = '';
    // One more, by which what runs on the others is stopped.
    this.#agent = new Agent({ connections: connections + 1, connect: connector(connectMs), keepAliveTimeout: LIMITS.connectionIdleMs, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
  }

  /** The lines of an answer as they come. Where the signal strikes, or the caller stops, the server is told to stop. */
  async *lines(statement: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    if (signal.aborted) throw new SourceFailure('broken', 'stopped by this side');
    const id = randomUUID();
    let finished = false;
    let answered = false;
    try {
      const { statusCode, headers, body } = await this.#send(`${statement}\nFORMAT JSONEachRow`, { query_id: id, max_query_size: String(LIMITS.foreignStatementBytesMax) }, signal);
      answered = true;
      if (statusCode !== 200) throw saidFailure(await body.text());
      if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) {
        throw new SourceFailure('malformed', 'its answer ends where the connection does: one that is cut would look whole');
      }
      for await (const lines of linesOf(body as AsyncIterable<Uint8Array>)) yield lines.filter((line) => line !== '').map(checked);
      finished = true;
    } catch (error) {
      finished = error instanceof SourceFailure;
      throw failureOf(error, answered);
    } finally {
      if (!finished) this.#kill(id);
    }
  }

  async all(statement: string, signal: AbortSignal): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = [];
    for await (const lines of this.lines(statement, signal)) rows.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>));
    return rows;
  }

  async close(): Promise<void> { await this.#agent.destroy(); }

  /** A server that is left does not stop before it has something to write. */
  #kill(id: string): void {
    const statement = `KILL QUERY WHERE query_id = ${literal(id)} ASYNC`;
    this.#send(statement, {}, AbortSignal.timeout(LIMITS.connectMsDefault)).then(({ body }) => body.dump(), () => {});
  }

  #send(statement: string, settings: Readonly<Record<string, string>>, signal: AbortSignal) {
    const url = new URL(this.#url);
    for (const [key, value] of Object.entries({ ...SETTINGS, ...settings })) url.searchParams.set(key, value);
    return request(url, { method: 'POST', body: statement, headers: this.#headers, dispatcher: this.#agent, signal });
  }
}

const SETTINGS = {
  ...WHOLE_ANSWERS,
  output_format_json_quote_64bit_integers: '0', output_format_json_escape_forward_slashes: '0', max_execution_time: String(LIMITS.streamTimeoutMsMax / 1_000),
};

/** An answer that was begun well may still end in the text of a failure, under the status 200. */
function checked(line: string): string {
  if (!line.startsWith('{') || !line.endsWith('}')) throw saidFailure(line);
  return line;
}
