import type { BodyRead } from './incoming_body.ts';

/**
 * One request and its answer, whatever server carries them. Implementations: `uws/` (default), `node/`; both pass
 * `test/contract/exchange`. Framing that could smuggle a second request never reaches a handler.
 */
export type RequestHead = {
  /** Upper case. */
  readonly method: string;
  /** As sent, without the query; never decoded. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case; the lines of a repeated header are joined to one list (those that must not repeat were refused before). */
  readonly headers: RequestHeaders;
  /** Text of the peer's address; IPv4 also where the socket is dual-stack. Read only when asked for: ask while the exchange is live, after that it may be empty. */
  readonly remoteAddress: string;
  /** Arrival of the head, on the monotonic clock. */
  readonly arrivedMs: number;
};

export type RequestHeaders = { get(name: string): string | undefined };

export type Headers = readonly (readonly [name: string, value: string])[];

declare const CHECKED: unique symbol;
/** The same as text, ready to be sent: `\r\nName: value`, one behind the other. Made by `answer_lines` alone, so that whoever is given one need not look into it. */
export type HeaderLines = string & { readonly [CHECKED]: true };

export interface Exchange {
  readonly head: RequestHead;
  /** False once the caller left or the answer ended; nothing may be written then (and is ignored if it is). */
  readonly live: boolean;
  /** True once `answer` or `begin` was called. */
  readonly begun: boolean;
  /** Called once, at once if already gone, when the caller left (or was cut) before the whole answer was handed over. Several may listen. */
  onGone(listener: () => void): void;
  /** The body up to `bytesMax` (at most `LIMITS.bodyBytesMax`), copied; `too_large` as soon as that is known (the rest is read and dropped), `gone` if the caller left. Once only, also after an `await`. */
  readBody(bytesMax: number): Promise<BodyRead>;
  /**
   * The whole answer at once; HEAD gets its headers and length alone, 204 and 304 no body. `body` may be reused by the caller after this returns.
   * Header values with control characters throw here and in `begin` (of lines, where these are made): they would split the answer. `Content-Length`, `Date` and `Connection` are the server's own.
   */
  answer(status: number, headers: Headers | HeaderLines, body: Uint8Array | string): void;
  /** Opens an answer of unknown length. */
  begin(status: number, headers: Headers | HeaderLines): void;
  /**
   * Hands over bytes; resolves when more should come: backpressure. Rejects never; resolves at once when the caller is gone. `bytes` may be
   * reused after it resolves. One at a time: writing or ending while a write waits throws.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** As `write`, but `bytes` may be reused as soon as this returns. */
  writeLent(bytes: Uint8Array): Promise<void>;
  /** Ends what `begin` opened. The last write should be a small one: that waits until what lies before it is taken, while nothing waits behind the end. */
  end(): void;
  /** Drops the connection without an honest end: the caller sees a cut. */
  cut(): void;
}

/** A promise that settles before the answer has ended counts as a fault; a plain function may answer later. */
export type Handler = (exchange: Exchange) => void | Promise<void>;

export type ServerSettings = {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** What the operator calls the port; `LDS_PORT` where it is left out. */
  readonly setting?: string;
  /** Told of every throw and rejection of a handler, and of a throw of what listens for its caller to leave; answers if it can. What is still live after it is cut. */
  readonly onFault?: (exchange: Exchange, error: unknown) => void;
  /** Told why a request was cut off before any handler saw it. */
  readonly onRefused?: (reason: string) => void;
  /** Connections at once, of which further ones are closed unanswered; any number where it is left out. Without files left nobody could be let in either, and those who are in could not be served. */
  readonly connectionsMax?: number;
  /** Told of every connection that was closed for that. */
  readonly onCrowded?: () => void;
  /** Told of every answer that was given before any handler saw its request. */
  readonly onUnread?: (answer: UnreadAnswer) => void;
  /** Shorter patience, for tests; `LIMITS` otherwise. */
  readonly bounds?: Partial<ExchangeBounds>;
};

/** Its id is what the caller was given as `X-Request-Id`. */
export type UnreadAnswer = { readonly requestId: string; readonly status: number };

export type ExchangeBounds = {
  readonly bodyStallMs: number;
  readonly bodyPaceBytes: number;
  readonly bodyDropBytesMax: number;
  readonly bodyDropMsMax: number;
  readonly streamStallMs: number;
  readonly unreadBytesMax: number;
};

export interface HttpServer {
  readonly port: number;
  /** Stops accepting; idle connections close, those with an answer under way say `Connection: close` and close after it. Resolves when none is left. */
  drain(): Promise<void>;
  /** Ends every connection. */
  close(): Promise<void>;
}
