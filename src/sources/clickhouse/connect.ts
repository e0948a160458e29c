import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../config/limits.ts';
import { saidIn, wholeLines, type Body } from '../bodies.ts';
import { failureOf } from '../connect_errors.ts';
import type { Connecting } from '../connecting.ts';
import { HttpConnections } from '../http_connections.ts';
import { SourceFailure } from '../source.ts';
import { Turns, type Haste } from '../turns.ts';
import { saidFailure } from './errors.ts';
import { Kills } from './kills.ts';
import { WHOLE_ANSWERS } from './whole_answers.ts';

/** The connections to one server, over its HTTP interface. */
export class Connections {
  readonly #connections: HttpConnections;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #turns: Turns;
  readonly #kills = new Kills((statement) => this.#send(statement, {}, AbortSignal.timeout(LIMITS.connectMsDefault)).then(({ body }) => body.dump()));

  constructor({ url, connectMs, connections }: Connecting) {
    this.#url = new URL(url);
    const { username, password } = this.#url;
    this.#headers = username === '' ? {} : { 'X-ClickHouse-User': headerText(username), 'X-ClickHouse-Key': headerText(password) };
    this.#url.username = '';
    this.#url.password = '';
    this.#turns = Turns.ofConnections(connections);
    // One more, by which what runs on the others is stopped.
    this.#connections = new HttpConnections(connectMs, connections + 1);
  }

  /** An answer as it comes, some whole lines each time, one a row. Where the signal strikes, or the caller stops, the server is told to stop. */
  async *lines(statement: string, haste: Haste, signal: AbortSignal, settings: Readonly<Record<string, string>> = {}): AsyncGenerator<Buffer> {
    const leave = await this.#turns.enter(haste, signal);
    const id = randomUUID();
    let finished = false;
    let answered = false;
    // A proxy that waited too long leaves the statement to the server.
    let isLeft = false;
    try {
      const { statusCode, headers, body } = await this.#send(`${statement}\nFORMAT JSONEachRow`, { query_id: id, max_query_size: String(LIMITS.foreignStatementBytesMax), ...settings }, signal);
      answered = true;
      isLeft = statusCode === 504;
      if (statusCode !== 200) throw saidFailure(await saidIn(body as Body), statusCode);
      if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) {
        // What is not read holds its connection.
        await saidIn(body as Body);
        throw new SourceFailure('malformed', 'its answer ends where the connection does: one that is cut would look whole');
      }
      for await (const lines of wholeLines(body as Body)) {
        assertRows(lines);
        yield lines;
      }
      finished = true;
    } catch (error) {
      finished = error instanceof SourceFailure && !isLeft;
      throw failureOf(error, answered);
    } finally {
      if (!finished) this.#kills.add(id);
      leave();
    }
  }

  async all(statement: string, haste: Haste, signal: AbortSignal): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = [];
    for await (const lines of this.lines(statement, haste, signal)) {
      for (const line of lines.toString().split('\n')) if (line !== '') rows.push(JSON.parse(line) as Record<string, unknown>);
    }
    return rows;
  }

  async close(): Promise<void> { await this.#connections.destroy(); }

  #send(statement: string, settings: Readonly<Record<string, string>>, signal: AbortSignal) {
    const url = new URL(this.#url);
    for (const [key, value] of Object.entries({ ...SETTINGS, ...settings })) url.searchParams.set(key, value);
    return this.#connections.request(url, { method: 'POST', body: statement, headers: this.#headers, signal });
  }
}

const SETTINGS = {
  ...WHOLE_ANSWERS,
  output_format_json_quote_64bit_integers: '0', output_format_json_escape_forward_slashes: '0', max_execution_time: String(LIMITS.streamTimeoutMsMax / 1_000),
};

/** Part of a URL as a header: its bytes, one a character, because that is how headers are written. */
function headerText(part: string): string {
  return Buffer.from(decodeURIComponent(part)).toString('latin1');
}

const [NEWLINE, BEGIN, END] = [...Buffer.from('\n{}')] as [number, number, number];
const EXCEPTION = Buffer.from('{"exception":');

/**
 * An answer that was begun well may still end in a failure, under the status 200: in its bare text, in its text between lines that mark it, or,
 * where the server was made from 2023 to 2025, in a row of one member. No statement of ours asks for a member of that name.
 */
function assertRows(lines: Buffer): void {
  for (let [at, end] = [0, 0]; at < lines.length; at = end + 1) {
    const found = lines.indexOf(NEWLINE, at);
    end = found === -1 ? lines.length : found;
    if (end === at) continue;
    const isRow = lines[at] === BEGIN && lines[end - 1] === END && lines.compare(EXCEPTION, 0, EXCEPTION.length, at, Math.min(end, at + EXCEPTION.length)) !== 0;
    if (!isRow) throw saidFailure(lines.toString('utf8', at));
  }
}
