import { LIMITS } from '../../config/limits.ts';
import { HOPS_HEADER, ORDER_HEADER, ORDER_IDENTITY, writeHops } from '../../model/hops.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { beginningOf, discard, linesOf, saidIn, type Body } from '../bodies.ts';
import { failureOf } from '../connect_errors.ts';
import type { Connecting } from '../connecting.ts';
import { HttpConnections } from '../http_connections.ts';
import { SourceFailure } from '../source.ts';
import { Turns, type Haste } from '../turns.ts';
import { statusFailure } from './errors.ts';

/** An answer that was begun: `ordered` where its rows come in the order of identity. */
export type Answer = { readonly ordered: boolean; readonly lines: AsyncGenerator<readonly string[]>; close(): void };
type Asking = { readonly hops: readonly string[]; readonly haste: Haste; readonly bytesMax: number };

/** The connections to one API. Nothing is taken compressed, and no redirect is followed. */
export class Connections {
  readonly #connections: HttpConnections;
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #turns: Turns;

  constructor({ url, connectMs, connections }: Connecting, headers: Readonly<Record<string, string>>) {
    this.#url = new URL(url);
    const { username, password } = this.#url;
    const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    this.#headers = {
      ...(username !== '' && { authorization: `Basic ${basic}` }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      'accept-encoding': 'identity',
    };
    this.#url.username = '';
    this.#url.password = '';
    this.#turns = Turns.ofConnections(connections);
    this.#connections = new HttpConnections(connectMs, connections);
  }

  /** Asks for rows. Where the signal strikes, or the caller stops reading, the connection is closed: that stops the other side. Every answer is to be closed, also where it was read to its end. */
  async find(asked: JsonObject, { hops, haste, bytesMax }: Asking, signal: AbortSignal): Promise<Answer> {
    const headers = { ...this.#headers, 'content-type': 'application/json', accept: 'application/x-ndjson', ...(hops.length > 0 && { [HOPS_HEADER]: writeHops(hops) }) };
    const leave = await this.#turns.enter(haste, signal);
    try {
      const { headers: answered, body } = await this.#send(this.#url, { method: 'POST', headers, body: JSON.stringify(asked) }, signal);
      const close = (): void => {
        discard(body);
        leave();
      };
      return { ordered: answered[ORDER_HEADER.toLowerCase()] === ORDER_IDENTITY, lines: checkedLines(body, bytesMax), close };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** A document beside the address of find, such as `sources`; null where there is none: what stands before an API may refuse, or lead elsewhere, whatever it does not know. */
  async document(name: string, signal: AbortSignal): Promise<JsonObject | null> {
    const url = new URL(this.#url);
    if (!url.pathname.endsWith('/find')) return null;
    url.pathname = url.pathname.replace(/find$/, name);
    const leave = await this.#turns.enter('short', signal);
    try {
      const { body } = await this.#send(url, { method: 'GET', headers: { ...this.#headers, accept: 'application/json' } }, signal);
      const value: unknown = JSON.parse(await beginningOf(body, LIMITS.httpDocumentBytesMax));
      return isObject(value) ? value : null;
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      if (error instanceof SourceFailure && error.code === 'refused') return null;
      throw failureOf(error, true);
    } finally {
      leave();
    }
  }

  async close(): Promise<void> { await this.#connections.destroy(); }

  async #send(url: URL, options: { readonly method: 'GET' | 'POST'; readonly headers: Readonly<Record<string, string>>; readonly body?: string }, signal: AbortSignal) {
    try {
      const answer = await this.#connections.request(url, { ...options, signal });
      // What is discarded says so; nobody listens any more.
      answer.body.on('error', () => {});
      const encoding = answer.headers['content-encoding'];
      // What stands before an API may ask for a key whatever it does not know.
      if (options.method === 'GET' && answer.statusCode === 401) throw new SourceFailure('refused', `HTTP 401: ${await saidIn(answer.body)}`);
      if (answer.statusCode !== 200) throw statusFailure(answer.statusCode, await saidIn(answer.body));
      if (encoding !== undefined && encoding !== 'identity') {
        discard(answer.body);
        throw new SourceFailure('malformed', 'the answer is compressed');
      }
      return answer;
    } catch (error) {
      throw failureOf(error, false);
    }
  }
}

async function* checkedLines(body: Body, bytesMax: number): AsyncGenerator<readonly string[]> {
  try {
    yield* linesOf(counted(body, bytesMax), { lineBytesMax: LIMITS.httpLineBytesMax, strict: true });
  } catch (error) {
    throw failureOf(error, true);
  } finally {
    discard(body);
  }
}

async function* counted(body: Body, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) throw new SourceFailure('too_many', `the answer has more than ${bytesMax} bytes`);
    yield piece;
  }
}
