/**
 * One request and its answer, whatever server carries them. Implementations: `exchange_uws` (default), `exchange_node`;
 * both pass `test/contract/exchange`. Framing that could smuggle a second request never reaches a handler.
 */
export type RequestHead = {
  /** Upper case. */
  readonly method: string;
  /** As sent, without the query; never decoded. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case; the last of a repeated header wins (those that must not repeat were refused before). */
  readonly headers: ReadonlyMap<string, string>;
  /** Text of the peer's address; IPv4 also where the socket is dual-stack. */
  readonly remoteAddress: string;
  /** Arrival on the monotonic clock: deadlines count from here. */
  readonly arrivedMs: number;
};

export type Headers = readonly (readonly [name: string, value: string])[];

export interface Exchange {
  readonly head: RequestHead;
  /** False once the caller left or the answer ended; nothing may be written then (and is ignored if it is). */
  readonly live: boolean;
  /** Called once, at once if already gone, when the caller left before the whole answer was handed over. Several may listen. */
  onGone(listener: () => void): void;
  /** The body up to `bytesMax`, copied; `too_large` as soon as that is known (the rest is read and dropped), `gone` if the caller left. Once only. */
  readBody(bytesMax: number): Promise<Uint8Array | 'too_large' | 'gone'>;
  /** The whole answer at once; HEAD gets its headers and length alone. `body` may be reused by the caller after this returns. */
  answer(status: number, headers: Headers, body: Uint8Array | string): void;
  /** Opens an answer of unknown length. */
  begin(status: number, headers: Headers): void;
  /** Hands over bytes; resolves when more should come: backpressure. Rejects never; resolves at once when the caller is gone. `bytes` may be reused after it resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends what `begin` opened. */
  end(): void;
  /** Drops the connection without an honest end: the caller sees a cut. */
  cut(): void;
}

export type Handler = (exchange: Exchange) => void | Promise<void>;

export type ServerSettings = { readonly host: string; readonly port: number };

export interface HttpServer {
  readonly port: number;
  /** Stops accepting; connections that are idle close, those with an answer under way close after it. */
  drain(): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

export type ListenHttp = (settings: ServerSettings, handler: Handler) => Promise<HttpServer>;
